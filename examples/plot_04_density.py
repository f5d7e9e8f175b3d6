"""
The spectral density before and after learning
==============================================

The spectral density determines the kernel. In this example the target oscillates fast along the
first input and slowly along the second. The initial frequencies have the same scale for both
inputs, and training changes them.
"""

import matplotlib.pyplot as plt
import numpy as np

from askl import SpectralKernelRegressor
from askl.insight.plots import MarginalDensityDisplay, SpectralDensityDisplay
from askl.theory import summarize_spectrum

rng = np.random.default_rng(0)
X = rng.normal(size=(1500, 2))
y = np.sin(5 * X[:, 0]) + np.sin(X[:, 1])
model = SpectralKernelRegressor(
    n_components=200, density="gaussian", max_epochs=40, learning_rate=0.02, random_state=0
).fit(X, y)
summarize_spectrum(model, X)

# %%
# Above: the density s(ω, ω′) along the first input; the mass on the diagonal is the stationary
# half of the kernel. Below: the density of single frequencies along each input.

figure, axes = plt.subplots(2, 2, figsize=(9, 7.5), layout="constrained")
for ax, before, when in zip(axes[0], (True, False), ("before", "after"), strict=True):
    SpectralDensityDisplay.from_estimator(model, feature=0, before=before, ax=ax)
    ax.set_title(f"s(ω, ω′) along the first input, {when}")
for ax, feature, name in zip(axes[1], (0, 1), ("fast", "slow"), strict=True):
    MarginalDensityDisplay.from_estimator(model, feature=feature, ax=ax)
    ax.set_title(f"single frequencies along the {name} input")
_ = figure.suptitle("Learning moves the spectral density to where the target oscillates")
