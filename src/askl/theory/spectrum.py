"""The learned density of a fitted estimator: surfaces, marginals, and a summary in numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from askl._typing import Array
from askl.estimators.base import SpectralModel
from askl.spectral.learned_density import (
    along,
    distance_moved,
    effective_frequencies,
    frequency_shares,
    joint_density,
    marginal_density,
    off_diagonal_share,
    principal_directions,
)
from askl.theory.complexity import closed_form_diagonal
from askl.theory.fitted import as_drawn, feature_blocks, model_of


def spectrum_of(estimator: SpectralModel) -> tuple[Tensor, Tensor]:
    """Return the frequencies of the first layer, and their shares in the head."""
    layers, weights = model_of(estimator)
    frequencies = layers[0].frequencies
    n_components = frequencies.shape[2]
    if len(layers) > 1:  # the head weighs the frequencies of the last layer only
        return frequencies, frequencies.new_full((n_components,), 1.0 / n_components)
    return frequencies, frequency_shares(weights, n_components)


def _direction(estimator: SpectralModel, feature: int | None) -> Tensor:
    """Return the unit vector of an input, or the learned frequencies' principal direction."""
    frequencies, shares = spectrum_of(estimator)
    if feature is None:
        return principal_directions(frequencies, shares)[:, 0]
    direction = frequencies.new_zeros(frequencies.shape[1])
    direction[feature] = 1.0
    return direction


def _grid(estimator: SpectralModel, direction: Tensor, n_points: int) -> Tensor:
    """Return a grid over nearly all frequencies; with the far tails the rest would be too small."""
    points = along(spectrum_of(estimator)[0], direction).abs().flatten()
    reach = 1.2 * float(points.quantile(0.98)) or 1.0
    return torch.linspace(-reach, reach, n_points, dtype=points.dtype)


class DensityEstimate(NamedTuple):
    """A density on a grid, before and after learning.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
    before, after : ndarray of shape (n_points,) or (n_points, n_points)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralFeatures
    >>> from askl.theory import marginal_spectral_density
    >>> model = SpectralFeatures(n_components=20, random_state=0).fit(load_iris().data)
    >>> density = marginal_spectral_density(model, feature=0, n_points=11)
    >>> density.grid.shape, bool((density.before == density.after).all())  # nothing learned
    ((11,), True)
    """

    grid: Array
    before: Array
    after: Array


def spectral_density(
    estimator: SpectralModel, *, feature: int | None = None, n_points: int = 81
) -> DensityEstimate:
    """Estimate the surface s(ω, ω') of a fitted estimator, before and after learning.

    Parameters
    ----------
    estimator : fitted classifier, regressor or transformer
    feature : int, optional
        The input whose frequencies to show. By default the first principal direction of the
        learned frequencies.
    n_points : int, default=81

    Returns
    -------
    DensityEstimate
        ``before`` and ``after`` have shape (n_points, n_points).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.theory import spectral_density
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> spectral_density(model).after.shape
    (81, 81)
    """
    direction = _direction(estimator, feature)
    grid = _grid(estimator, direction, n_points)
    before, after = (
        joint_density(*spectrum_of(shown), direction, grid).numpy()
        for shown in (as_drawn(estimator), estimator)
    )
    return DensityEstimate(grid.numpy(), before, after)


def marginal_spectral_density(
    estimator: SpectralModel, *, feature: int | None = None, n_points: int = 401
) -> DensityEstimate:
    """Estimate the marginal density of one input's frequencies, before and after learning.

    Parameters
    ----------
    estimator : fitted classifier, regressor or transformer
    feature : int, optional
        The input whose frequencies to show. By default the first principal direction of the
        learned frequencies.
    n_points : int, default=401

    Returns
    -------
    DensityEstimate
        ``before`` and ``after`` have shape (n_points,).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.theory import marginal_spectral_density
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> marginal_spectral_density(model, feature=2).before.shape
    (401,)
    """
    direction = _direction(estimator, feature)
    grid = _grid(estimator, direction, n_points)
    before, after = (
        marginal_density(*spectrum_of(shown), direction, grid).numpy()
        for shown in (as_drawn(estimator), estimator)
    )
    return DensityEstimate(grid.numpy(), before, after)


def diagonal(estimator: SpectralModel, X: Any) -> Array:
    """Compute k(x, x) for every row, in expectation over phases where there is a closed form.

    Parameters
    ----------
    estimator : fitted classifier, regressor or transformer
    X : array-like or sparse matrix of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples,), float64

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.theory import diagonal
    >>> X, y = load_iris(return_X_y=True)
    >>> stationary = SpectralKernelClassifier("skl", n_components=50, random_state=0).fit(X, y)
    >>> diagonal(stationary, X[:2]).round(6)
    array([1., 1.])
    """
    last = model_of(estimator).layers[-1]
    parts = []
    for _, inputs, features in feature_blocks(estimator, X):
        closed = closed_form_diagonal(inputs, last)
        parts.append(features.square().sum(dim=1) if closed.isnan().any() else closed)
    return torch.cat(parts).numpy()


class SpectrumSummary(NamedTuple):
    """The learned density in numbers, and its distance from the density as drawn.

    Attributes
    ----------
    n_components : int
    effective : float
        Effective number of frequencies: the participation ratio of the row norms of W.
    median_moved, largest_moved : float
        Distance between a frequency as drawn and as learned.
    off_diagonal_share : float
        Mass of s(ω, ω') off its diagonal; zero for a stationary kernel, at most ½ for two
        branches.
    diagonal_mean, diagonal_deviation : float
        Of k(x, x) over the given rows; the deviation is zero for a stationary kernel.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralFeatures
    >>> from askl.theory import summarize_spectrum
    >>> X = load_iris().data
    >>> summary = summarize_spectrum(SpectralFeatures(n_components=20, random_state=0).fit(X), X)
    >>> summary.n_components, summary.median_moved  # nothing learned
    (20, 0.0)
    """

    n_components: int
    effective: float
    median_moved: float
    largest_moved: float
    off_diagonal_share: float
    diagonal_mean: float
    diagonal_deviation: float


def summarize_spectrum(estimator: SpectralModel, X: Any) -> SpectrumSummary:
    """Summarise the learned density of a fitted estimator.

    Parameters
    ----------
    estimator : fitted classifier, regressor or transformer
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows for k(x, x).

    Returns
    -------
    SpectrumSummary

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.theory import summarize_spectrum
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier("nsk", n_components=50, random_state=0).fit(X, y)
    >>> summarize_spectrum(model, X).largest_moved  # assigned, not learned
    0.0
    """
    frequencies, shares = spectrum_of(estimator)
    moved = distance_moved(spectrum_of(as_drawn(estimator))[0], frequencies)
    values = diagonal(estimator, X)
    return SpectrumSummary(
        n_components=len(shares),
        effective=effective_frequencies(shares),
        median_moved=float(moved.median()),
        largest_moved=float(moved.max()),
        off_diagonal_share=off_diagonal_share(frequencies, shares),
        diagonal_mean=float(values.mean()),
        diagonal_deviation=float(values.std()),
    )
