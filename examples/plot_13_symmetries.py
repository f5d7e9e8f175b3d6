"""
Exchangeable columns
====================

The nine columns are three by three points of a picture. The target is the difference between the
brightest point and the middle one, which stays the same when the picture is mirrored.
:func:`askl.find_symmetries` finds the two mirrored orders of the columns. A model that is trained
with these orders needs fewer rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from askl import SpectralKernelRegressor, find_symmetries

rng = np.random.default_rng(0)
points = np.stack(np.meshgrid(np.arange(3), np.arange(3), indexing="ij"), axis=-1).reshape(9, 2)


def draw_windows(n_rows):
    """Draw windows of waves that are shorter from left to right than from top to bottom."""
    frequencies = rng.normal(size=(n_rows, 8, 2)) * [0.7, 1.4]
    phases = rng.uniform(0.0, 2.0 * np.pi, size=(n_rows, 8, 1))
    windows = np.cos(np.einsum("nfk,pk->nfp", frequencies, points) + phases).sum(axis=1)
    return windows, windows.max(axis=1) - windows[:, 4]


X, y = draw_windows(8000)
X_test, y_test = draw_windows(4000)
symmetries = find_symmetries(X, y)

# %%
# Two orders are found, one for each mirror. After a quarter turn, these windows look different.

sizes = [250, 500, 1000, 2000, 4000]


def measure_error(n_rows, known):
    """Train on some rows, and return the mean squared error on test rows."""
    model = SpectralKernelRegressor(n_components=300, symmetries=known, random_state=0)
    model.fit(X[:n_rows], y[:n_rows])
    return np.mean((model.predict(X_test) - y_test) ** 2) / y_test.var()


orders = [tuple(range(9)), *symmetries]
figure, axes = plt.subplots(
    1, len(orders) + 1, figsize=(9, 3), width_ratios=[1] * len(orders) + [2], layout="constrained"
)
*grids, ax = axes
for grid, order in zip(grids, orders, strict=True):
    grid.imshow(np.reshape(order, (3, 3)), cmap="viridis", vmax=12)
    for place, column in enumerate(order):
        grid.text(place % 3, place // 3, column, ha="center", va="center", color="white")
    grid.set(xticks=[], yticks=[], title="found" if order in symmetries else "original")
for known, label in ((None, "not known"), (symmetries, "known")):
    ax.loglog(sizes, [measure_error(size, known) for size in sizes], "o-", label=label)
ax.set(xlabel="training rows", ylabel="squared error / variance")
ax.minorticks_off()
ax.set_xticks(sizes, sizes)
ax.set_yticks([0.02, 0.05, 0.1], ["2 %", "5 %", "10 %"])
ax.legend(title="symmetries")
_ = figure.suptitle("Symmetries of nine columns, and the errors with and without them")
