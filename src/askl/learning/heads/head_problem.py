"""The head of a classifier, solved: the convex problem in W for features that stay as they are.

The problem is written in the eigenbasis of ΦᵀΦ. A change of basis does not change the norms of W,
and in this basis the curvature of every loss is nearly diagonal: some dozen steps are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from askl.learning.loss_types import Curvature, NamedLoss
from askl.learning.losses import LOSSES
from askl.learning.sources import BLOCK_ROWS

Blocks: TypeAlias = Callable[[], Iterable[Tensor]]


def require_curvature(loss: NamedLoss) -> Curvature:
    """Return the second derivatives of a loss, or raise if its row has none."""
    if loss.curvature is None:
        raise ValueError(
            "The head can be solved only for a loss whose row of LOSSES has a 'curvature'. "
            "Add one, or set refit_head=False."
        )
    return loss.curvature


class HeadProblem(NamedTuple):
    """(1/n) Σ w_i ℓ(Wᵀφ(x_i), y_i) plus a norm of W, in coordinates that are easy to solve in.

    W = basis · A · contrastsᵀ, where A is what is solved for.

    Attributes
    ----------
    features : Tensor of shape (n_samples, n_directions)
        Features in the eigenbasis, the largest eigenvalue first. With an intercept the features
        are centred, and the first column is constant and has no penalty.
    eigenvalues : Tensor of shape (n_directions,), float64
        Mean squares of these columns.
    targets : Tensor of shape (n_samples,)
    shares : Tensor of shape (n_samples,), float64
        Sample weights, with sum 1.
    loss : NamedLoss
    basis : Tensor of shape (width, n_directions without the constant), float64
    contrasts : Tensor of shape (n_outputs, n_contrasts), float64
    centre : Tensor of shape (width,) or None
        Mean features, where there is an intercept.
    """

    features: Tensor
    eigenvalues: Tensor
    targets: Tensor
    shares: Tensor
    loss: NamedLoss
    basis: Tensor
    contrasts: Tensor
    centre: Tensor | None

    @property
    def n_free(self) -> int:
        """How many of the first columns have no penalty: the intercept's, if there is one."""
        return int(self.centre is not None)

    def zeros(self) -> Tensor:
        """Return the coordinates of W = 0."""
        return self.basis.new_zeros(len(self.eigenvalues), self.contrasts.shape[1])

    def in_contrasts(self, coordinates: Tensor) -> Tensor:
        """Compute the outputs in contrasts, shape (n_samples, n_contrasts), float64."""
        # Products of few rows are faster than products of few columns.
        rows = coordinates.t().to(self.features.dtype) @ self.features.t()
        return rows.t().double()

    def from_contrasts(self, outputs: Tensor) -> Tensor:
        """Turn outputs in contrasts into outputs, shape (n_samples, n_outputs)."""
        return (self.contrasts @ outputs.t()).t()

    def outputs(self, coordinates: Tensor) -> Tensor:
        """Compute the outputs of all samples, shape (n_samples, n_outputs), float64."""
        return self.from_contrasts(self.in_contrasts(coordinates))

    def pull_back(self, gradients: Tensor) -> Tensor:
        """Compute Φᵀ G for gradients in contrasts, shape (n_directions, n_contrasts)."""
        rows = gradients.t().to(self.features.dtype) @ self.features
        return rows.t().double()

    def smooth_part(self, outputs: Tensor) -> tuple[float, Tensor]:
        """Compute the mean loss, and its gradient at the outputs in contrasts."""
        values, gradients = (self.loss.smooth or self.loss.evaluate)(outputs, self.targets)
        weighted = gradients * self.shares[:, None]
        return float(values @ self.shares), (self.contrasts.t() @ weighted.t()).t()

    def mean_curvature(self, outputs: Tensor) -> Tensor:
        """Estimate the mean second derivative in contrasts, positive definite, on some rows."""
        some = slice(None, None, max(len(outputs) // BLOCK_ROWS, 1))
        curvature = require_curvature(self.loss)(outputs[some], self.targets[some])
        shares = self.shares[some] / self.shares[some].sum().clamp(min=1e-30)
        total = torch.tensordot(shares, curvature, dims=1)
        mean: Tensor = self.contrasts.t() @ total @ self.contrasts
        # Where all samples have clear outputs there is almost no curvature: this bounds the step.
        floor = 1e-3 * float(mean.diagonal().mean()) + 1e-12
        return mean + torch.diag(mean.new_full((len(mean),), floor))

    def head(self, coordinates: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return W of shape (width, n_outputs), and the intercept of shape (n_outputs,) if any."""
        weights = self.basis @ coordinates[self.n_free :] @ self.contrasts.t()
        if self.centre is None:
            return weights, None
        return weights, coordinates[0] @ self.contrasts.t() - self.centre @ weights


def contrasts(n_outputs: int, loss: NamedLoss) -> Tensor:
    """Return an orthonormal basis of the outputs that matter to the loss.

    If adding one number to all outputs does not change the loss, the rows of the optimal head sum
    to zero, because anything else would only add to the penalty. So K outputs become K - 1
    numbers, and two classes become one.

    Returns
    -------
    Tensor of shape (n_outputs, n_contrasts), float64

    Examples
    --------
    >>> contrasts(2, LOSSES["log"])
    tensor([[ 0.7071],
            [-0.7071]], dtype=torch.float64)
    """
    identity = torch.eye(n_outputs, dtype=torch.float64)
    if not loss.is_shift_invariant or n_outputs == 1:
        return identity
    # Helmert's contrasts: the mean of the first k classes against the next one.
    steps = torch.arange(n_outputs, dtype=torch.float64)
    helmert = (torch.ones_like(identity).triu() - identity - torch.diag(steps))[:, 1:]
    basis: Tensor = helmert / helmert.norm(dim=0)
    return basis


def make_head_problem(
    features: Tensor | Blocks,
    targets: Tensor,
    loss: str,
    n_outputs: int,
    *,
    sample_weights: Tensor | None = None,
    intercept: bool = False,
) -> HeadProblem:
    """Rotate the features into their eigenbasis, once for a whole path of strengths.

    Parameters
    ----------
    features : Tensor of shape (n_samples, width), or callable
        Or a function that returns the blocks of rows of the features. It is called twice, and
        then only the rotated features are in memory as a whole.
    targets : Tensor of shape (n_samples,)
        Class indices.
    loss : str
        A key of :data:`LOSSES`.
    n_outputs : int
    sample_weights : Tensor of shape (n_samples,), optional
    intercept : bool, default=False
        Add a constant to each output that has no penalty. W = 0 then predicts the classes'
        shares and not equal probabilities.

    Returns
    -------
    HeadProblem

    Examples
    --------
    >>> import torch
    >>> from askl.learning import make_head_problem
    >>> problem = make_head_problem(torch.eye(4), torch.tensor([0, 1, 0, 1]), "log", 2)
    >>> problem.features.shape, problem.contrasts.shape
    (torch.Size([4, 4]), torch.Size([2, 1]))
    """
    row = LOSSES[loss]
    blocks = (lambda: features.split(BLOCK_ROWS)) if isinstance(features, Tensor) else features
    shares = normalise(sample_weights, len(targets))
    gram, centre = _moments(blocks, shares)
    if intercept:
        gram -= torch.outer(centre, centre)
    eigenvalues, basis, precision = *_eigenbasis(gram), next(iter(blocks())).dtype
    # Directions with smaller eigenvalues are rounding errors of the features.
    keep = eigenvalues > torch.finfo(precision).eps * eigenvalues[0].clamp(min=1e-30)
    eigenvalues, basis = eigenvalues[keep], basis[:, keep]
    rotated = torch.empty(len(targets), len(eigenvalues) + intercept, dtype=precision)
    start = 0
    for block in blocks():
        out = rotated[start : start + len(block)]
        centred = block - centre.to(precision) if intercept else block
        torch.mm(centred, basis.to(precision), out=out[:, int(intercept) :])
        start += len(block)
    if intercept:
        rotated[:, 0] = 1.0
        eigenvalues = torch.cat([eigenvalues.new_ones(1), eigenvalues])
    return HeadProblem(
        rotated, eigenvalues, targets, shares, row, basis, contrasts(n_outputs, row),
        centre if intercept else None,
    )  # fmt: skip


def normalise(sample_weights: Tensor | None, n_samples: int) -> Tensor:
    """Return sample weights of sum 1, float64; equal ones if there are none."""
    weights = torch.ones(n_samples) if sample_weights is None else sample_weights
    return weights.double() / weights.double().sum()


def _moments(blocks: Blocks, shares: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the weighted means of φφᵀ and φ: products of the features' dtype, float64 sums."""
    gram = mean = None
    start = 0
    for block in blocks():
        part = shares[start : start + len(block)]
        scale = (part * len(shares)).to(block.dtype)
        product = (block.t() @ (block * scale[:, None])).double() / len(shares)
        total = (scale @ block).double() / len(shares)
        gram = product if gram is None else gram + product
        mean = total if mean is None else mean + total
        start += len(block)
    if gram is None or mean is None:
        raise ValueError("There are no samples to solve the head for. Give at least one row.")
    return gram, mean


def _eigenbasis(gram: Tensor) -> tuple[Tensor, Tensor]:
    """Return eigenvalues, largest first, and eigenvectors."""
    if not bool(torch.isfinite(gram).all()):
        raise ValueError(
            "The head has no solution: the features hold NaN or infinite values. "
            "Lower the learning rates."
        )
    values, vectors = torch.linalg.eigh(gram)
    return values.flip(0).clamp(min=0.0), vectors.flip(1)
