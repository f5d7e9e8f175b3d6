"""
Similarly distributed columns
=============================

Each row has several readings, which differ more in one class than in the other. With two or three
columns this is easy to learn. With many columns it needs very many rows, unless the standard
deviation of the readings is an additional column. :class:`askl.SpreadEncoder` finds the similarly
distributed columns and adds their mean and standard deviation.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from askl import SpectralKernelClassifier, SpreadEncoder

rng = np.random.default_rng(0)
n_rows, n_test = 1000, 4000


def draw_readings(n_readings):
    """Draw rows of readings around a random level, with a deviation of 1 or 4/3 by class."""
    y = rng.integers(2, size=n_rows + n_test)
    level = 3.0 * rng.normal(size=(len(y), 1))
    return level + rng.normal(size=(len(y), n_readings)) * (1.0 + y[:, None] / 3.0), y


numbers = [3, 6, 12, 24, 48]
model = SpectralKernelClassifier(n_components=300, max_epochs=20, random_state=0)
shares = {"the columns alone": [], "with mean and standard deviation": []}
for n_readings in numbers:
    X, y = draw_readings(n_readings)
    encoded = make_pipeline(SpreadEncoder(random_state=0), model)
    for label, estimator in zip(shares, (model, encoded), strict=True):
        estimator.fit(X[:n_rows], y[:n_rows])
        shares[label].append(100.0 * (1.0 - estimator.score(X[n_rows:], y[n_rows:])))

# %%
# The more columns there are, the more the additional columns help.

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for label, wrong in shares.items():
    ax.plot(numbers, wrong, "o-", label=label)
ax.set(xscale="log", xlabel="similarly distributed columns", ylabel="errors, %", ylim=(0, None))
ax.minorticks_off()
ax.set_xticks(numbers, numbers)
ax.legend()
_ = figure.suptitle("Errors on test rows, with and without the additional columns")
