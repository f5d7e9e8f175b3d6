"""More than one call of ``fit``: warm starts, chunks, streams, checkpoints, files, encoders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from askl import (
    NeighbourEncoder,
    SpectralFeatures,
    SpreadEncoder,
    TableEncoder,
    find_symmetries,
    load,
    make_table_pipeline,
    save,
)
from tests.same_bits import data
from tests.same_bits.plain import (
    COMMON,
    KNOWN_STRENGTH,
    Outputs,
    classifier,
    regressor,
    see_classes,
    see_numbers,
)


class Stopped(Exception):
    """Stands for the end of the process."""


def stop(progress: Any, estimator: Any) -> None:
    if progress.iteration >= 20:
        raise Stopped


def fit_warm() -> Outputs:
    X, y, new = data.wine()
    model = classifier(warm_start=True, max_epochs=2)
    return see_classes(model.fit(X, y).fit(X[:100], y[:100]), new)


def fit_classes_in_parts() -> Outputs:
    X, y, new = data.iris()
    model = classifier()
    for rows in np.array_split(np.arange(len(y)), 3):
        model.partial_fit(X[rows], y[rows], classes=np.unique(y))
    return see_classes(model, new)


def fit_numbers_in_parts() -> Outputs:
    X, y, new = data.diabetes()
    model = regressor()
    for rows in np.array_split(np.arange(len(y)), 3):
        model.partial_fit(X[rows], y[rows])
    return see_numbers(model, new, has_std=False)


def fit_stream_of_chunks() -> Outputs:
    X, y, new = data.breast_cancer()

    def chunks() -> Iterator[tuple[Any, Any]]:
        for rows in np.array_split(np.arange(len(y)), 4):
            yield X[rows], y[rows]

    return see_classes(classifier().fit_stream(chunks), new)


def fit_stream_of_parquet() -> Outputs:
    X, y, new = data.diabetes()
    names = [f"x{number}" for number in range(X.shape[1])]
    table = pa.Table.from_pandas(pd.DataFrame(X, columns=names).assign(y=y))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        pq.write_table(table, path, row_group_size=100)
        model = regressor().fit_stream(path, target="y")
    return see_numbers(model, pd.DataFrame(new, columns=names))


def fit_resumed() -> Outputs:
    """Stop a fit between two writes of its checkpoint, and continue from the file."""
    X, y, new = data.diabetes()
    with TemporaryDirectory() as folder:
        options = {"checkpoint": Path(folder) / "state", "checkpoint_every": 3, "record_every": 1}
        try:
            regressor(**options, callback=stop).fit(X, y)
        except Stopped:
            return see_numbers(regressor(**options).fit(X, y), new)
    raise RuntimeError("The fit was not stopped.")


def fit_saved() -> Outputs:
    X, y, new = data.iris()
    with TemporaryDirectory() as folder:
        path = save(classifier(hidden_components=(16,)).fit(X, y), Path(folder) / "model.askl")
        model = load(path)
    return {**see_classes(model, new), "kernel": model.kernel(new, X[:5])}


def fit_features() -> Outputs:
    """Learn features from classes and from numbers, and draw others from the inputs alone."""
    X, y, new = data.iris()
    learned = SpectralFeatures(**COMMON, loss="smoothed_log").fit(X, y)
    drawn = SpectralFeatures(**{**COMMON, "method": "nsk"}).fit(X)
    outputs = {"transform": learned.transform(new), "kernel": learned.kernel(new)}
    outputs["transform, drawn"] = drawn.transform(new)
    X, y, new = data.diabetes()
    learned = SpectralFeatures(**COMMON, loss="squared").fit(X, y)
    return {**outputs, "transform, numbers": learned.transform(new)}


def fit_table() -> Outputs:
    X, y, new = data.table()
    encoder = TableEncoder(one_hot_limit=10, random_state=0)
    encoded = {"fit_transform": encoder.fit_transform(X, y), "transform": encoder.transform(new)}
    model = make_table_pipeline(regressor(), one_hot_limit=10, random_state=0)
    return {**see_numbers(model.fit(X, y), new), **encoded}


def fit_table_of_classes() -> Outputs:
    X, y, new = data.table_classes()
    model = make_table_pipeline(classifier(), one_hot_limit=40, random_state=0)
    return see_classes(model.fit(X, y), new)


def fit_neighbours() -> Outputs:
    X, y, new = data.places()
    encoder = NeighbourEncoder(n_neighbours=10, max_groups=3, least_agreement=0.05, random_state=0)
    extended = encoder.fit_transform(X, y)
    if extended.shape[1] == X.shape[1]:
        raise RuntimeError("No columns were found to be a place.")
    model = regressor().fit(extended, y)
    return {**see_numbers(model, encoder.transform(new)), "fit_transform": extended}


def fit_spreads() -> Outputs:
    X, y, new = data.sensors()
    encoder = SpreadEncoder(least_columns=3, least_gain=0.02, random_state=0).fit(X, y)
    extended = encoder.transform(X)
    if extended.shape[1] == X.shape[1]:
        raise RuntimeError("No similarly distributed columns were found.")
    model = classifier().fit(extended, y)
    return {**see_classes(model, encoder.transform(new)), "transform": extended}


def fit_found_symmetries() -> Outputs:
    X, y, new = data.exchangeable()
    found = find_symmetries(X, y, task="regression")
    if not found:
        raise RuntimeError("No columns were found to be exchangeable.")
    model = regressor(**KNOWN_STRENGTH, symmetries=found).fit(X, y)
    return {**see_numbers(model, new), "find_symmetries": np.array(found)}


STAGES: dict[str, Callable[[], Outputs]] = {
    "warm start": fit_warm,
    "partial fit of classes": fit_classes_in_parts,
    "partial fit of numbers": fit_numbers_in_parts,
    "stream of chunks": fit_stream_of_chunks,
    "stream of a Parquet file": fit_stream_of_parquet,
    "resumed from a checkpoint": fit_resumed,
    "saved and loaded": fit_saved,
    "features": fit_features,
    "table of strings, dates and gaps": fit_table,
    "table, classes": fit_table_of_classes,
    "neighbours": fit_neighbours,
    "spreads": fit_spreads,
    "symmetries that were found": fit_found_symmetries,
}
