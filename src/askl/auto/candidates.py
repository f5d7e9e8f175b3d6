"""Candidates: the parameters that an automatic fit may try, and the forms each is tried in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from askl.auto.settings import SearchSettings
from askl.preprocessing.input_scaling import count_copies
from askl.spectral import natural_scale


class CandidateKey(NamedTuple):
    """A candidate in one of its forms.

    Attributes
    ----------
    name : str
        That in the portfolio.
    short : bool
        Trained for a share of the epochs only.
    symmetric : bool
        Trained with the symmetries that were found in the table.

    Examples
    --------
    >>> print(CandidateKey("dense"), CandidateKey("dense", short=True, symmetric=True), sep="; ")
    dense; dense (symmetric, short)
    """

    name: str
    short: bool = False
    symmetric: bool = False

    def __str__(self) -> str:
        forms = [form for form in ("symmetric", "short") if getattr(self, form)]
        return f"{self.name} ({', '.join(forms)})" if forms else self.name

    @property
    def full(self) -> CandidateKey:
        """The form that is trained for all epochs."""
        return self._replace(short=False)

    @property
    def shortened(self) -> CandidateKey:
        """The form that is trained for a share of the epochs."""
        return self._replace(short=True)


class Candidate(NamedTuple):
    """Parameters of a model to try.

    Attributes
    ----------
    parameters : mapping
        Of the estimator, where they are not its defaults. All built-in candidates have one loss:
        held-out log losses of models that learn to be certain and of others cannot be compared.
    relative_scale : float
        The frequency scale in units of the density's natural one.
    parent : str
        The candidate it is a variant of: tried only where that one is among the better half.
    task : str
        The one it is for, "classification" or "regression"; both by default.
    """

    parameters: Mapping[str, Any]
    relative_scale: float = 1.0
    parent: str = ""
    task: str = ""

    def for_data(
        self, n_features: int, n_samples: int, task: str, settings: SearchSettings
    ) -> dict[str, Any]:
        """Return the estimator's parameters for data of some shape."""
        parameters = dict(self.parameters)
        if self.relative_scale != 1.0:
            copies = count_copies(parameters.get("scale_inputs", "robust"))
            natural = natural_scale(parameters.get("density", "sparse"), n_features * copies)
            parameters["frequency_scale"] = self.relative_scale * natural
        solves_head = task == "regression" and parameters.get("refit_head", True)
        return {
            "max_epochs": _choose_epochs(n_samples, solves_head, settings),
            "batch_size": _choose_batch_size(n_samples, settings),
            **parameters,
        }


def as_candidate(given: Candidate | Mapping[str, Any]) -> Candidate:
    """Return a candidate, made of plain parameters where that is what was given."""
    return given if isinstance(given, Candidate) else Candidate(given)


def _choose_epochs(n_samples: int, solves_head: bool, settings: SearchSettings) -> int:
    most = settings.most_epochs_of_solved_head if solves_head else settings.most_epochs
    return min(most, max(settings.least_epochs, settings.rows_seen // n_samples))


def _choose_batch_size(n_samples: int, settings: SearchSettings) -> int:
    small = n_samples // settings.least_steps_of_small_batches
    large = n_samples // settings.least_steps_of_large_batches
    return max(
        settings.least_batch_size,
        min(settings.small_batch_size, small),
        min(settings.large_batch_size, large),
    )


def shorten(parameters: Mapping[str, Any], share: float) -> dict[str, Any]:
    """Return the parameters with a share of the epochs.

    Examples
    --------
    >>> shorten({"max_epochs": 30, "density": "sparse"}, 0.25)
    {'max_epochs': 8, 'density': 'sparse'}
    """
    return {**parameters, "max_epochs": max(1, round(share * parameters["max_epochs"]))}


class Candidates(NamedTuple):
    """The candidates of one fit.

    Attributes
    ----------
    parameters : dict of CandidateKey to dict
        Those of the estimator, for every form: full and short, and symmetric where the table
        has symmetries.
    parents : dict of str to str
        The parent of each name; empty for a candidate that is no variant.
    """

    parameters: dict[CandidateKey, dict[str, Any]]
    parents: dict[str, str]


def make_candidates(
    portfolio: Mapping[str, Candidate],
    *,
    n_features: int,
    n_samples: int,
    task: str,
    settings: SearchSettings,
    symmetries: Sequence[Any] = (),
    fixed: Mapping[str, Any] | None = None,
) -> Candidates:
    """Return every candidate in all its forms, with the parameters for data of some shape.

    Parameters
    ----------
    portfolio : mapping of str to Candidate
    n_features, n_samples : int
    task : {"classification", "regression"}
    settings : SearchSettings
    symmetries : sequence of tuple of int
        Orders of the columns that :func:`find_symmetries` found.
    fixed : mapping, optional
        Parameters of every model, unless its candidate has others.

    Examples
    --------
    >>> portfolio = {"one": Candidate({}), "other": Candidate({}, parent="one")}
    >>> shape = {"n_features": 2, "n_samples": 100, "task": "regression"}
    >>> made = make_candidates(portfolio, **shape, settings=SearchSettings(), symmetries=[(1, 0)])
    >>> [str(key) for key in made.parameters][:3]
    ['one', 'one (short)', 'other']
    >>> made.parameters[CandidateKey("other", symmetric=True)]["symmetries"], made.parents["other"]
    ([(1, 0)], 'one')
    """
    parameters: dict[CandidateKey, dict[str, Any]] = {}
    for symmetric in (False, True) if symmetries else (False,):
        extra = {"symmetries": symmetries} if symmetric else {}
        for name, candidate in portfolio.items():
            own = candidate.for_data(n_features, n_samples, task, settings)
            key = CandidateKey(name, symmetric=symmetric)
            parameters[key] = {**(fixed or {}), **own, **extra}
            parameters[key.shortened] = shorten(parameters[key], settings.short_share)
    parents = {name: candidate.parent for name, candidate in portfolio.items()}
    return Candidates(parameters, parents)
