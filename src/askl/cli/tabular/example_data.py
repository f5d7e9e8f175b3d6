"""Data sets to try things on: embedded in scikit-learn, or from OpenML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn import datasets

from askl.cli.files import require
from askl.errors import AsklError

EMBEDDED: dict[str, Callable[..., Any]] = {
    "digits": datasets.load_digits,
    "breast_cancer": datasets.load_breast_cancer,
    "wine": datasets.load_wine,
    "iris": datasets.load_iris,
    "diabetes": datasets.load_diabetes,
}


def load_embedded(name: str) -> Callable[..., Any]:
    """Return the loader of an embedded data set, or raise and list those that there are."""
    if name not in EMBEDDED:
        raise AsklError(f"There is no data set {name!r}. Choose one of {', '.join(EMBEDDED)}.")
    return EMBEDDED[name]


def load_frame(name: str) -> Any:
    """Load a data set as a pandas table, its target as the last column, ``target``."""
    require("pandas", "arrow")
    if not name.startswith("openml:"):
        return load_embedded(name)(as_frame=True).frame
    number = name.removeprefix("openml:")
    if not number.isdigit():
        raise AsklError(f"An OpenML data set is named by its number, openml:61. Got {name!r}.")
    try:
        bunch = datasets.fetch_openml(data_id=int(number), as_frame=True, parser="auto")
    except (OSError, ValueError) as error:
        raise AsklError(
            f"The data set {name} could not be fetched: {error}. "
            "Check the number and the network. Data sets fetched before are kept on disk."
        ) from error
    frame = bunch.data.copy()
    frame["target"] = bunch.target
    return frame


def same_rows(found: Any, expected: Any) -> bool:
    """Compare two pandas tables by value; texts and categories are the same."""
    if len(found) != len(expected):
        return False
    for name in expected.columns:
        left, right = found[name], expected[name].reset_index(drop=True)
        numeric = left.dtype.kind in "iufb" and right.dtype.kind in "iufb"
        if not numeric:
            left, right = left.astype(str), right.astype(str)
        same = (left.to_numpy() == right.to_numpy()) | (left.isna() & right.isna()).to_numpy()
        if not same.all():
            return False
    return True
