"""
The learned kernel in other models
==================================

A learned kernel can be used in a support vector machine, in a Gaussian process or in kernel PCA.
:class:`askl.interop.SpectralKernel` works in all of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.svm import SVC

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.interop import SpectralKernel

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(600, 2))
y = (np.sin(np.exp(1.5 * (X[:, 0] + 1)) * 1.5) > 0).astype(int)
train, test = slice(0, 300), slice(300, None)

# %%
# A support vector machine and kernel PCA with the kernel of a classifier.

classifier = SpectralKernelClassifier(
    n_components=200, hidden_components=(64,), max_epochs=60, random_state=0
).fit(X[train], y[train])
kernel = SpectralKernel(classifier)
scores = {
    "SVC, RBF": SVC().fit(X[train], y[train]).score(X[test], y[test]),
    "SVC, learned": SVC(kernel=kernel).fit(X[train], y[train]).score(X[test], y[test]),
}
components = KernelPCA(2, kernel=kernel).fit(X[train]).transform(X[test])

# %%
# A Gaussian process with the kernel of a regressor. The features have a norm of about one, so the
# constant factor must be large; the search starts with a large value. On this curve the RBF kernel
# is better: a kernel that was learned from 120 rows is not always an improvement.

x = np.linspace(-3, 3, 240)[:, None]
target = np.sin(np.exp(0.9 * (x[:, 0] + 0.5))) + 0.1 * rng.normal(size=len(x))
seen, unseen = np.split(rng.permutation(len(x)), 2)
regressor = SpectralKernelRegressor(
    n_components=200,
    hidden_components=(64,),
    frequency_scale=2.0,
    max_epochs=80,
    random_state=0,
).fit(x[seen], target[seen])
processes = {
    "RBF": ConstantKernel() * RBF() + WhiteKernel(),
    "learned": ConstantKernel(1e5, (1, 1e9)) * SpectralKernel(regressor) + WhiteKernel(0.01),
}

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
left.scatter(*components.T, c=y[test], s=8, cmap="coolwarm")
left.set(title=", ".join(f"{name} {score:.1%}" for name, score in scores.items()))
left.set(xlabel="first component", ylabel="second component")
right.plot(x[seen], target[seen], ".", color="0.6", markersize=3)
for name, covariance in processes.items():
    process = GaussianProcessRegressor(covariance, normalize_y=True, random_state=0)
    process.fit(x[seen], target[seen])
    score = process.score(x[unseen], target[unseen])
    right.plot(x, process.predict(x), label=f"{name}: R² {score:.2f}", linewidth=1)
right.set(title="a chirp, by Gaussian processes", xlabel="x", ylim=(-1.8, 1.8))
right.legend(fontsize="small")
_ = figure.suptitle("Kernel PCA and Gaussian processes on learned kernels")
