"""What both automatic models share: parameters, encoded inputs, features, kernel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor, load
from tests.auto.cases import messy_table, quick


@pytest.fixture(scope="module")
def iris_model():
    X, y = load_iris(return_X_y=True)
    return quick(AutoSpectralKernelClassifier).fit(X, y), X


def test_the_kernel_is_the_gram_matrix_of_the_features(iris_model):
    model, X = iris_model
    features = model.transform(X).astype(np.float64)
    np.testing.assert_allclose(model.kernel(X), features @ features.T, atol=1e-5)
    np.testing.assert_allclose(model.kernel(X, X[:5]), model.kernel(X)[:, :5], atol=1e-6)


def test_the_features_have_names(iris_model):
    model, X = iris_model
    names = model.get_feature_names_out()
    assert len(names) == model.transform(X).shape[1]
    assert names[0] == "autospectralkernelclassifier0"


def test_encoded_columns_have_names_and_sources():
    table, y = messy_table()
    model = quick(AutoSpectralKernelRegressor, max_members=1).fit(table, y)
    names, sources = list(model.encoded_names()), model.encoded_sources()
    assert len(names) == len(sources) == model.encode_inputs(table).shape[1]
    for name, source in (
        ("size", 0),
        ("missingindicator_size", 0),
        ("color_red", 1),
        ("town", 2),
        ("day_day of the week", 3),
    ):
        assert sources[names.index(name)] == (source,)


def test_columns_without_names_are_numbered(iris_model):
    model, X = iris_model
    assert model.encoded_names().tolist() == ["x0", "x1", "x2", "x3"]
    np.testing.assert_array_equal(model.encode_inputs(X), X)


@pytest.mark.parametrize("name", ["table_", "neighbours_", "spreads_"])
def test_encoders_by_name_are_for_reading(name, iris_model):
    model, _ = iris_model
    assert getattr(model, name) is None
    with pytest.raises(AttributeError):
        setattr(model, name, None)


@pytest.mark.parametrize("method", ["transform", "kernel", "encode_inputs", "predict"])
def test_before_fit_nothing_is_computed(method):
    with pytest.raises(NotFittedError):
        getattr(AutoSpectralKernelRegressor(), method)([[0.0]])
    for name in ("encoded_names", "encoded_sources"):
        with pytest.raises(NotFittedError):
            getattr(AutoSpectralKernelRegressor(), name)()


def test_members_take_arrays_whatever_transformers_are_set_to_return(tmp_path: Path):
    table, y = messy_table()
    expected = quick(AutoSpectralKernelRegressor).fit(table, y).predict(table)
    with config_context(transform_output="pandas"):
        model = quick(AutoSpectralKernelRegressor).fit(table, y)
        np.testing.assert_array_equal(model.predict(table), expected)
        again = load(model.save(tmp_path / "model.askl"))
        np.testing.assert_array_equal(again.predict(table), expected)
