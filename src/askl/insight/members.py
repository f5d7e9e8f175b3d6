"""Plain models and ensembles to look at: one model, or the weighted members of several."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askl._typing import Array
from askl.auto.base import AutoSpectralModel
from askl.estimators.base import SpectralModel
from askl.spectral import ACTIVATIONS
from askl.theory import as_drawn, diagonal


class Part(NamedTuple):
    """One of the plain models whose weighted mean an estimator is.

    Attributes
    ----------
    weight : float
    model : fitted plain estimator
    inputs : array or sparse matrix of shape (n_samples, n_inputs)
        The rows as this model takes them.
    """

    weight: float
    model: Any
    inputs: Any


def parts_of(estimator: Any, X: Any) -> list[Part]:
    """Return the weighted plain models of an estimator, with the rows as they take them."""
    if not isinstance(estimator, AutoSpectralModel):
        return [Part(1.0, check_plain(estimator), X)]
    inputs = estimator.encode_inputs(X)
    members = zip(estimator.member_weights_, estimator.members_, strict=True)
    return [Part(float(weight), member, inputs) for weight, member in members]


def drawn_parts(estimator: Any, X: Any) -> list[Part]:
    """Return the same as :func:`parts_of`, with models as they were before learning."""
    return [part._replace(model=as_drawn(part.model)) for part in parts_of(estimator, X)]


def mean_kernel(parts: list[Part], others: list[Part] | None = None) -> Array:
    """Compute the weighted mean of the kernel matrices, to other rows if they are given."""
    pairs = zip(parts, parts if others is None else others, strict=True)
    kernels = [left.weight * left.model.kernel(left.inputs, right.inputs) for left, right in pairs]
    return np.asarray(sum(kernels))


def mean_diagonal(parts: list[Part]) -> Array:
    """Compute the weighted mean of k(x, x), phases integrated out where possible."""
    return np.asarray(sum(part.weight * diagonal(part.model, part.inputs) for part in parts))


def choose_member(estimator: Any, member: int | None = None, *, spectral: bool = False) -> Any:
    """Return one plain model: the estimator itself, or a member of an automatic model.

    Parameters
    ----------
    estimator : fitted estimator
    member : int, optional
        Position among the members of an automatic model. By default the heaviest one, with
        ``spectral`` the heaviest one that has a density.
    spectral : bool, default=False
        Whether the model must have a spectral density; models of rectified units have none.

    Returns
    -------
    fitted SpectralKernelClassifier, SpectralKernelRegressor or SpectralFeatures
    """
    if isinstance(estimator, AutoSpectralModel):
        chosen = estimator.members_[_position(estimator, member, spectral)]
    elif member is not None:
        raise ValueError(
            "The 'member' parameter is for automatic models, which have members. "
            f"Got {member!r} with a {type(estimator).__name__}. Leave it out."
        )
    else:
        chosen = check_plain(estimator)
    if spectral and not has_density(chosen):
        remedy = (
            f"Choose another member: {_spectral_positions(estimator)} have one."
            if isinstance(estimator, AutoSpectralModel)
            else "Fit with activation='cosine' or 'paired'."
        )
        raise ValueError(
            f"A model with activation={chosen.activation_!r} has no spectral density: its kernel "
            f"is not a Fourier transform of one. {remedy}"
        )
    return chosen


def has_density(model: Any) -> bool:
    """Return True if the kernel of a plain model is the Fourier transform of a density."""
    return ACTIVATIONS[model.activation_].samples_kernel


def check_plain(estimator: Any) -> Any:
    """Return a plain model as it is; raise if it is none."""
    if not isinstance(estimator, SpectralModel):
        raise TypeError(
            "The 'estimator' parameter of a display must be a fitted estimator of askl. "
            f"Got {type(estimator).__name__} instead; of a pipeline, give the last step and the "
            "rows it takes."
        )
    return estimator


def _spectral_positions(estimator: AutoSpectralModel) -> list[int]:
    return [place for place, member in enumerate(estimator.members_) if has_density(member)]


def _position(estimator: AutoSpectralModel, member: int | None, spectral: bool) -> int:
    """Return the position of a member: the named one, or the heaviest one that is allowed."""
    n_members = len(estimator.members_)
    if member is None:
        allowed = _spectral_positions(estimator) if spectral else range(n_members)
        if not allowed:
            raise ValueError(
                f"None of the {n_members} members has a spectral density: all are of rectified or "
                "sigmoid units. Draw the kernel itself, with KernelMatrixDisplay."
            )
        return max(allowed, key=lambda place: float(estimator.member_weights_[place]))
    if not 0 <= member < n_members:
        raise ValueError(
            f"The 'member' parameter must be an integer from 0 to {n_members - 1}. "
            f"Got {member!r} instead."
        )
    return member


def relevance_of(estimator: Any) -> Array:
    """Return the share of each input in the squared gradient of the outputs.

    For an automatic model it is the weighted mean over the members. The share of an encoded column
    is divided evenly among the columns of the table that it is made of.

    Parameters
    ----------
    estimator : fitted estimator

    Returns
    -------
    ndarray of shape (n_features,)
        Nonnegative, of sum one; all zeros where the outputs react to nothing.
    """
    if not isinstance(estimator, AutoSpectralModel):
        return _shares(check_plain(estimator).feature_relevance_)
    sources, relevance = estimator.encoded_sources(), np.zeros(estimator.n_features_in_)
    for weight, member in zip(estimator.member_weights_, estimator.members_, strict=True):
        for columns, share in zip(sources, _shares(member.feature_relevance_), strict=True):
            relevance[list(columns)] += weight * share / len(columns)
    return _shares(relevance)


def _shares(relevance: Array) -> Array:
    total = float(relevance.sum())
    return np.asarray(relevance / total if total > 0.0 else np.zeros_like(relevance))
