"""The data sets: read from a folder or the user's cache, or downloaded; always verified."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import sklearn.datasets
from numpy.typing import NDArray
from sklearn.datasets import fetch_openml

from askl.persistence import replacing
from reproduction.files import read_toml

Array = NDArray[Any]
HERE = Path(__file__).parent


class DatasetError(Exception):
    """A data set could not be found, or differs from its description."""


class Row(NamedTuple):
    """What is known of a data set: one table of ``datasets.toml``, whose comments explain it."""

    name: str
    task: Literal["classification", "regression"]
    n_samples: int
    n_features: int
    source: Mapping[str, Any]
    checksum: str
    class_counts: tuple[int, ...] = ()
    target_range: tuple[float, float] | None = None
    extra_unit: Mapping[str, Any] | None = None
    curves: bool = False
    in_paper: bool = True

    @property
    def units(self) -> tuple[str, ...]:
        """Metrics of a trial on this data set; the first one is used for ranks."""
        if self.task == "classification":
            return ("accuracy_percent",)
        extra = (self.extra_unit["name"],) if self.extra_unit else ()
        return ("rmse_0_to_100", *extra)

    @property
    def work(self) -> int:
        """Return the cost of an epoch up to a constant: a row costs as much as 110 columns."""
        return self.n_samples * (self.n_features + 110)


class Dataset(NamedTuple):
    """Inputs and targets; classes are coded 0 to K - 1."""

    row: Row
    X: Array
    y: Array
    checksum: str


@lru_cache
def rows() -> dict[str, Row]:
    """Read the table of data sets, in the paper's order."""
    return {
        name: Row(name, **{key: _frozen(value) for key, value in entry.items()})
        for name, entry in read_toml(HERE / "datasets.toml").items()
    }


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def find_row(name: str) -> Row:
    """Return a data set's row, or list the names there are."""
    if name not in rows():
        raise DatasetError(f"There is no data set {name!r}. Choose from: {', '.join(rows())}.")
    return rows()[name]


def folders(data: str | Path | None) -> list[Path]:
    """List where to look, in order: the folder named by flag or ``ASKL_DATA``, then the cache."""
    named = data or os.environ.get("ASKL_DATA")
    return [*([Path(named).expanduser()] if named else []), cache_folder()]


def cache_folder() -> Path:
    """Return the user's own folder for downloaded data."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "askl"


@lru_cache(maxsize=1)
def load(name: str, data: str | None = None) -> Dataset:
    """Load a data set and verify it; download it if no folder has it.

    Parameters
    ----------
    name : str
        A key of :func:`rows`.
    data : str, optional
        Folder with ``<name>.npz``; the environment variable ``ASKL_DATA`` by default.
    """
    return read(find_row(name), data)


def read(row: Row, data: str | None, fetch: Callable[..., Any] = fetch_openml) -> Dataset:
    """Read and verify the data set of a row; ``fetch`` downloads it if no folder has it."""
    for folder in folders(data):
        path = folder / f"{row.name}.npz"
        if path.exists():
            with np.load(path, allow_pickle=False) as arrays:
                return _checked(row, arrays["X"], arrays["y"], str(path))
    if "bundled" in row.source:
        X, y = getattr(sklearn.datasets, row.source["bundled"])(return_X_y=True)
        return _checked(row, X.astype(np.float32), y, "scikit-learn")
    X, y = _download(row, data, fetch)
    dataset = _checked(row, X, y, f"OpenML data set {row.source['openml']}")
    cache_folder().mkdir(parents=True, exist_ok=True)
    with replacing(cache_folder() / f"{row.name}.npz") as temporary:
        np.savez_compressed(temporary, X=X, y=y)
    return dataset


def load_all(names: Iterable[str], data: str | None) -> None:
    """Load data sets one after the other: a missing one is noticed before hours of work."""
    for name in dict.fromkeys(names):
        load(name, data)


def _download(row: Row, data: str | None, fetch: Callable[..., Any]) -> tuple[Array, Array]:
    try:
        bunch = fetch(data_id=row.source["openml"], as_frame=True, parser="auto")
    except Exception as error:  # a network can fail in many ways
        looked = ", ".join(str(folder) for folder in folders(data))
        raise DatasetError(
            f"{row.name}.npz is in none of the folders looked in ({looked}), and downloading "
            f"OpenML data set {row.source['openml']} failed: {error}. Name the folder that holds "
            "it with --data or the environment variable ASKL_DATA, or connect to the network."
        ) from error
    n_rows = row.source.get("first_rows")
    return canonicalize(row, bunch.data.iloc[:n_rows], bunch.target.iloc[:n_rows])


def canonicalize(row: Row, frame: Any, target: Any) -> tuple[Array, Array]:
    """Turn a downloaded frame into the arrays of an npz file: named categories become 1, 2, ..."""
    frame = frame.copy()
    for column, names in row.source.get("categories", {}).items():
        frame[column] = [names.index(str(value)) + 1 for value in frame[column]]
    X = frame.to_numpy(dtype=np.float32)
    labels = np.asarray(target)
    y: Array
    try:
        y = labels.astype(np.float64)
    except ValueError:
        y = np.unique(labels.astype(str), return_inverse=True)[1]
    if row.task == "classification":
        y = y.astype(np.int64)
    # Pixels stay bytes: eight times smaller, and the same checksum as the original files.
    return (X.astype(np.uint8) if row.source.get("bytes") else X), y


def _checked(row: Row, X: Array, y: Array, origin: str) -> Dataset:
    """Code the classes, and compare shape, class counts and target range with the row."""
    if row.task == "classification":
        y = np.unique(y, return_inverse=True)[1]
        facts = {"class_counts": tuple(np.bincount(y).tolist())}
    else:
        y = y.astype(np.float64)
        facts = {"target_range": (float(y.min()), float(y.max()))}
    facts |= {"n_samples": X.shape[0], "n_features": X.shape[1]}
    for fact, found in facts.items():
        expected = getattr(row, fact)
        if not np.shape(found) == np.shape(expected) or not np.allclose(found, expected, rtol=1e-6):
            raise DatasetError(
                f"{row.name} from {origin} is another data set: {fact} must be {expected}. "
                f"Got {found} instead. Remove it, or name another folder with --data."
            )
    return Dataset(row, X, y, checksum(X, y))


def checksum(X: Array, y: Array) -> str:
    """Compute a digest of inputs and coded targets in their order, on which splits depend."""
    digest = hashlib.sha256(np.ascontiguousarray(X).data)
    digest.update(np.ascontiguousarray(y).data)
    return digest.hexdigest()[:16]
