"""A user's portfolio, checked when ``fit`` begins, before any work."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from askl.auto.candidates import Candidate, as_candidate
from askl.estimators.classifier import SpectralKernelClassifier
from askl.estimators.regressor import SpectralKernelRegressor

ESTIMATORS = {
    "classification": SpectralKernelClassifier,
    "regression": SpectralKernelRegressor,
}
# What the automatic model itself decides for every candidate.
RESERVED = ("random_state", "warm_start")


def check_portfolio(owner: str, portfolio: Mapping[Any, Any], task: str) -> None:
    """Raise a ValueError that names the first candidate that cannot be tried, and why.

    Parameters
    ----------
    owner : str
        The class whose parameter it is.
    portfolio : mapping of str to mapping or Candidate
    task : {"classification", "regression"}

    Examples
    --------
    >>> check_portfolio("Auto", {"one": {"n_components": 50}}, "regression")
    >>> check_portfolio("Auto", {"one": {"max_epoch": 50}}, "regression")
    Traceback (most recent call last):
        ...
    ValueError: The 'portfolio' parameter of Auto must hold parameters of SpectralKernelRegressor.
    Got 'max_epoch' in candidate 'one' instead. Did you mean 'max_epochs'?
    """
    if not portfolio:
        raise ValueError(
            f"The 'portfolio' parameter of {owner} must hold at least one candidate. "
            "Got none instead. Give None for the built-in portfolio."
        )
    for name, given in portfolio.items():
        if not isinstance(name, str) or not isinstance(given, (Candidate, Mapping)):
            raise ValueError(
                f"The 'portfolio' parameter of {owner} must be a dict of names to dicts of "
                f"parameters. Got {name!r}: {given!r} in it instead."
            )
        candidate = as_candidate(given)
        _check_names(owner, name, candidate, task)
        _check_values(owner, name, candidate, task)
        if candidate.parent and candidate.parent not in portfolio:
            raise ValueError(
                f"The 'parent' of candidate {name!r} in the 'portfolio' parameter of {owner} must "
                f"be the name of another candidate. Got {candidate.parent!r} instead."
                + _suggest(candidate.parent, list(portfolio))
            )


def _check_names(owner: str, name: str, candidate: Candidate, task: str) -> None:
    kind = ESTIMATORS[task]
    allowed = [each for each in kind().get_params() if each not in RESERVED]
    for parameter in candidate.parameters:
        if parameter in RESERVED:
            raise ValueError(
                f"The 'portfolio' parameter of {owner} must not hold {parameter!r}, which {owner} "
                f"itself decides. Got it in candidate {name!r}. Leave it out."
            )
        if parameter not in allowed:
            raise ValueError(
                f"The 'portfolio' parameter of {owner} must hold parameters of {kind.__name__}. "
                f"Got {parameter!r} in candidate {name!r} instead." + _suggest(parameter, allowed)
            )


def _check_values(owner: str, name: str, candidate: Candidate, task: str) -> None:
    try:
        ESTIMATORS[task](**candidate.parameters).check_parameters()
    except ValueError as error:
        raise ValueError(f"Candidate {name!r} in the portfolio of {owner}: {error}") from error


def _suggest(word: Any, known: list[str]) -> str:
    near = get_close_matches(str(word), known, n=3)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
