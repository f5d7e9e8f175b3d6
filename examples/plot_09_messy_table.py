"""
A table with missing values
===========================

:func:`askl.make_table_pipeline` encodes a data frame with missing values, strings and dates as
numbers, and trains on them. The pipeline works in cross-validation like any other.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_score

from askl import SpectralKernelRegressor, make_table_pipeline

rng = np.random.default_rng(0)
n_rows = 800
table = pd.DataFrame(
    {
        "area": rng.uniform(30, 150, n_rows),
        "city": rng.choice(["Bern", "Lyon", "Graz"], n_rows),
        "street": [f"street {number}" for number in rng.integers(0, 40, n_rows)],
        "sold": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, n_rows), "D"),
    }
)
price = (
    table["area"] * table["city"].map({"Bern": 9.0, "Lyon": 5.0, "Graz": 4.0})
    + 60 * np.sin(2 * np.pi * table["sold"].dt.day_of_year / 365)
    + 10 * rng.normal(size=n_rows)
)
complete = table.copy()
table.loc[rng.random(n_rows) < 0.2, "area"] = np.nan
table.loc[rng.random(n_rows) < 0.2, "city"] = None

# %%
# A fifth of the areas and of the cities are missing. How much does this change the scores?

model = make_table_pipeline(SpectralKernelRegressor(n_components=200, random_state=0))
scores = {
    "area alone": cross_val_score(model, complete[["area"]], price),
    "with missing values": cross_val_score(model, table, price),
    "complete": cross_val_score(model, complete, price),
}

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.boxplot(list(scores.values()), tick_labels=list(scores), orientation="horizontal")
ax.set(xlabel="R² of five folds")
_ = figure.suptitle("Predicting prices from a table with and without missing values")
