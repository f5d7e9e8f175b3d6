"""
More rows than memory
=====================

``fit_stream`` reads its rows once in every epoch, from files or from a function that yields them in
chunks. Only a buffer of rows is in memory. The result is as good as that of ``fit``.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from askl import SpectralKernelClassifier
from askl.insight.plots import DecisionRegionsDisplay

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, size=(6000, 2))
y = (np.sin(3 * X[:, 0]) + np.cos(3 * X[:, 1]) > 0).astype(int)
table = pd.DataFrame({"east": X[:, 0], "north": X[:, 1], "land": y})

# %%
# There are five thousand training rows in five Parquet files, and a thousand test rows.

settings = {"n_components": 100, "max_epochs": 8, "random_state": 0}
with tempfile.TemporaryDirectory() as folder:
    for part in range(5):
        rows = table.iloc[1000 * part : 1000 * (part + 1)]
        rows.to_parquet(Path(folder) / f"part-{part}.parquet")
    streamed = SpectralKernelClassifier(**settings).fit_stream(folder, target="land")
in_memory = SpectralKernelClassifier(**settings).fit(table[["east", "north"]][:5000], y[:5000])

unseen = table[["east", "north"]][5000:]
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, model, name in zip(axes, (streamed, in_memory), ("from files", "in memory"), strict=True):
    DecisionRegionsDisplay.from_estimator(model, unseen, y[5000:], ax=ax)
    ax.set_title(f"{name}: {model.score(unseen, y[5000:]):.1%}")
_ = figure.suptitle("Learned from files, and from memory")
