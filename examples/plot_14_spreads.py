"""
Columns of one kind
===================

Rows of like readings, and in one class they differ more than in the other. Of two columns or three
that is easily learned; of many it takes very many rows, unless how much the columns differ is said
in a column of its own. Nobody says which columns are of one kind: those are, whose values are
distributed alike.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from askl import SpectralKernelClassifier, SpreadEncoder

rng = np.random.default_rng(0)
n_rows, n_test = 1000, 4000


def draw_readings(n_readings):
    """Draw rows of readings at a level of their own, a third again as restless in one class."""
    y = rng.integers(2, size=n_rows + n_test)
    level = 3.0 * rng.normal(size=(len(y), 1))
    return level + rng.normal(size=(len(y), n_readings)) * (1.0 + y[:, None] / 3.0), y


numbers = [3, 6, 12, 24, 48]
model = SpectralKernelClassifier(n_components=300, max_epochs=20, random_state=0)
shares = {"the columns alone": [], "with their mean and spread": []}
for n_readings in numbers:
    X, y = draw_readings(n_readings)
    encoded = make_pipeline(SpreadEncoder(random_state=0), model)
    for label, estimator in zip(shares, (model, encoded), strict=True):
        estimator.fit(X[:n_rows], y[:n_rows])
        shares[label].append(100.0 * (1.0 - estimator.score(X[n_rows:], y[n_rows:])))

# %%
# The more columns there are, the more there is to know, and the more it helps to be told.

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for label, wrong in shares.items():
    ax.plot(numbers, wrong, "o-", label=label)
ax.set(xscale="log", xlabel="columns of one kind", ylabel="wrong, percent", ylim=(0, None))
ax.minorticks_off()
ax.set_xticks(numbers, numbers)
ax.legend()
_ = figure.suptitle("Errors on unseen rows, with and without the spread of like columns")
