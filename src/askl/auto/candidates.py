"""The starts an automatic fit tries: spectral densities, depths and input scalings that differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from askl.preprocessing.input_scaling import count_copies
from askl.spectral import natural_scale

# Passes over this many rows are enough for any start. Small data are passed over MOST_EPOCHS times:
# fewer times where an exact head makes up for frequencies that learned for less long.
ROWS_SEEN = 600_000
MOST_EPOCHS = 30
MOST_EPOCHS_TO_EXACT_HEAD = 20
LEAST_EPOCHS = 10


class Candidate(NamedTuple):
    """One way to begin.

    Attributes
    ----------
    parameters : mapping
        Of the estimator, where they are not its defaults. One loss for all: held-out log losses
        of members that learn to be sure and of those that do not cannot be compared.
    relative_scale : float
        The frequency scale in units of the density's natural one.
    follows : str
        The start it is a variant of: tried only where that one is among the better half.
    task : str
        The one it is for, "classification" or "regression"; both by default.
    """

    parameters: Mapping[str, Any]
    relative_scale: float = 1.0
    follows: str = ""
    task: str = ""

    def settings(self, n_features: int, n_samples: int, task: str) -> dict[str, Any]:
        """Return the estimator's parameters for data of some shape."""
        parameters = dict(self.parameters)
        if task == "classification":
            parameters.pop("refit_head", None)
        if self.relative_scale != 1.0:
            copies = count_copies(parameters.get("scale_inputs", "robust"))
            natural = natural_scale(parameters.get("density", "sparse"), n_features * copies)
            parameters["frequency_scale"] = self.relative_scale * natural
        is_solved = task == "regression" and parameters.get("refit_head", True)
        most = MOST_EPOCHS_TO_EXACT_HEAD if is_solved else MOST_EPOCHS
        epochs = min(most, max(LEAST_EPOCHS, ROWS_SEEN // n_samples))
        # Small data get enough steps, large data large matrices.
        batch_size = max(32, min(128, n_samples // 16), min(256, n_samples // 64))
        return {"max_epochs": epochs, "batch_size": batch_size, **parameters}


# Of a start, with the symmetries that were found in the table.
SYMMETRIC = ", symmetric"

_SMOOTH = {"n_components": 500, "n_branches": 1}
_DENSE = {"density": "gaussian", "scale_inputs": "standard", "n_components": 500}
# Where many columns say little, a kernel of all of them alike is better of those that say much. To
# weigh some more is to go further beyond what was seen: on one layer, of inputs that are bounded.
_WEIGHED = {**_DENSE, "weigh_inputs": True}
# Where columns say nearly the same, what matters may be how they differ.
_DECORRELATED = {"decorrelate_inputs": True}
# A stack is non-stationary in its inputs with one branch too, at two thirds of the cost.
_STACKED = {"hidden_components": (256,), "n_components": 256, "n_branches": 1}
# Many rows can teach more components.
_WIDE = {**_STACKED, "hidden_components": (512,), "n_components": 512}
# What is left when all columns grow together: their proportions.
_DIRECTIONS = {**_STACKED, "scale_inputs": "robust+direction"}
_RANKS_TOO = {**_STACKED, "scale_inputs": "robust+quantile", "dropout": 0.3}
_BINS = {"n_components": 700, "scale_inputs": "bins"}
_STACKED_BINS = {**_STACKED, "scale_inputs": "bins"}
# Descent to the end errs elsewhere than an exact head does, and so the two are good company.
_TO_THE_END = {"refit_head": False}
_DESCENDED = {**_RANKS_TOO, **_TO_THE_END, "n_branches": 2}
_ROUGH = {**_STACKED, "hidden_components": (512,), "density": "pairs", "dropout": 0.2}
_ROUGHEST = {
    **_ROUGH,
    "hidden_components": (768,),
    "n_components": 384,
    "scale_inputs": "standard",
    "dropout": 0.0,
}
# Kinks instead of waves: less able, so harder to mislead, and cheaper. For classes they find little
# that the others do not.
_RECTIFIED = {
    "activation": "relu",
    "n_components": 500,
    "n_branches": 1,
    "scale_inputs": "robust+quantile",
}
_RECTIFIED_STARTS = {
    "": Candidate(_RECTIFIED, 2.0),
    ", weighed": Candidate({**_RECTIFIED, "weigh_inputs": True}, 2.0, follows="rectified"),
    ", descended": Candidate(
        {**_RECTIFIED, **_TO_THE_END, "n_branches": 2}, 2.0, follows="rectified"
    ),
    ", bins": Candidate({**_RECTIFIED, "scale_inputs": "bins"}, 2.0, follows="rectified"),
    ", stacked": Candidate({**_RECTIFIED, **_STACKED}, follows="rectified"),
}

# The first is the safest: where there is no time or there are no rows to choose, it is taken.
PORTFOLIO: dict[str, Candidate] = {
    "sparse": Candidate({"n_components": 700}),
    "sparse, ranks too": Candidate({"n_components": 500, "scale_inputs": "robust+quantile"}),
    "sparse, bins": Candidate(_BINS),
    "sparse, smooth, stationary": Candidate(_SMOOTH, 0.07),
    "dense, smooth": Candidate(_DENSE, 0.5),
    "dense, weighed": Candidate({**_WEIGHED, "scale_inputs": "robust+quantile"}, 0.5),
    "dense, decorrelated": Candidate({**_WEIGHED, **_DECORRELATED}, 0.5),
    "dense": Candidate(_DENSE, follows="dense, smooth"),
    "dense, blurred": Candidate({**_DENSE, "input_noise": 0.6}, 0.5, follows="dense, smooth"),
    "stacked": Candidate(_STACKED),
    "stacked, wide": Candidate(_WIDE, follows="stacked"),
    # Noise on each input changes little of what many say together, as the pixels of an image do.
    "stacked, blurred": Candidate({**_WIDE, "input_noise": 0.5}, task="classification"),
    "stacked, smooth": Candidate(_STACKED, 0.3),
    "stacked, directions": Candidate(_DIRECTIONS, 0.3, task="classification"),
    "stacked, dense, directions": Candidate(
        {**_DENSE, **_DIRECTIONS}, 0.5, follows="stacked, directions", task="classification"
    ),
    "stacked, dense": Candidate({**_DENSE, **_STACKED}, 0.5, follows="dense, smooth"),
    "stacked, dense, weighed": Candidate({**_WEIGHED, **_STACKED}, 0.5, follows="dense, weighed"),
    "stacked, smooth, decorrelated": Candidate(
        {**_STACKED, **_DECORRELATED}, 0.3, follows="dense, decorrelated"
    ),
    "stacked, ranks": Candidate({**_STACKED, "scale_inputs": "quantile", "dropout": 0.2}),
    "stacked, ranks too": Candidate(_RANKS_TOO),
    "stacked, ranks too, weighed": Candidate(
        {**_RANKS_TOO, "weigh_inputs": True}, follows="stacked, ranks too"
    ),
    "stacked, ranks too, descended": Candidate(_DESCENDED, follows="stacked, ranks too"),
    "stacked, bins": Candidate(_STACKED_BINS, follows="sparse, bins"),
    "stacked, bins, descended": Candidate(
        {**_STACKED_BINS, **_TO_THE_END}, follows="sparse, bins", task="regression"
    ),
    "sparse, bins, descended": Candidate(
        {**_BINS, **_TO_THE_END}, follows="sparse, bins", task="regression"
    ),
    "stacked, rough": Candidate({**_ROUGH, "scale_inputs": "standard"}, 8.0),
    "stacked, rough ranks": Candidate(
        {**_ROUGH, "scale_inputs": "quantile"}, 6.0, follows="stacked, rough"
    ),
    "stacked, roughest": Candidate(_ROUGHEST, 24.0, follows="stacked, rough"),
    **{
        f"rectified{name}": start._replace(task="regression")
        for name, start in _RECTIFIED_STARTS.items()
    },
}

# Prices and counts are often better learned on a logarithmic scale.
PORTFOLIO |= {
    f"{name}, log targets": PORTFOLIO[name]._replace(
        parameters={**PORTFOLIO[name].parameters, "scale_targets": "log"},
        follows=name,
        task="regression",
    )
    for name in (
        "sparse",
        "sparse, ranks too",
        "sparse, bins",
        "stacked, smooth",
        "stacked, ranks too",
    )
}


def with_symmetries(portfolio: Mapping[str, Candidate], symmetries: Any) -> dict[str, Candidate]:
    """Add to every start one that sees its rows in all orders that the symmetries allow.

    Examples
    --------
    >>> twin = with_symmetries(PORTFOLIO, [(1, 0)])["stacked, symmetric"]
    >>> twin.follows, twin.parameters["symmetries"]
    ('stacked', [(1, 0)])
    """
    twins = {
        name + SYMMETRIC: start._replace(
            parameters={**start.parameters, "symmetries": symmetries}, follows=name
        )
        for name, start in portfolio.items()
    }
    return {**portfolio, **twins}
