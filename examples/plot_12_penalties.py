"""
What the two penalties do
=========================

λ₁ is the weight of the trace norm of W; a larger value lowers the rank of W. λ₂ is the weight of
the mean squared norm of the features; a larger value makes the diagonal of the kernel smaller.
Both lower the bound of the paper. Twelve noisy outputs that are mixtures of three functions show
the effect of λ₁, and handwritten digits that of λ₂.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.insight.plots import KernelDiagonalDisplay, SingularValuesDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 3))
sources = np.column_stack([np.sin(2 * X[:, 0]), np.cos(2 * X[:, 1]), X[:, 2] * X[:, 0]])
y = sources @ rng.normal(size=(3, 12)) + 0.5 * rng.normal(size=(600, 12))

# %%
# With the squared loss the head is solved exactly at the end, by a ridge regression, whose head
# does not have a low rank. ``refit_head=False`` keeps the head from training, so that the trace
# norm has an effect. The values of λ₁ are larger than those in the grid of the paper, which ends
# at 0.1: a threshold of ηλ₁ is small compared with a step of Adam.

heads = {
    f"λ₁ = {strength:g}": SpectralKernelRegressor(
        n_components=200, head_penalty=strength, refit_head=False, random_state=0
    ).fit(X, y)
    for strength in (0.0, 0.5, 1.0)
}
images, digits = load_digits(return_X_y=True)
maps = {
    f"λ₂ = {strength:g}": SpectralKernelClassifier(
        n_components=200, feature_penalty=strength, max_epochs=15, random_state=0
    ).fit(images[:1200], digits[:1200])
    for strength in (0.0, 0.1, 1.0)
}

# %%
# The title of the right picture has the accuracies on test digits, from the smallest λ₂ to the
# largest.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
SingularValuesDisplay.from_estimators(heads, ax=left)
left.set_title("singular values of W")
KernelDiagonalDisplay.from_estimators(maps, images[1200:], ax=right)
scores = ", ".join(f"{model.score(images[1200:], digits[1200:]):.1%}" for model in maps.values())
right.set_title(f"k(x, x); {scores}")
_ = figure.suptitle("λ₁ lowers the rank of the head, λ₂ the diagonal of the kernel")
