"""Fits to more rows than memory holds, on few enough to check."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.errors import TableError
from askl.persistence.checkpoint import read_checkpoint
from askl.preprocessing.input_scaling import fit_scaling
from askl.streaming.prefetch import prefetch
from askl.streaming.rows import Encoding, Stream, StreamRows
from askl.streaming.sources import open_source
from askl.streaming.statistics import Sample, collect_statistics, row_keys

pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")

SMALL = {"n_components": 30, "max_epochs": 6, "random_state": 0}
N_ROWS = 500


def make_rows(n_rows=N_ROWS):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    return X, np.sin(2.0 * X[:, 0]) * X[:, 1]


def as_table(X, y):
    columns = {name: X[:, i] for i, name in enumerate("abc")}
    return pa.table({"a": columns["a"], "y": y, "b": columns["b"], "c": columns["c"]})


@pytest.fixture
def folder(tmp_path):
    """Three files of row groups of 60 rows."""
    X, y = make_rows()
    for number, rows in enumerate(np.array_split(np.arange(N_ROWS), 3)):
        parquet.write_table(
            as_table(X[rows], y[rows]), tmp_path / f"{number}.parquet", row_group_size=60
        )
    return tmp_path


def open_rows(source, target="y", n_held_out=0, seed=3):
    pieces = open_source(source, target)
    stream = Stream(pieces, collect_statistics(pieces, seed, lambda y: None), seed)
    encoding = Encoding(lambda X: X.astype(np.float32), lambda y: y.astype(np.float32))
    return StreamRows(stream, encoding, torch.device("cpu"), n_held_out)


def seen(batches):
    return torch.cat([batch.targets for batch in batches])


@pytest.mark.parametrize("buffer_rows", [8, 64, 10**6])
@pytest.mark.parametrize("n_held_out", [0, 37])
def test_an_epoch_shows_every_row_once(folder, buffer_rows, n_held_out, generator, monkeypatch):
    monkeypatch.setattr("askl.streaming.rows.BUFFER_ROWS", buffer_rows)
    rows = open_rows(folder, n_held_out=n_held_out)
    assert rows.stream.pieces.n_pieces == 9
    batches = list(rows.epoch(32, generator))
    assert len(batches) == rows.n_batches(32) == -(-rows.n_samples // 32)
    sizes = {len(batch.inputs) for batch in batches}
    assert max(sizes) - min(sizes) <= 1
    X, y = make_rows()
    shown = [*seen(batches).tolist()]
    if n_held_out:
        held_out = rows.held_out()
        assert held_out.n_samples == n_held_out
        shown += held_out.targets.tolist()
    assert sorted(shown) == sorted(y.astype(np.float32).tolist())
    by_target = dict(zip(y.astype(np.float32).tolist(), X.astype(np.float32), strict=True))
    for inputs, target, _ in (batches[0], batches[-1]):
        np.testing.assert_array_equal(inputs, [by_target[value] for value in target.tolist()])


def test_the_seed_decides_the_order_and_batches_can_be_skipped(folder, monkeypatch):
    monkeypatch.setattr("askl.streaming.rows.BUFFER_ROWS", 64)
    rows = open_rows(folder)

    def epoch(seed, skip=0):
        return seen(rows.epoch(32, torch.Generator().manual_seed(seed), skip=skip))

    first = epoch(1)
    assert torch.equal(first, epoch(1))
    assert not torch.equal(first, epoch(2))
    batches = list(rows.epoch(32, torch.Generator().manual_seed(1)))
    for skip in (1, 7, 15):
        assert torch.equal(epoch(1, skip), seen(batches[skip:]))
    assert list(rows.epoch(32, torch.Generator().manual_seed(1), skip=16)) == []


def test_sorted_rows_are_mixed():
    y = np.arange(4000.0)
    rows = open_rows(lambda: iter([(y[:, None], y)]), target=None)
    rows_seen = seen(rows.epoch(100, torch.Generator().manual_seed(0)))
    assert abs(np.corrcoef(y, rows_seen)[0, 1]) < 0.1


def test_blocks_keep_the_order_and_leave_out_who_is_held_out(folder):
    rows = open_rows(folder, n_held_out=20)
    blocks = list(rows.blocks(16))
    assert max(len(block.inputs) for block in blocks) == 16
    held_out = set(rows.held_out().targets.tolist())
    expected = [
        value for value in make_rows()[1].astype(np.float32).tolist() if value not in held_out
    ]
    assert seen(blocks).tolist() == expected


def test_keys_are_distinct_and_even():
    keys = np.concatenate([row_keys(0, 5000, 7), row_keys(5000, 5000, 7)])
    assert len(np.unique(keys)) == 10_000
    assert np.array_equal(keys, row_keys(0, 10_000, 7))
    assert not np.array_equal(keys, row_keys(0, 10_000, 8))
    counts, _ = np.histogram(keys.astype(float) / 2.0**64, bins=10, range=(0, 1))
    assert abs(counts - 1000).max() < 150


def test_a_sample_is_of_the_smallest_keys():
    keys, X = row_keys(0, 1000, 1), np.arange(1000.0)[:, None]
    sample = Sample(50)
    for part in np.array_split(np.arange(1000), 37):
        sample.add(keys[part], X[part], X[part, 0])
    found, inputs, targets = sample.rows()
    assert np.array_equal(found, np.sort(keys)[:50])
    assert np.array_equal(inputs[:, 0], np.argsort(keys)[:50])
    assert np.array_equal(targets, inputs[:, 0])


@pytest.mark.parametrize("kind", ["robust", "standard", "quantile"])
def test_scaling_is_that_of_all_rows_where_they_are_few(folder, kind):
    pieces = open_source(folder, "y")
    found = collect_statistics(pieces, 0, lambda y: None).fit_scaling(kind)
    X, _ = make_rows()
    expected = fit_scaling(X, kind)
    for name, array in expected.arrays.items():
        np.testing.assert_allclose(found.arrays[name], array, rtol=1e-12, atol=1e-12)


def test_of_many_rows_moments_are_exact_and_quantiles_close(monkeypatch):
    monkeypatch.setattr("askl.streaming.statistics.SAMPLE_ROWS", 2000)
    X = 1e6 + np.random.default_rng(0).normal(size=(20_000, 2)) * [1.0, 10.0]
    pieces = open_source(lambda: ((part, part[:, 0]) for part in np.array_split(X, 7)), None)
    found = collect_statistics(pieces, 0, lambda y: None)
    assert len(found.X) == 2000
    standard = found.fit_scaling("standard").arrays
    np.testing.assert_allclose(standard["center"], X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(standard["scale"], X.std(axis=0), rtol=1e-9)
    robust = found.fit_scaling("robust").arrays
    np.testing.assert_allclose(robust["scale"], [1.0, 10.0], rtol=0.1)


def test_a_constant_column_is_left_alone():
    X = np.full((200, 1), 3.7)
    pieces = open_source(lambda: iter([(X, X[:, 0])]), None)
    assert (
        collect_statistics(pieces, 0, lambda y: None).fit_scaling("standard").arrays["scale"] == 1.0
    )


def sources(folder):
    """The same rows in every form; each is one piece, so that their order is the same."""
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
        for name, (source, target) in sources(tmp_path).items()
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


@pytest.mark.parametrize("kind", [SpectralKernelClassifier, SpectralKernelRegressor])
def test_a_fit_goes_on_in_the_middle_of_an_epoch(kind, folder, tmp_path_factory, monkeypatch):
    monkeypatch.setattr("askl.streaming.rows.BUFFER_ROWS", 64)
    path = tmp_path_factory.mktemp("checkpoint") / "state"
    X, y = make_rows()
    if kind is SpectralKernelClassifier:
        parquet.write_table(as_table(X, y > 0), folder / "0.parquet", row_group_size=60)
        for name in ("1.parquet", "2.parquet"):
            (folder / name).unlink()
    settings = {**SMALL, "batch_size": 32, "record_every": 1, "early_stopping": True}
    expected = kind(**settings).fit_stream(folder, "y")

    def crash(progress, estimator):
        if progress.iteration == 20:
            raise InterruptedError

    model = kind(**settings, checkpoint=path, checkpoint_every=3, callback=crash)
    with pytest.raises(InterruptedError):
        model.fit_stream(folder, "y")
    assert read_checkpoint(path)[0]["numbers"]["iterations"] == 18
    model.set_params(callback=None).fit_stream(folder, "y")
    np.testing.assert_array_equal(model.weights_, expected.weights_)
    np.testing.assert_array_equal(model.frequencies_, expected.frequencies_)
    assert [r[:-1] for r in model.history_] == [r[:-1] for r in expected.history_]
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


def bad_sources(tmp_path):
    X, y = make_rows(50)
    parquet.write_table(as_table(X, y), tmp_path / "t.parquet")
    gaps = as_table(X, y).set_column(0, "a", pa.array([None, *X[1:, 0]]))
    parquet.write_table(gaps, tmp_path / "gaps.parquet")
    text = as_table(X, y).set_column(0, "a", pa.array(["x"] * 50))
    (tmp_path / "empty").mkdir()
    return {
        "array": (X, None, "must be a path.*Got ndarray"),
        "missing": (tmp_path / "none.parquet", "y", "Found nothing"),
        "no files": (tmp_path / "empty", "y", "files of 0 formats"),
        "no target": (tmp_path / "t.parquet", None, r"must name one of .*'a', 'y'.*Got None"),
        "bad target": (tmp_path / "t.parquet", "z", "Got 'z'"),
        "text": (lambda: iter([text]), "y", "Column 'a' holds values of type object"),
        "gaps": (tmp_path / "gaps.parquet", "y", "X contains NaN"),
        "no rows": (lambda: iter([]), None, "no rows"),
        "shapes": (lambda: iter([(X, y[:-1])]), None, "as many rows"),
        "bad y": (lambda: iter([(X, np.where(y > 1, np.nan, y))]), None, "y contains NaN"),
    }


@pytest.mark.parametrize(
    "name",
    [
        "array",
        "missing",
        "no files",
        "no target",
        "bad target",
        "text",
        "gaps",
        "no rows",
        "shapes",
        "bad y",
    ],
)
def test_what_cannot_be_read_says_why(name, tmp_path):
    source, target, message = bad_sources(tmp_path)[name]
    with pytest.raises(ValueError, match=message):
        SpectralKernelRegressor(**SMALL).fit_stream(source, target)


def test_a_source_that_changes_is_noticed():
    X, y = make_rows()
    lives = []

    def source():
        lives.append(1)
        return iter([(X, y)] if len(lives) < 4 else [(X[:-1], y[:-1])])

    with pytest.raises(TableError, match="499 rows, and had 500 at first"):
        SpectralKernelRegressor(**SMALL).fit_stream(source)


def test_labels_must_be_labels():
    X, y = make_rows()
    with pytest.raises(ValueError, match="Unknown label type"):
        SpectralKernelClassifier(**SMALL).fit_stream(lambda: iter([(X, y)]))
    with pytest.raises(ValueError, match="one class only"):
        SpectralKernelClassifier(**SMALL).fit_stream(lambda: iter([(X, np.zeros(N_ROWS, int))]))


def test_prefetch_passes_errors_on_and_stops_with_its_reader():
    def fail():
        yield 1
        raise LookupError("mine")

    items = prefetch(fail())
    assert next(items) == 1
    with pytest.raises(LookupError, match="mine"):
        next(items)
    endless = prefetch(iter(int, 1), ahead=3)
    assert next(endless) == 0
    endless.close()
    assert not [t for t in threading.enumerate() if t.name == "askl-prefetch"]
