"""Frames, sparse matrices, memory maps and number types."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import torch
from scipy import sparse

from askl.estimators.inputs import (
    as_tensor,
    input_rows,
    is_mapped,
    normalized_weights,
    prediction_blocks,
    row_blocks,
    scaled_blocks,
)
from askl.preprocessing.input_scaling import SCALINGS, fit_scaling
from tests.models import classifier, regressor, transformer

CPU = torch.device("cpu")
COLUMNS = ["height", "width", "depth"]


def make_pandas(X, columns=COLUMNS):
    return pytest.importorskip("pandas").DataFrame(X, columns=columns)


def make_polars(X, columns=COLUMNS):
    polars = pytest.importorskip("polars")
    return polars.DataFrame(dict(zip(columns, X.T, strict=True)))


@pytest.mark.parametrize("frame", [make_pandas, make_polars])
@pytest.mark.parametrize("make", [classifier, regressor, transformer])
def test_frames_keep_their_names_and_equal_arrays(frame, make, classes, numbers):
    X, y = numbers if make is regressor else classes
    named, plain = make().fit(frame(X), y), make().fit(X, y)
    assert list(named.feature_names_in_) == COLUMNS
    assert not hasattr(plain, "feature_names_in_")
    np.testing.assert_array_equal(named.transform(frame(X)), plain.transform(X))


@pytest.mark.parametrize("frame", [make_pandas, make_polars])
def test_wrong_names_are_an_error_or_a_warning(frame, classes):
    X, y = classes
    named, plain = classifier().fit(frame(X), y), classifier().fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        named.predict(frame(X, ["height", "depth", "width"]))
    with pytest.raises(ValueError, match="feature names should match"):
        named.predict(frame(X, ["height", "width", "weight"]))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        named.predict(X)
    with pytest.warns(UserWarning, match="X has feature names, but"):
        plain.predict(frame(X))


@pytest.mark.parametrize("frame", [make_pandas, make_polars])
def test_names_are_kept_from_part_to_part(frame, numbers):
    X, y = numbers
    model = regressor().partial_fit(frame(X), y).partial_fit(frame(X), y)
    assert list(model.feature_names_in_) == COLUMNS
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame(X, ["a", "b", "c"]), y)


def test_series_are_targets(classes, numbers):
    pandas = pytest.importorskip("pandas")
    X, y = classes
    labels = pandas.Series(np.array(["a", "b", "c"])[y], dtype="category")
    assert classifier(max_epochs=20).fit(make_pandas(X), labels).score(make_pandas(X), labels) > 0.8
    model = regressor().fit(numbers[0], pandas.Series(numbers[1]))
    assert model.predict(numbers[0]).shape == (240,)


@pytest.fixture
def sparse_classes(rng):
    X = sparse.random(300, 12, density=0.2, format="csr", random_state=0)
    return X, (X.toarray()[:, :6].sum(axis=1) > X.toarray()[:, 6:].sum(axis=1)).astype(int)


@pytest.mark.parametrize("scale_inputs", SCALINGS)
@pytest.mark.parametrize("convert", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix])
def test_sparse_equals_dense(scale_inputs, convert, sparse_classes):
    X, y = sparse_classes
    dense = classifier(scale_inputs=scale_inputs).fit(X.toarray(), y)
    model = classifier(scale_inputs=scale_inputs).fit(convert(X), y)
    expected = dense.decision_function(X.toarray())
    scale = np.abs(expected).max()
    for inputs in (convert(X), X.toarray()):
        np.testing.assert_allclose(
            model.decision_function(inputs), expected, rtol=0, atol=1e-4 * scale
        )


@pytest.fixture
def densified(monkeypatch):
    """The numbers in every sparse matrix that is made dense."""
    sizes = []
    for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.csc_array):
        convert = kind.toarray

        def spy(matrix, *arguments, convert=convert, **options):
            sizes.append(matrix.shape[0] * matrix.shape[1])
            return convert(matrix, *arguments, **options)

        monkeypatch.setattr(kind, "toarray", spy)
        monkeypatch.setattr(kind, "todense", spy)
    return sizes


@pytest.mark.parametrize("make", [classifier, regressor, transformer])
def test_a_sparse_matrix_is_never_dense_as_a_whole(make, densified):
    X = sparse.random(9000, 600, density=0.01, format="csr", random_state=0)
    labels = np.asarray(X[:, :300].sum(axis=1) > X[:, 300:].sum(axis=1)).ravel()
    y = labels + 0.5 if make is regressor else labels
    model = make(n_components=8, max_epochs=1, early_stopping=True).fit(X, y)
    model.transform(X)
    if make is not transformer:
        model.predict(X)
        model.partial_fit(X, y)
    assert len(densified) > 10
    assert max(densified) <= 2**22 < 9000 * 600


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_memory_map_is_trained_on_like_the_array_itself(mode, tmp_path, rng):
    values = rng.normal(size=(500, 5))
    np.save(tmp_path / "X.npy", values)
    X = np.load(tmp_path / "X.npy", mmap_mode=mode)
    parameters = {"n_components": 8, "max_epochs": 2, "batch_size": 64}
    mapped = classifier(**parameters).fit(X, X[:, 0] > 0.0)
    eager = classifier(**parameters).fit(values, X[:, 0] > 0.0)
    np.testing.assert_array_equal(mapped.weights_, eager.weights_)
    np.testing.assert_array_equal(mapped.predict(X), eager.predict(values))


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_rows_of_a_memory_map_are_scaled_on_demand(mode, tmp_path, rng):
    values = rng.normal(size=(20_000, 50))
    np.save(tmp_path / "X.npy", values)
    X = np.load(tmp_path / "X.npy", mmap_mode=mode)[:, ::2]
    scaling = fit_scaling(values[:, ::2], "standard")
    tracemalloc.start()
    take = input_rows(X, scaling, CPU)
    rows = take(torch.tensor([3, 0, 7]))
    blocks = sum(float(block.sum()) for _, block in scaled_blocks(X, scaling, CPU))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    expected = scaling.apply(values[:, ::2])
    np.testing.assert_array_equal(rows, expected[[3, 0, 7]])
    assert blocks == pytest.approx(expected.sum(dtype=np.float64), abs=1.0)
    assert peak < 0.7 * values[:, ::2].nbytes


def test_arrays_and_views_in_files_are_known(tmp_path):
    np.save(tmp_path / "X.npy", np.zeros((4, 2)))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert is_mapped(X)
    assert is_mapped(np.asarray(X)[1:, ::2])
    assert not is_mapped(np.array(X))
    assert not is_mapped(np.zeros(3)[::2])


@pytest.mark.parametrize("kind", ["robust", "robust+quantile", "bins"])
def test_rows_on_demand_are_the_rows_of_the_whole(kind, rng):
    X = rng.normal(size=(300, 4))
    scaling = fit_scaling(X, kind)
    whole, take = input_rows(X, scaling, CPU), input_rows(X, scaling, CPU, eager_bytes=0)
    np.testing.assert_array_equal(whole, scaling.apply(X))
    index = torch.tensor([5, 5, 299, 0])
    torch.testing.assert_close(take(index), whole[index], rtol=0.0, atol=0.0)
    at_the_limit = input_rows(X, scaling, CPU, eager_bytes=4 * 300 * 4)
    assert isinstance(at_the_limit, torch.Tensor)
    assert callable(input_rows(sparse.csr_matrix(X), scaling, CPU))


@pytest.mark.parametrize(
    ("block_numbers", "block_rows", "expected"),
    [(30, 2, [3, 3, 1]), (30, 5, [5, 2]), (1, 1, [1] * 7), (10**6, 1, [7])],
)
def test_blocks_are_of_a_number_of_numbers_or_of_rows(block_numbers, block_rows, expected):
    X = np.zeros((7, 10))
    blocks = list(row_blocks(X, block_numbers=block_numbers, block_rows=block_rows))
    assert [block.stop - block.start for block in blocks] == expected
    assert np.concatenate([np.arange(7)[block] for block in blocks]).tolist() == list(range(7))


def test_blocks_of_inputs_are_scaled_in_order(rng):
    X = rng.normal(size=(23, 3))
    scaling = fit_scaling(X, "robust")
    blocks = list(scaled_blocks(X, scaling, CPU, block_numbers=1, block_rows=5))
    np.testing.assert_array_equal(torch.cat([inputs for _, inputs in blocks]), scaling.apply(X))
    assert [rows.start for rows, _ in blocks] == [0, 5, 10, 15, 20]


def test_blocks_for_prediction_have_enough_rows(rng):
    X = rng.normal(size=(23, 3))
    scaling = fit_scaling(X, "robust")
    *blocks, (last, inputs) = prediction_blocks(X, scaling, CPU, block_numbers=1, block_rows=5)
    assert [len(block) for _, block in blocks] == [5, 5, 5, 5]
    assert last.tolist() == [20, 21, 22, 20]
    np.testing.assert_array_equal(inputs, scaling.apply(X)[last])


def test_arrays_are_shared_unless_they_must_not_be_written():
    array = np.zeros(3, dtype=np.float32)
    as_tensor(array, CPU)[0] = 1.0
    assert array[0] == 1.0
    array.flags.writeable = False
    as_tensor(array, CPU)[0] = 2.0
    assert array[0] == 1.0


def test_weights_have_mean_one():
    assert normalized_weights(None, CPU) is None
    weights = normalized_weights(np.array([1.0, 2.0, 3.0]), CPU)
    torch.testing.assert_close(weights, torch.tensor([0.5, 1.0, 1.5]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_every_float_type_is_accepted(dtype, classes):
    X, y = classes
    model = classifier().fit(X.astype(dtype), y)
    expected = classifier().fit(X.astype(dtype).astype(np.float64), y)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), atol=1e-3)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, bool])
def test_every_integer_type_is_accepted(dtype, rng):
    X = rng.integers(0, 2 if dtype is bool else 100, size=(200, 4)).astype(dtype)
    y = X[:, 0].astype(int) > X[:, 1].astype(int)
    model, wide = classifier().fit(X, y), classifier().fit(X.astype(np.float64), y)
    np.testing.assert_array_equal(model.decision_function(X), wide.decision_function(X))


def test_lists_are_arrays(classes):
    X, y = classes
    from_lists = classifier().fit(X.tolist(), y.tolist())
    np.testing.assert_array_equal(from_lists.weights_, classifier().fit(X, y).weights_)


@pytest.mark.parametrize("order", ["C", "F"])
def test_order_and_strides_do_not_matter(order, classes):
    X, y = classes
    wide = np.repeat(np.asarray(X, order=order), 2, axis=1)[:, ::2]
    np.testing.assert_array_equal(
        classifier().fit(wide, y).weights_, classifier().fit(X, y).weights_
    )


def test_inputs_are_left_as_they_were(classes, numbers):
    X, y = numbers
    copies = X.copy(), y.copy()
    weights = np.ones(240)
    regressor().fit(X, y, weights).partial_fit(X, y, weights).predict(X)
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(y, copies[1])
    np.testing.assert_array_equal(weights, 1.0)
