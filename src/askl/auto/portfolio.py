"""The built-in candidates: densities, depths, input scalings and activations that differ.

What each was chosen for was measured on training rows only, with scripts that were not kept; the
numbers are in the comments. :mod:`benchmarks.ablation` measures most ingredients one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scipy.sparse import issparse

from askl.auto.candidates import Candidate, Candidates, as_candidate, make_candidates
from askl.auto.settings import SearchSettings
from askl.preprocessing.input_scaling import count_scaled

_SMOOTH = {"n_components": 500, "n_branches": 1}
_DENSE = {"density": "gaussian", "scale_inputs": "standard", "n_components": 500}
# If many columns matter little, a kernel that weighs all columns the same way is better with
# weighted ones. A weighted input reaches farther beyond the rows seen, so one layer gets bounded
# inputs: on space_ga one row was predicted far outside all targets.
_WEIGHTED = {**_DENSE, "weigh_inputs": True}
# If columns are nearly the same, their differences may matter.
_DECORRELATED = {"decorrelate_inputs": True}
# A stack is non-stationary in its inputs with one branch too, at two thirds of the cost and the
# same error on eight data sets.
_STACKED = {"hidden_components": (256,), "n_components": 256, "n_branches": 1}
# Many rows can teach more components.
_WIDE = {**_STACKED, "hidden_components": (512,), "n_components": 512}
# What is left when all columns grow together: their proportions. 7 % fewer errors on satimage.
_DIRECTIONS = {**_STACKED, "scale_inputs": "robust+direction"}
_WITH_RANKS = {**_STACKED, "scale_inputs": "robust+quantile", "dropout": 0.3}
# Piecewise-linear codes of each column: the steps that trees are strong at. One model: satimage
# 7.2 to 6.4 % wrong, cpusmall 2.94 to 2.85.
_BINS = {"n_components": 700, "scale_inputs": "bins"}
_STACKED_BINS = {**_STACKED, "scale_inputs": "bins"}
# A head that is trained to the end errs elsewhere than a solved one, so their mean is better:
# cpusmall 2.643 to 2.611, cadata 9.37 to 9.29.
_TRAINED_HEAD = {"refit_head": False}
_TWO_BRANCHES = {**_WITH_RANKS, "n_branches": 2}
_ROUGH = {**_STACKED, "hidden_components": (512,), "density": "pairs", "dropout": 0.2}
_ROUGHEST = {
    **_ROUGH,
    "hidden_components": (768,),
    "n_components": 384,
    "scale_inputs": "standard",
    "dropout": 0.0,
}
# Rectified units instead of cosines: less able, so they overfit less, and they are cheaper. For
# classes they found little that the others do not.
_RECTIFIED = {
    "activation": "relu",
    "n_components": 500,
    "n_branches": 1,
    "scale_inputs": "robust+quantile",
}


def _rectified(parameters: dict[str, Any], scale: float, parent: str = "rectified") -> Candidate:
    return Candidate({**_RECTIFIED, **parameters}, scale, parent, "regression")


# The first is the safest: where there is no time or there are no rows to choose, it is taken.
PORTFOLIO: dict[str, Candidate] = {
    "sparse": Candidate({"n_components": 700}),
    "sparse, with ranks": Candidate({"n_components": 500, "scale_inputs": "robust+quantile"}),
    "sparse, bins": Candidate(_BINS),
    "sparse, smooth, stationary": Candidate(_SMOOTH, 0.07),
    "dense, smooth": Candidate(_DENSE, 0.5),
    "dense, weighted": Candidate({**_WEIGHTED, "scale_inputs": "robust+quantile"}, 0.5),
    "dense, decorrelated": Candidate({**_WEIGHTED, **_DECORRELATED}, 0.5),
    "dense": Candidate(_DENSE, parent="dense, smooth"),
    # On held-out training rows of usps the ensemble's error fell from 2.36 to 2.06 %.
    "dense, noisy inputs": Candidate({**_DENSE, "input_noise": 0.6}, 0.5, parent="dense, smooth"),
    "stacked": Candidate(_STACKED),
    "stacked, wide": Candidate(_WIDE, parent="stacked"),
    # Noise on each input changes little of what many say together, as the pixels of an image do.
    "stacked, noisy inputs": Candidate({**_WIDE, "input_noise": 0.5}, task="classification"),
    "stacked, smooth": Candidate(_STACKED, 0.3),
    "stacked, directions": Candidate(_DIRECTIONS, 0.3, task="classification"),
    "stacked, dense, directions": Candidate(
        {**_DENSE, **_DIRECTIONS}, 0.5, parent="stacked, directions", task="classification"
    ),
    "stacked, dense": Candidate({**_DENSE, **_STACKED}, 0.5, parent="dense, smooth"),
    "stacked, dense, weighted": Candidate({**_WEIGHTED, **_STACKED}, 0.5, parent="dense, weighted"),
    "stacked, smooth, decorrelated": Candidate(
        {**_STACKED, **_DECORRELATED}, 0.3, parent="dense, decorrelated"
    ),
    "stacked, ranks": Candidate({**_STACKED, "scale_inputs": "quantile", "dropout": 0.2}),
    "stacked, with ranks": Candidate(_WITH_RANKS),
    "stacked, with ranks, weighted": Candidate(
        {**_WITH_RANKS, "weigh_inputs": True}, parent="stacked, with ranks"
    ),
    "stacked, with ranks, two branches": Candidate(
        _TWO_BRANCHES, parent="stacked, with ranks", task="classification"
    ),
    "stacked, with ranks, trained head": Candidate(
        {**_TWO_BRANCHES, **_TRAINED_HEAD}, parent="stacked, with ranks", task="regression"
    ),
    "stacked, bins": Candidate(_STACKED_BINS, parent="sparse, bins"),
    "stacked, bins, trained head": Candidate(
        {**_STACKED_BINS, **_TRAINED_HEAD}, parent="sparse, bins", task="regression"
    ),
    "sparse, bins, trained head": Candidate(
        {**_BINS, **_TRAINED_HEAD}, parent="sparse, bins", task="regression"
    ),
    "stacked, rough": Candidate({**_ROUGH, "scale_inputs": "standard"}, 8.0),
    "stacked, rough ranks": Candidate(
        {**_ROUGH, "scale_inputs": "quantile"}, 6.0, parent="stacked, rough"
    ),
    "stacked, roughest": Candidate(_ROUGHEST, 24.0, parent="stacked, rough"),
    "rectified": _rectified({}, 2.0, parent=""),
    "rectified, weighted": _rectified({"weigh_inputs": True}, 2.0),
    "rectified, trained head": _rectified({**_TRAINED_HEAD, "n_branches": 2}, 2.0),
    "rectified, bins": _rectified({"scale_inputs": "bins"}, 2.0),
    "rectified, stacked": _rectified(_STACKED, 1.0),
}

# Prices and counts are often better learned on a logarithmic scale. One model, in units of the
# deviation: college applications 0.322 to 0.272, bicycles 0.378 to 0.349; worse without a tail.
PORTFOLIO |= {
    f"{name}, log targets": PORTFOLIO[name]._replace(
        parameters={**PORTFOLIO[name].parameters, "scale_targets": "log"},
        parent=name,
        task="regression",
    )
    for name in (
        "sparse",
        "sparse, with ranks",
        "sparse, bins",
        "stacked, smooth",
        "stacked, with ranks",
    )
}


def choose_candidates(
    portfolio: Mapping[str, Candidate | Mapping[str, Any]] | None,
    X: Any,
    *,
    task: str,
    settings: SearchSettings,
    symmetries: Sequence[Any],
    fixed: Mapping[str, Any],
) -> Candidates:
    """Return the candidates of a portfolio, or of the built-in one, for some data.

    Parameters
    ----------
    portfolio : mapping of str to Candidate or to its parameters, or None
        None: the built-in one.
    X : array or sparse matrix of shape (n_samples, n_features)
    task : {"classification", "regression"}
    settings : SearchSettings
    symmetries : sequence of tuple of int
    fixed : mapping
        Parameters of every model, unless its candidate has others.
    """
    if portfolio is None:
        chosen = choose_portfolio(X, task, settings)
    else:
        chosen = {name: as_candidate(given) for name, given in portfolio.items()}
    n_samples, n_features = X.shape
    return make_candidates(
        chosen,
        n_features=n_features,
        n_samples=n_samples,
        task=task,
        settings=settings,
        symmetries=symmetries,
        fixed=fixed,
    )


def choose_portfolio(X: Any, task: str, settings: SearchSettings) -> dict[str, Candidate]:
    """Return the built-in candidates for a task, without those that the inputs do not suit."""
    # Ranks and bins make a sparse column dense.
    unfit = {"quantile", "robust+quantile"} if issparse(X) else set()
    most = settings.most_bins
    if issparse(X) or X.shape[1] > most or count_scaled(X, "bins") > most:
        unfit.add("bins")
    is_wide = X.shape[1] > settings.most_columns_to_decorrelate
    return {
        name: candidate
        for name, candidate in PORTFOLIO.items()
        if candidate.task in ("", task)
        and candidate.parameters.get("scale_inputs") not in unfit
        and not (is_wide and candidate.parameters.get("decorrelate_inputs"))
    }
