"""The learned kernel as a kernel object of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import GenericKernelMixin, Kernel
from sklearn.utils.validation import check_is_fitted

from askl._typing import Array
from askl.estimators.base import SpectralModel


class SpectralKernel(GenericKernelMixin, Kernel):
    """The kernel ⟨φ(x), φ(z)⟩ of a fitted model, for estimators of scikit-learn that take a kernel.

    Use it in ``GaussianProcessRegressor`` and ``GaussianProcessClassifier``, also in sums and
    products with other kernels, and as a callable in ``SVC``, ``SVR``, ``KernelPCA`` and
    ``KernelRidge``. It has no hyperparameters: the frequencies were learned.

    Parameters
    ----------
    estimator : fitted SpectralKernelClassifier, SpectralKernelRegressor or SpectralFeatures

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.gaussian_process import GaussianProcessRegressor
    >>> from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel
    >>> from askl import SpectralKernelRegressor
    >>> from askl.interop import SpectralKernel
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SpectralKernelRegressor(n_components=50, random_state=0).fit(X[::2], y[::2])
    >>> kernel = ConstantKernel(1.0) * SpectralKernel(model) + WhiteKernel(0.5)
    >>> process = GaussianProcessRegressor(kernel, normalize_y=True).fit(X[::2], y[::2])
    >>> mean, deviation = process.predict(X[1::2], return_std=True)
    >>> bool((deviation > 0).all())
    True
    """

    def __init__(self, estimator: SpectralModel) -> None:
        self.estimator = estimator

    def __sklearn_clone__(self) -> SpectralKernel:
        """Keep the learned kernel, which a clone in scikit-learn's sense would not have."""
        return self

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """Compute the kernel matrix and, if asked for, its gradient, which is empty.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        Y : array-like or sparse matrix of shape (n_others, n_features), optional
            X by default.
        eval_gradient : bool, default=False

        Returns
        -------
        ndarray of shape (n_samples, n_others), with an empty gradient where asked for
        """
        check_is_fitted(self.estimator)
        matrix = self.estimator.kernel(X, Y)
        return (matrix, np.empty((*matrix.shape, 0))) if eval_gradient else matrix

    def diag(self, X: Any) -> Array:
        """Compute k(x, x) for every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), float64
        """
        squares: Array = np.square(self.estimator.transform(X), dtype=np.float64).sum(axis=1)
        return squares

    def is_stationary(self) -> bool:
        """Return True if the kernel depends on x - z only, as that of a single branch does.

        The kernel of the cosine map is stationary in expectation over phases, that of the paired
        map exactly.

        Returns
        -------
        bool
        """
        return self.estimator.resolve_method().n_branches == 1

    def __repr__(self) -> str:
        return f"SpectralKernel({type(self.estimator).__name__})"
