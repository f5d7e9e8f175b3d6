"""The learned kernel as a kernel of GPyTorch."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import Tensor

from askl.estimators.base import SpectralModel
from askl.spectral import Layer, stacked_features

try:
    # Its linear algebra uses torch.jit.script, which warns on import.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from gpytorch.kernels import Kernel  # type: ignore[import-untyped, unused-ignore]
        from linear_operator.operators import (  # type: ignore[import-untyped, unused-ignore]
            MatmulLinearOperator,
            RootLinearOperator,
        )
except ImportError as error:
    raise ImportError(
        "askl.interop.gpytorch_kernel needs GPyTorch, which is not installed. "
        "Install it with: pip install askl[gpytorch]"
    ) from error


class SpectralGPyTorchKernel(Kernel):  # type: ignore[misc, unused-ignore]
    """The kernel ⟨φ(x), φ(z)⟩ of a fitted model, in GPyTorch's low-rank form.

    Inputs are raw, as in the fit of the model: the kernel scales them as the model does. It is not
    differentiable with respect to them.

    Parameters
    ----------
    estimator : fitted SpectralKernelClassifier, SpectralKernelRegressor or SpectralFeatures
    trainable : bool, default=False
        Whether frequencies are parameters that GPyTorch may train further, such as by the marginal
        likelihood. Those of the fitted model do not change.

    Examples
    --------
    >>> import torch
    >>> from sklearn.datasets import load_diabetes
    >>> from askl import SpectralKernelRegressor
    >>> from askl.interop.gpytorch_kernel import SpectralGPyTorchKernel
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SpectralKernelRegressor(n_components=50, random_state=0).fit(X, y)
    >>> kernel = SpectralGPyTorchKernel(model)
    >>> kernel(torch.from_numpy(X[:4])).to_dense().shape
    torch.Size([4, 4])
    """

    has_lengthscale = False

    def __init__(self, estimator: SpectralModel, *, trainable: bool = False) -> None:
        super().__init__()
        self._scaling = estimator.scaling_
        self._activation = estimator.activation_
        self.frequencies = torch.nn.ParameterList(
            torch.nn.Parameter(torch.tensor(frequencies), requires_grad=trainable)
            for frequencies, _ in estimator.layers_
        )
        self._n_layers = len(estimator.layers_)
        for depth, (_, phases) in enumerate(estimator.layers_):
            self.register_buffer(f"phases_{depth}", torch.tensor(phases))

    def _features(self, x: Tensor) -> Tensor:
        """Compute φ(x) for rows in batches of any shape."""
        rows = x.detach().reshape(-1, x.shape[-1]).cpu().numpy()
        scaled = torch.from_numpy(self._scaling.apply(rows)).to(x)
        layers = [
            Layer(
                self.frequencies[depth].to(x.dtype),
                getattr(self, f"phases_{depth}").to(x.dtype),
                self._activation,
            )
            for depth in range(self._n_layers)
        ]
        features = stacked_features(scaled, layers, skip=True)
        return features.reshape(*x.shape[:-1], -1)

    def forward(self, x1: Tensor, x2: Tensor, diag: bool = False, **parameters: Any) -> Any:
        """Compute the kernel between all rows, or with ``diag`` of matching rows only."""
        left = self._features(x1)
        same = x1.shape == x2.shape and torch.equal(x1, x2)
        right = left if same else self._features(x2)
        if diag:
            return (left * right).sum(dim=-1)
        if same:
            return RootLinearOperator(left)
        return MatmulLinearOperator(left, right.transpose(-2, -1))
