"""Draw the picture of the README: the kernel of test digits before and after learning.

Run as ``python docs/figures/learned_kernel.py``; writes ``learned_kernel.png`` beside itself.
"""

from pathlib import Path

import matplotlib as mpl
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from askl import SpectralKernelClassifier
from askl.insight.plots import KernelMatrixDisplay

mpl.use("Agg")
from matplotlib import pyplot as plt

X_train, X_test, y_train, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
model = SpectralKernelClassifier(random_state=0).fit(X_train, y_train)
figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for ax, before, title in zip(
    axes,
    (True, False),
    ("before learning", f"after: {model.score(X_test, y_test):.1%} accuracy"),
    strict=True,
):
    KernelMatrixDisplay.from_estimator(model, X_test, y_test, before=before, ax=ax)
    ax.set_title(f"Test digits, {title}")
figure.savefig(Path(__file__).with_suffix(".png"), dpi=80)
