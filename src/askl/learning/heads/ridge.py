"""Ridge regression on the features: a head for the squared loss that needs no iterations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning.batch import Batch
from askl.learning.model import compute_features
from askl.spectral.features import Layer


class NormalEquations:
    """Φᵀ Φ and Φᵀ Y, summed in float64 over any number of batches.

    Parameters
    ----------
    layers : tuple of Layer
        They compute the features.

    Examples
    --------
    >>> import torch
    >>> from askl.learning import Batch, NormalEquations
    >>> from askl.spectral import Layer
    >>> layers = (Layer(torch.randn(1, 2, 8), torch.rand(1, 8)),)
    >>> x = torch.randn(40, 2)
    >>> NormalEquations(layers).add([Batch(x, x[:, :1])]).solve(1e-6).shape
    torch.Size([8, 1])
    """

    def __init__(self, layers: tuple[Layer, ...]) -> None:
        self.layers = layers
        width = layers[-1].width
        self.gram = layers[-1].frequencies.new_zeros(width, width, dtype=torch.float64)
        self.moments: Tensor | None = None
        self.total_weight = 0.0

    @torch.no_grad()
    def add(self, batches: Iterable[Batch]) -> NormalEquations:
        """Add some batches to the sums.

        Parameters
        ----------
        batches : iterable of Batch
            With targets of shape (m, n_outputs).

        Returns
        -------
        NormalEquations
            This object itself.
        """
        for batch in batches:
            features = compute_features(batch.inputs, self.layers)
            weighted = features
            if batch.sample_weights is not None:
                weighted = features * batch.sample_weights[:, None]
                self.total_weight += float(batch.sample_weights.sum())
            else:
                self.total_weight += len(features)
            if self.moments is None:
                self.moments = self.gram.new_zeros(len(self.gram), batch.targets.shape[1])
            # The products of one batch have the precision of the features: a batch is short.
            self.gram += weighted.t() @ features
            self.moments += weighted.t() @ batch.targets
        return self

    def solve(self, strength: float) -> Tensor:
        """Minimise (1/n) Σ ‖Wᵀφ(x_i) - y_i‖² + strength · ‖W‖_F², by a Cholesky factorisation.

        Parameters
        ----------
        strength : float
            λ, the weight of ‖W‖_F².

        Returns
        -------
        Tensor of shape (width, n_outputs), float64
        """
        if self.moments is None:
            raise ValueError("There are no samples to solve the head for. Add some batches first.")
        return torch.cholesky_solve(self.moments, self.factor(strength))

    def factor(self, strength: float) -> Tensor:
        """Return the lower Cholesky factor of ΦᵀΦ + n · strength · I, in float64.

        Parameters
        ----------
        strength : float
            λ, the weight of ‖W‖_F².

        Returns
        -------
        Tensor of shape (width, width), float64
        """
        gram = self.gram.clone()
        diagonal = gram.diagonal()
        diagonal += strength * self.total_weight
        # Rounding errors can make the matrix indefinite, by about its trace times an epsilon.
        jitter = 1e-9 * float(diagonal.sum()) / len(gram)
        for _ in range(10):
            factor, failed = torch.linalg.cholesky_ex(gram)
            if not failed:
                lower: Tensor = factor
                return lower
            diagonal += jitter
            jitter *= 10.0
        raise ValueError(
            "The exact head has no solution: the features hold NaN or infinite values. "
            "Lower the learning rates."
        )


def leverages(features: Tensor, factor: Tensor) -> Tensor:
    """Compute the leverage φᵀ(ΦᵀΦ + n λ I)⁻¹φ of each sample.

    It is the variance that the estimated head adds to an output, in units of the noise variance.

    Parameters
    ----------
    features : Tensor of shape (n_samples, width)
    factor : Tensor of shape (width, width)
        From :meth:`NormalEquations.factor`.

    Returns
    -------
    Tensor of shape (n_samples,), float64
    """
    half: Tensor = torch.linalg.solve_triangular(
        factor.double(), features.double().t(), upper=False
    )
    return half.square().sum(dim=0)


class HeadChoice(NamedTuple):
    """The best strength on held-out rows, and whether the current head is even better."""

    strength: float
    keep_current: bool


def choose_head(
    equations: NormalEquations,
    held_out: Sequence[Batch],
    strengths: Sequence[float],
    current: Tensor,
) -> HeadChoice:
    """Choose the strength whose head has the smallest squared error on held-out batches.

    Parameters
    ----------
    equations : NormalEquations
        Of the training rows.
    held_out : sequence of Batch
    strengths : sequence of float
        The strengths to choose from.
    current : Tensor of shape (width, n_outputs)
        A head to compare with.

    Returns
    -------
    HeadChoice
        The best ``strength``, and ``keep_current``: whether the current head is even better.

    Examples
    --------
    >>> import torch
    >>> from askl.learning import Batch, NormalEquations, choose_head
    >>> from askl.spectral import Layer
    >>> layers = (Layer(torch.ones(1, 1, 4), torch.zeros(1, 4)),)
    >>> x = torch.linspace(-1, 1, 40)[:, None]
    >>> batch = Batch(x, x.cos())
    >>> equations = NormalEquations(layers).add([batch])
    >>> choose_head(equations, [batch], [1e-6, 1.0], torch.zeros(4, 1))
    HeadChoice(strength=1e-06, keep_current=False)
    """
    candidates = [equations.solve(strength).to(current.dtype) for strength in strengths]
    heads = torch.cat([*candidates, current], dim=1)
    errors = heads.new_zeros(len(candidates) + 1, dtype=torch.float64)
    for batch in held_out:
        features = compute_features(batch.inputs, equations.layers)
        outputs = (features @ heads).view(len(features), len(errors), -1)
        squared = (outputs - batch.targets[:, None, :]).square().sum(dim=2)
        if batch.sample_weights is not None:
            squared = squared * batch.sample_weights[:, None]
        errors += squared.sum(dim=0)
    best = int(errors[:-1].argmin())
    return HeadChoice(strengths[best], bool(errors[-1] < errors[best]))
