"""Whole files: their predictions are those of the models."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pandas as pd
import pytest
from onnxruntime import InferenceSession
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from askl import (
    AutoSpectralKernelClassifier,
    AutoSpectralKernelRegressor,
    SpectralKernelClassifier,
    make_table_pipeline,
)
from askl.errors import AsklError, ModelFileError
from askl.interop import export_onnx
from askl.learning import METHODS
from askl.preprocessing.input_scaling import SCALINGS
from askl.spectral import ACTIVATIONS
from tests.auto.cases import within
from tests.interop.onnx_export.runs import assert_close
from tests.models import classifier, regressor, transformer


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_classifiers_agree(method, dtype, run, classes):
    X, y = classes
    names = np.array(["low", "mïddle", "high"])
    model = classifier(method, n_components=200).fit(X, names[y])
    got = run(model, X, dtype=dtype)
    np.testing.assert_array_equal(got["label"], model.predict(X))
    assert_close(got["probabilities"], model.predict_proba(X))
    assert_close(got["decision"], model.decision_function(X))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, -1]),
        np.array([1.0, 2.0]),
        np.array(["a", "b"], dtype=object),
        np.array([True, False]),
    ],
)
def test_two_classes_of_any_type_agree(labels, run, classes):
    X, y = classes
    model = classifier().fit(X, labels[np.minimum(y, 1)])
    got = run(model, X)
    np.testing.assert_array_equal(got["label"], model.predict(X))
    assert_close(got["decision"], model.decision_function(X))


def test_margins_have_no_probabilities(run, classes):
    X, y = classes
    model = classifier(loss="hinge").fit(X, y)
    got = run(model, X)
    assert set(got) == {"label", "decision"}
    assert_close(got["decision"], model.decision_function(X))


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden", [(), (30,)])
def test_regressors_agree(scaling, activation, hidden, run, numbers):
    X, y = numbers
    options = {"scale_inputs": scaling, "activation": activation, "hidden_components": hidden}
    model = regressor(max_epochs=3, n_components=200, **options).fit(X, y)
    rows = np.vstack([X, 1.5 * X + 0.1])
    assert_close(run(model, rows)["prediction"], model.predict(rows))


def test_logarithmic_targets_agree(run, numbers):
    X, y = numbers
    model = regressor(scale_targets="log").fit(X, np.exp(np.column_stack([y, 3.0 * y])))
    rows = np.vstack([X, 5.0 * X])
    assert_close(run(model, rows)["prediction"], model.predict(rows))


def test_several_targets_and_features_agree(run, numbers):
    X, y = numbers
    model = regressor().fit(X, np.column_stack([y, 1000.0 * y, y**2]))
    assert_close(run(model, X)["prediction"], model.predict(X))
    features = transformer(activation="paired").fit(X, y)
    assert_close(run(features, X)["features"], features.transform(X))


def test_the_number_of_rows_is_free(tmp_path, numbers):
    X, y = numbers
    model = regressor().fit(X, y)
    session = InferenceSession(export_onnx(model, tmp_path / "model.onnx"))
    for n_rows in (1, 7, 240):
        assert_close(session.run(None, {"X": X[:n_rows]})[0], model.predict(X[:n_rows]))


def test_tables_of_numbers_are_filled_in(run, classes):
    X, y = classes
    X = np.where(np.random.default_rng(0).random(X.shape) < [0.2, 0.1, 0.0], np.nan, X)
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    model = make_table_pipeline(classifier()).fit(table, y)
    got = run(model, X)
    assert_close(got["probabilities"], model.predict_proba(table))
    np.testing.assert_array_equal(got["label"], model.predict(table))


def test_automatic_classifiers_agree(run):
    X, y = load_iris(return_X_y=True)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = within(AutoSpectralKernelClassifier, 2.0, max_members=16).fit(X, y)
    got = run(model, X)
    assert set(got) == {"label", "probabilities"}
    assert_close(got["probabilities"], model.predict_proba(X))
    np.testing.assert_array_equal(got["label"], model.predict(X))


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_automatic_regressors_agree(n_outputs, run, numbers):
    X, y = numbers
    targets = np.column_stack([y, -y]) if n_outputs == 2 else y
    model = within(AutoSpectralKernelRegressor, 2.0, max_members=16).fit(X, targets)
    assert_close(run(model, X)["prediction"], model.predict(X))


def test_the_file_names_its_maker_and_its_columns(tmp_path, classes):
    X, y = classes
    model = classifier().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    exported = onnx.load(export_onnx(model, tmp_path / "model.onnx"))
    assert exported.producer_name == "askl"
    (names,) = (p.value for p in exported.metadata_props if p.key == "feature_names")
    assert json.loads(names) == ["a", "b", "c"]


def test_what_has_no_part_in_a_graph_is_refused(tmp_path, classes):
    X, y = classes
    path = tmp_path / "model.onnx"
    table = pd.DataFrame({"a": X[:, 0], "word": np.array(["u", "v", "w"])[y]})
    with pytest.raises(AsklError, match=r"Columns \[1\] of the table are no numbers.*by itself"):
        export_onnx(make_table_pipeline(classifier()).fit(table, y), path)
    with pytest.raises(AsklError, match="does not support StandardScaler"):
        export_onnx(make_pipeline(StandardScaler(), classifier()).fit(X, y), path)
    with pytest.raises(AsklError, match="does not support StandardScaler"):
        export_onnx(StandardScaler().fit(X), path)
    with pytest.raises(AsklError, match="'dtype' parameter of export_onnx must be"):
        export_onnx(classifier().fit(X, y), path, dtype=np.float16)
    with pytest.raises(ModelFileError, match="could not be written"):
        export_onnx(classifier().fit(X, y), path / "deeper.onnx")
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_default_size_agrees(run):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 12))
    y = (np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] > 0.0).astype(int)
    model = SpectralKernelClassifier(max_epochs=5, random_state=0).fit(X, y)
    assert_close(run(model, X)["probabilities"], model.predict_proba(X))
