from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from askl.errors import TableError
from askl.preprocessing.column_orders import complete_symmetries, pool_columns
from askl.preprocessing.input_scaling import fit_scaling
from askl.streaming.sources import open_source
from askl.streaming.statistics import RunningMoments, Sample, collect_statistics, row_keys
from tests.streaming.tables import as_table, make_rows, write_files


@pytest.fixture
def folder(tmp_path):
    return write_files(tmp_path)


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
    partitions = open_source(folder, "y")
    found = collect_statistics(partitions, 0, lambda y: None).fit_scaling(kind)
    X, _ = make_rows()
    expected = fit_scaling(X, kind)
    for name, array in expected.arrays.items():
        np.testing.assert_allclose(found.arrays[name], array, rtol=1e-12, atol=1e-12)


def test_of_many_rows_moments_are_exact_and_quantiles_close():
    X = 1e6 + np.random.default_rng(0).normal(size=(20_000, 2)) * [1.0, 10.0]
    partitions = open_source(lambda: ((part, part[:, 0]) for part in np.array_split(X, 7)), None)
    found = collect_statistics(partitions, 0, lambda y: None, sample_rows=2000)
    assert len(found.X) == 2000
    standard = found.fit_scaling("standard").arrays
    np.testing.assert_allclose(standard["center"], X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(standard["scale"], X.std(axis=0), rtol=1e-9)
    robust = found.fit_scaling("robust").arrays
    np.testing.assert_allclose(robust["scale"], [1.0, 10.0], rtol=0.1)


def test_a_constant_column_is_left_alone():
    X = np.full((200, 1), 3.7)
    partitions = open_source(lambda: iter([(X, X[:, 0])]), None)
    found = collect_statistics(partitions, 0, lambda y: None)
    assert found.fit_scaling("standard").arrays["scale"] == 1.0


def test_moments_of_blocks_are_those_of_all_rows(rng):
    X = 1e9 + rng.normal(size=(1000, 3)) * [1.0, 0.1, 1e6]
    moments = RunningMoments()
    for block in np.array_split(X, [1, 2, 400]):
        moments.add(block)
    np.testing.assert_allclose(moments.mean, X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(moments.deviation(), X.std(axis=0), rtol=1e-4)


def test_rows_are_counted_and_targets_passed_on(folder):
    targets = []
    found = collect_statistics(open_source(folder, "y"), 0, targets.append)
    assert found.partition_rows == [60, 60, 47, 60, 60, 47, 60, 60, 46]
    assert found.n_rows == 500
    np.testing.assert_array_equal(np.concatenate(targets), make_rows()[1])


def test_exchangeable_columns_are_scaled_in_the_same_way(folder):
    found = collect_statistics(open_source(folder, "y"), 0, lambda y: None)
    orders = complete_symmetries([(1, 0, 2)], 3)
    scale = found.fit_scaling("standard", orders).arrays["scale"]
    assert scale[0] == scale[1] != scale[2]
    expected = fit_scaling(pool_columns(found.X, orders), "standard").arrays["scale"]
    np.testing.assert_array_equal(scale, expected)


def test_missing_values_and_missing_rows_are_errors():
    X, y = make_rows(50)
    gaps = as_table(X, y).set_column(0, "a", pa.array([None, *X[1:, 0]]))
    with pytest.raises(ValueError, match="X contains NaN"):
        collect_statistics(open_source(lambda: iter([gaps]), "y"), 0, lambda y: None)
    with pytest.raises(TableError, match="The source of fit_stream has no rows"):
        collect_statistics(open_source(lambda: iter([]), None), 0, lambda y: None)
