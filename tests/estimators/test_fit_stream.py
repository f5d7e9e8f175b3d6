"""Fits to more rows than memory holds, on few enough to check."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from pyarrow import dataset, parquet
from sklearn.base import clone

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.estimators.build import Plan, open_context
from askl.estimators.fit import fit_model
from askl.estimators.regressor import negative_squared_error
from askl.estimators.training_data import StreamData
from askl.persistence.checkpoint import read_checkpoint
from askl.streaming.rows import Stream
from askl.streaming.sources import open_source
from askl.streaming.statistics import collect_statistics
from tests.streaming.tables import N_ROWS, as_table, make_rows, write_files

SMALL = {"n_components": 30, "max_epochs": 6, "random_state": 0}


@pytest.fixture
def folder(tmp_path):
    return write_files(tmp_path)


def forms(folder):
    """The same rows in every form; each is one partition, so that their order is the same."""
    X, y = make_rows()
    y = y > 0
    table = as_table(X, y)
    parquet.write_table(table, folder / "one.parquet")
    with (
        pa.OSFile(str(folder / "one.arrow"), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
    return {
        "parquet": (folder / "one.parquet", "y"),
        "arrow": (str(folder / "one.arrow"), "y"),
        "dataset": (dataset.dataset(folder / "one.parquet"), "y"),
        "pairs": (lambda: ((X[part], y[part]) for part in np.array_split(range(N_ROWS), 4)), None),
        "batches": (lambda: iter(table.to_batches(max_chunksize=100)), "y"),
        "pandas": (lambda: iter([table.to_pandas()]), "y"),
        "polars": (lambda: iter([pl.from_arrow(table)]), "y"),
    }


def test_every_form_of_source_gives_the_same_model(tmp_path):
    models = {
        name: SpectralKernelClassifier(**SMALL).fit_stream(source, target)
        for name, (source, target) in forms(tmp_path).items()
    }
    for name, model in models.items():
        np.testing.assert_array_equal(model.weights_, models["pairs"].weights_, err_msg=name)
        assert hasattr(model, "feature_names_in_") == (name != "pairs")
    X, y = make_rows()
    named = pd.DataFrame(X, columns=["a", "b", "c"])
    assert models["parquet"].score(named, y > 0) > 0.75
    assert list(models["parquet"].feature_names_in_) == ["a", "b", "c"]


def test_classes_of_any_type_and_their_weights(tmp_path):
    X, values = make_rows()
    y = np.where(values > 0.5, "high", "low")
    parquet.write_table(as_table(X, y), tmp_path / "t.parquet", row_group_size=100)
    plain = SpectralKernelClassifier(**SMALL).fit_stream(tmp_path, "y")
    assert plain.classes_.tolist() == ["high", "low"]
    assert plain.score(pd.DataFrame(X, columns=list("abc")), y) > 0.8
    models = [
        SpectralKernelClassifier(**SMALL, class_weight=weight).fit_stream(
            tmp_path / "t.parquet", "y"
        )
        for weight in (
            "balanced",
            {"high": 5 * (y == "low").mean(), "low": 5 * (y == "high").mean()},
        )
    ]
    np.testing.assert_allclose(models[0].weights_, models[1].weights_, rtol=1e-4, atol=1e-5)
    X = pd.DataFrame(X, columns=list("abc"))
    assert (models[0].predict(X) == "high").mean() > (plain.predict(X) == "high").mean()


def test_the_exact_head_is_that_of_all_rows(folder):
    X, y = make_rows()
    settings = {**SMALL, "method": "nsk", "head_penalty": 1e-3, "scale_inputs": "standard"}
    streamed = SpectralKernelRegressor(**settings).fit_stream(folder, "y")
    whole = SpectralKernelRegressor(**settings).fit(X, y)
    np.testing.assert_allclose(streamed.frequencies_, whole.frequencies_)
    mean = streamed.predict(pd.DataFrame(X, columns=list("abc")))
    np.testing.assert_allclose(mean, whole.predict(X), atol=1e-3)
    assert streamed.head_strength_ == whole.head_strength_
    _, deviation = streamed.predict(pd.DataFrame(X[:5], columns=list("abc")), return_std=True)
    assert (deviation > 0).all()


def test_several_targets(tmp_path):
    X, y = make_rows()
    table = as_table(X, y).append_column("z", pa.array(X[:, 0] + X[:, 2]))
    parquet.write_table(table, tmp_path / "t.parquet")
    model = SpectralKernelRegressor(**SMALL).fit_stream(tmp_path, ["y", "z"])
    assert (
        model.score(pd.DataFrame(X, columns=list("abc")), np.stack([y, X[:, 0] + X[:, 2]], 1)) > 0.9
    )


def crash(progress, current):
    if progress.iteration == 20:
        raise InterruptedError


@pytest.mark.parametrize("solves_head", [False, True])
def test_a_fit_continues_in_the_middle_of_an_epoch(solves_head, folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("checkpoint") / "state"
    model = SpectralKernelRegressor(
        **SMALL, batch_size=32, record_every=1, early_stopping=True, checkpoint_every=3
    )

    def fit(checkpoint=None, callback=None):
        parameters = clone(model).set_params(checkpoint=checkpoint)
        method = parameters.resolve_method()
        plan = Plan(parameters, method, "squared", solves_head, 1, negative_squared_error)
        context, partitions = open_context(parameters), open_source(folder, "y")
        statistics = collect_statistics(partitions, context.seed, lambda y: None)
        stream = Stream(partitions, statistics, context.seed)
        data = StreamData(stream, lambda y: y.astype(np.float32)[:, None], buffer_rows=64)
        return fit_model(plan, data, context, callback=callback)

    expected = fit()
    with pytest.raises(InterruptedError):
        fit(path, crash)
    assert read_checkpoint(path)[0]["numbers"]["iterations"] == 18
    resumed = fit(path)
    for found, wanted in zip(
        *(each.fitted.model.tensors().values() for each in (resumed, expected)), strict=True
    ):
        assert torch.equal(found, wanted)
    assert [r[:-1] for r in resumed.training.history] == [r[:-1] for r in expected.training.history]
    assert not [t for t in threading.enumerate() if t.name == "askl-prefetch"]


def test_a_warm_start_keeps_its_scaling(folder):
    model = SpectralKernelRegressor(**SMALL, warm_start=True).fit_stream(folder, "y")
    scaling, first = model.scaling_, model.frequencies_
    model.fit_stream(folder, "y")
    assert model.scaling_ is scaling
    assert not np.array_equal(model.frequencies_, first)
    X, y = make_rows()
    model.fit_stream(lambda: iter([(X, y)]))
    assert not hasattr(model, "feature_names_in_")


def test_labels_must_be_labels():
    X, y = make_rows()
    with pytest.raises(ValueError, match="Unknown label type"):
        SpectralKernelClassifier(**SMALL).fit_stream(lambda: iter([(X, y)]))
    with pytest.raises(ValueError, match="one class only"):
        SpectralKernelClassifier(**SMALL).fit_stream(lambda: iter([(X, np.zeros(N_ROWS, int))]))


def test_targets_must_be_finite():
    X, y = make_rows()
    y[3] = np.nan
    with pytest.raises(ValueError, match="y contains NaN"):
        SpectralKernelRegressor(**SMALL).fit_stream(lambda: iter([(X, y)]))
