"""
The five methods side by side
=============================

The five methods of Table 1 of the paper on handwritten digits, over three random splits. They
differ in the kernel (stationary or non-stationary), in the density (assigned or learned) and in
the penalties.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from askl.evaluation import compare_methods

rows = compare_methods(
    *load_digits(return_X_y=True),
    n_splits=3,
    n_components=200,
    max_epochs=8,
    density="gaussian",
)

# %%
# On this easy data set, learning helps a little. The other differences are smaller than the
# standard deviation over splits. :doc:`/accuracy` has results for larger data sets.

figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
means = [100 * row.scores.mean() for row in rows]
deviations = [100 * row.scores.std(ddof=1) for row in rows]
ax.barh([row.method.upper() for row in rows], means, xerr=deviations)
for place, mean in enumerate(means):
    ax.annotate(f"{mean:.1f}", (90.2, place), va="center", color="white")
ax.invert_yaxis()
ax.set(xlim=(90, 100), xlabel="accuracy in percent, with its standard deviation over splits")
_ = figure.suptitle("Accuracy of the five methods on test digits")
