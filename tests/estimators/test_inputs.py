"""Frames, sparse matrices, memory maps and number types."""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
import pytest
from scipy import sparse

from askl.learning.heads.exact_head import solve_exact_head
from askl.preprocessing.input_scaling import SCALINGS, Scaling, fit_scaling
from tests.models import classifier, regressor, transformer

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
def test_wrong_names_are_told(frame, classes):
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
def small_blocks(monkeypatch):
    """Make every block small, as a large matrix would."""
    fit = partial(fit_scaling, block_numbers=600)
    monkeypatch.setattr("askl.estimators.fit.fit_scaling", fit)
    monkeypatch.setattr("askl.estimators.inputs.BLOCK_ROWS", 50)
    monkeypatch.setattr("askl.estimators.inputs.BLOCK_NUMBERS", 600)
    monkeypatch.setattr("askl.estimators.fit.RELEVANCE_ROWS", 50)
    monkeypatch.setattr("askl.estimators.split.BLOCK_ROWS", 50)
    solve = partial(solve_exact_head, block_rows=50)
    monkeypatch.setattr("askl.estimators.fit.solve_exact_head", solve)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("make", [classifier, regressor, transformer])
def test_a_sparse_matrix_is_never_dense_as_a_whole(make, sparse_classes, monkeypatch):
    X, y = sparse_classes
    targets = y + 0.5 * X.toarray()[:, 0] if make is regressor else y
    shapes = []
    for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.csc_array):
        convert = kind.toarray

        def spy(matrix, *arguments, convert=convert, **options):
            shapes.append(matrix.shape)
            return convert(matrix, *arguments, **options)

        monkeypatch.setattr(kind, "toarray", spy)
        monkeypatch.setattr(kind, "todense", spy)
    model = make(batch_size=40, early_stopping=True).fit(X, targets)
    model.transform(X)
    if make is not transformer:
        model.predict(X)
        model.partial_fit(X, targets)
    assert len(shapes) > 10
    assert max(rows * columns for rows, columns in shapes) <= 600 < 300 * 12


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_memory_map_is_never_copied_as_a_whole(mode, tmp_path, rng, monkeypatch):
    n_rows, n_columns = 4000, 50
    fit = partial(fit_scaling, block_numbers=8000)
    monkeypatch.setattr("askl.estimators.fit.fit_scaling", fit)
    values = rng.normal(size=(n_rows, n_columns))
    np.save(tmp_path / "X.npy", values)
    X = np.load(tmp_path / "X.npy", mmap_mode=mode)
    applied = []
    apply = Scaling.apply

    def spy(self, rows):
        applied.append(rows.shape[0])
        return apply(self, rows)

    monkeypatch.setattr(Scaling, "apply", spy)
    model = classifier(n_components=8, max_epochs=1, batch_size=64)
    tracemalloc.start()
    model.fit(X, X[:, 0] > 0.0)
    model.predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert max(applied) <= 64
    assert peak < 0.7 * values.nbytes
    monkeypatch.undo()
    eager = classifier(n_components=8, max_epochs=1, batch_size=64).fit(values, X[:, 0] > 0.0)
    np.testing.assert_allclose(model.weights_, eager.weights_, rtol=0, atol=1e-4)


def test_large_arrays_are_scaled_batch_by_batch(classes, monkeypatch):
    X, y = classes
    eager = classifier().fit(X, y)
    monkeypatch.setattr("askl.estimators.inputs.EAGER_BYTES", 0)
    np.testing.assert_allclose(classifier().fit(X, y).weights_, eager.weights_, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_every_float_is_welcome(dtype, classes):
    X, y = classes
    model = classifier().fit(X.astype(dtype), y)
    expected = classifier().fit(X.astype(dtype).astype(np.float64), y)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), atol=1e-3)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, bool])
def test_every_integer_is_welcome(dtype, rng):
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
