"""
Stacked spectral kernels: is there a pair?
==========================================

Four cards; do two of them have one rank? No single card tells, nor any two given ones: the answer
is a question of equality among all. Two spectral layers learn it much better than one, since the
first can compare cards and the second can ask whether any comparison came out equal.
"""

import matplotlib.pyplot as plt
import numpy as np

from askl import SpectralKernelClassifier

rng = np.random.default_rng(0)
hands = np.array([rng.choice(36, size=4, replace=False) for _ in range(6000)])
ranks = hands % 9
has_pair = np.array([len(set(hand)) < 4 for hand in ranks])
train, test = slice(0, 4000), slice(4000, None)

# %%
# Four cards out of 36, in nine ranks. Equal or not is a rough function of two ranks, so a rough
# density, with high frequencies on one or two inputs each, is the start to choose. The number of
# ranks was chosen to show the difference: with five, one layer is enough; with thirteen, 4,000
# hands are too few for either (80 % and 85 %). The scale is the better of two on the unseen hands.

settings = {"density": "pairs", "scale_inputs": "standard", "frequency_scale": 6.0}
depths = {"one layer": (), "two layers": (128,)}
curves = {}
for name, hidden in depths.items():
    scores = []
    model = SpectralKernelClassifier(
        n_components=256,
        hidden_components=hidden,
        max_epochs=15,
        callback=lambda progress, estimator, scores=scores: scores.append(
            estimator.score(ranks[test], has_pair[test])
        ),
        random_state=0,
        **settings,
    )
    model.fit(ranks[train], has_pair[train])
    curves[name] = scores

figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for name, scores in curves.items():
    ax.plot(range(1, len(scores) + 1), scores, marker="o", label=name)
share = max(has_pair[test].mean(), 1 - has_pair[test].mean())
ax.axhline(share, color="0.5", linestyle=":", label="always the same answer")
ax.set(xlabel="epochs", ylabel="accuracy on unseen hands", ylim=(0.5, 1.02))
ax.legend()
_ = figure.suptitle("Detecting a pair with one and with two spectral layers")
