from __future__ import annotations

import json
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
import skops.io
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

import askl
from askl.errors import AsklError, ModelFileError
from askl.learning import METHODS
from askl.persistence import read_header
from askl.preprocessing.input_scaling import SCALINGS
from askl.spectral import ACTIVATIONS
from fuzz.mutations import sealed
from tests.auto.cases import within
from tests.models import classifier, regressor, transformer
from tests.persistence.models import assert_equal_models, refuse, round_trip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [classifier, regressor, transformer])
def test_every_method_predicts_the_same_bits(make, method, classes, path):
    X, y = classes
    model = make(method).fit(X, y)
    again = round_trip(model, path)
    assert_equal_models(model, again, X)
    assert again.get_params() == model.get_params()
    assert vars(again).keys() == vars(model).keys()
    assert again.history_ == model.history_


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_scaling_and_activation_predicts_the_same_bits(scaling, activation, numbers, path):
    X, y = numbers
    options = {"scale_inputs": scaling, "activation": activation, "hidden_components": (20,)}
    model = regressor(max_epochs=2, **options).fit(X, y)
    again = round_trip(model, path)
    assert_equal_models(model, again, X)
    assert again.hidden_components == (20,)


def test_intervals_and_several_outputs_are_kept(numbers, path):
    X, y = numbers
    model = regressor().fit(X, np.column_stack([y, -(y**2)]))
    again = round_trip(model, path)
    for expected, got in zip(
        model.predict(X, return_std=True), again.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["low", "mïddle", "🙂"]),
        np.array(["low", "middle", "high"], dtype=object),
        np.array([10**12, -5, 0]),
        np.array([1.0, 2.0, 3.0]),
    ],
)
def test_labels_of_every_type_are_kept(labels, classes, path):
    X, y = classes
    model = classifier(class_weight=dict(zip(labels, [1.0, 2.0, 3.0], strict=True)))
    model.fit(X, labels[y])
    again = round_trip(model, path)
    assert_equal_models(model, again, X)
    assert again.class_weight == model.class_weight
    assert again.classes_.dtype == model.classes_.dtype


def test_a_large_model_predicts_the_same_bits(path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 17)), rng.normal(size=2000)
    model = regressor(n_components=511, max_epochs=1).fit(X, y)
    assert_equal_models(model, round_trip(model, path), X[:333])


def test_column_names_are_kept(classes, path):
    X, y = classes
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = classifier().fit(frame, y)
    again = round_trip(model, path)
    np.testing.assert_array_equal(again.feature_names_in_, ["a", "b", "c"])
    assert_equal_models(model, again, frame)
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame[["c", "b", "a"]])


@pytest.mark.parametrize("optimizer", ["adam", "sgd", "adadelta"])
def test_partial_fit_goes_on_to_the_same_bits(optimizer, numbers, path):
    X, y = numbers
    model = regressor(optimizer=optimizer).partial_fit(X, y).partial_fit(X, y)
    again = round_trip(model, path)
    for _ in range(3):
        model.partial_fit(X, y)
        again.partial_fit(X, y)
    assert_equal_models(model, again, X)


def test_a_warm_start_goes_on_from_the_file(numbers, path):
    X, y = numbers
    model = transformer(warm_start=True).fit(X, y)
    again = round_trip(model, path)
    assert_equal_models(model.fit(X, y), again.fit(X, y), X)


def test_a_random_state_goes_on_and_a_callback_is_left_out(classes, path):
    X, y = classes
    model = classifier(random_state=np.random.RandomState(3), callback=lambda *_: None).fit(X, y)
    again = round_trip(model, path)
    assert again.callback is None
    assert model.callback is not None
    assert again.random_state.randint(2**31) == model.random_state.randint(2**31)


def test_pipelines_of_common_transformers_predict_the_same_bits(path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "number": np.where(rng.random(200) < 0.1, np.nan, rng.normal(size=200)),
            "skewed": rng.exponential(size=200),
            "word": rng.choice(["a", "b", None], size=200),
            "size": rng.choice(["s", "m", "l"], size=200),
            "town": rng.choice([f"town {i}" for i in range(30)], size=200),
            "kept": rng.normal(size=200),
        }
    ).astype({"word": object, "size": object, "town": object})
    y = np.where(rng.random(200) < 0.5, "no", "yes")
    imputer = SimpleImputer(add_indicator=True)
    columns = ColumnTransformer(
        [
            (
                "number",
                make_pipeline(imputer, RobustScaler()),
                ["number"],
            ),
            ("skewed", QuantileTransformer(n_quantiles=50, random_state=0), ["skewed"]),
            ("word", OneHotEncoder(sparse_output=False, handle_unknown="ignore"), ["word"]),
            ("size", OrdinalEncoder(), ["size"]),
            ("town", TargetEncoder(cv=3), ["town"]),
        ],
        remainder="passthrough",
    )
    model = make_pipeline(columns, StandardScaler(), classifier()).fit(table, y)
    assert_equal_models(model, round_trip(model, path), table)


def test_a_file_is_a_safetensors_file(classes, path):
    model = classifier().fit(*classes).save(path)
    tensors = safetensors.numpy.load_file(model)
    assert tensors["weights_"].shape == (60, 3)
    assert tensors["layers_.0.0"].dtype == np.float32


def test_the_header_tells_what_the_model_is(classes, path):
    X, y = classes
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = classifier("skl", hidden_components=(20,)).fit(frame, y)
    model.save(path)
    header = read_header(path)
    assert header["schema"] == 1
    assert header["kind"] == "SpectralKernelClassifier"
    assert header["parameters"]["method"] == "skl"
    assert header["parameters"]["hidden_components"] == [20]
    assert header["classes"] == [0, 1, 2]
    assert header["features"] == {"count": 3, "names": ["a", "b", "c"], "kinds": None}
    assert header["preprocessing"] == "robust"
    assert header["training"]["n_iter"] == 10
    assert header["training"]["loss"] == model.history_[-1].loss
    assert header["versions"]["askl"] == askl.__version__
    assert "state" not in header
    json.dumps(header, allow_nan=False)


def test_the_same_model_gives_the_same_bytes(classes, tmp_path):
    model = classifier().fit(*classes)
    first, second = askl.save(model, tmp_path / "1"), askl.save(model, tmp_path / "2")
    assert first.read_bytes() == second.read_bytes()


class Subclass(askl.SpectralKernelClassifier):
    pass


def test_a_model_must_be_fitted(path):
    with pytest.raises(NotFittedError):
        askl.save(classifier(), path)
    assert not path.exists()


def test_other_classes_are_refused(classes, path):
    with pytest.raises(AsklError, match=r"cannot hold this model, a .*Subclass\. Keep such"):
        askl.save(Subclass(n_components=5, max_epochs=1).fit(*classes), path)
    model = make_pipeline(FunctionTransformer(np.sin), classifier(n_components=5)).fit(*classes)
    with pytest.raises(AsklError, match=r"cannot hold steps\.0\.1\.func, a numpy\.ufunc"):
        askl.save(model, path)
    assert list(path.parent.iterdir()) == []


def test_arrays_of_other_dtypes_are_refused(classes, path):
    model = classifier().fit(*classes)
    model.feature_relevance_ = np.zeros(3, dtype="f4,i4")
    with pytest.raises(AsklError, match=r"cannot hold feature_relevance_, .* of dtype \[\('f0'"):
        askl.save(model, path)


def test_layers_that_do_not_fit_are_refused(path, content):
    def reshape(header):
        attributes = header["state"]["object"][1]
        attributes["weights_"]["array"]["shape"].reverse()
        return header

    refuse(path, sealed(content, reshape), "the weights do not fit the layers")

    def narrow(header):
        header["state"]["object"][1]["n_features_in_"] = 2
        return header

    refuse(path, sealed(content, narrow), "a layer does not fit the one below it")


def test_a_parameter_that_is_missing_is_named(path, content):
    def forget(header):
        del header["state"]["object"][1]["dropout"]
        return header

    message = "the parameter 'dropout' of a SpectralKernelClassifier is missing"
    refuse(path, sealed(content, forget), message)


def test_another_scikit_learn_matters_to_its_own_objects_only(classes, path, content):
    def older(header):
        header["versions"]["scikit-learn"] = "1.0.2"
        return header

    path.write_bytes(sealed(content, older))
    askl.load(path)
    model = make_pipeline(StandardScaler(), classifier(n_components=5)).fit(*classes)
    path.write_bytes(sealed(askl.save(model, path).read_bytes(), older))
    with pytest.warns(InconsistentVersionWarning) as record:
        askl.load(path)
    assert [warning.message.estimator_name for warning in record] == ["Pipeline", "StandardScaler"]


def test_tables_and_automatic_models_predict_the_same_bits(path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "number": np.where(rng.random(120) < 0.1, np.nan, rng.normal(size=120)),
            "word": rng.choice(["a", "b", None], size=120),
            "town": rng.choice([f"town {i}" for i in range(30)], size=120),
            "day": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 900, 120), unit="D"),
        }
    )
    y = np.where(table["number"].fillna(0.0) + (table["word"] == "a") > 0.5, "yes", "no")
    model = within(askl.AutoSpectralKernelClassifier, 2.0, max_members=16).fit(table, y)
    assert_equal_models(model, round_trip(model, path), table)
    header = read_header(path)
    assert header["features"]["names"] == ["number", "word", "town", "day"]
    assert header["features"]["kinds"] == ["number", "category", "category", "date"]
    assert header["training"]["temperature"] == model.temperature_
    pipeline = askl.make_table_pipeline(regressor()).fit(table, rng.normal(size=120))
    assert_equal_models(pipeline, round_trip(pipeline, path), table)
    assert read_header(path)["steps"] == ["TableEncoder", "SpectralKernelRegressor"]
    assert read_header(path)["training"]["n_iter"] == 10


def test_automatic_regressors_predict_the_same_bits(numbers, path):
    X, y = numbers
    memory = joblib.Memory(path.parent / "cache", verbose=0)
    model = within(askl.AutoSpectralKernelRegressor, 2.0, max_members=16, memory=memory).fit(X, y)
    again = round_trip(model, path)
    assert_equal_models(model, again, X)
    for expected, got in zip(
        model.predict(X, return_std=True), again.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_array_equal(got, expected)
    assert again.memory is None


@pytest.mark.parametrize("make", [classifier, regressor, transformer])
def test_pickle_and_joblib_keep_models(make, classes, tmp_path):
    X, y = classes
    model = make().fit(X, y)
    assert_equal_models(model, pickle.loads(pickle.dumps(model)), X)
    joblib.dump(model, tmp_path / "model.joblib")
    assert_equal_models(model, joblib.load(tmp_path / "model.joblib"), X)
    mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert_equal_models(model, round_trip(mapped, tmp_path / "model.askl"), X)


@pytest.mark.parametrize("make", [classifier, regressor, transformer])
def test_skops_keeps_models_whose_types_are_trusted(make, classes, tmp_path):
    X, y = classes
    model = make().fit(X, y)
    skops.io.dump(model, tmp_path / "model.skops")
    unknown = skops.io.get_untrusted_types(file=tmp_path / "model.skops")
    assert all(name.startswith(("askl.", "numpy.")) for name in unknown)
    again = skops.io.load(tmp_path / "model.skops", trusted=unknown)
    assert_equal_models(model, again, X)


def test_extra_values_are_in_the_header_and_no_part_of_the_model(path, classes):
    model = classifier(max_epochs=1).fit(*classes)
    extra = {"target": "price", "kinds": {"a": "text"}, "list": [1, 0.5, None, True]}
    model.save(path)
    plain, before = path.read_bytes(), set(vars(model))
    askl.save(model, path, extra=extra)
    assert read_header(path)["extra"] == extra
    assert set(vars(model)) == set(vars(askl.load(path))) == before
    model.save(path)
    assert path.read_bytes() == plain
    assert read_header(path)["extra"] == {}


@pytest.mark.parametrize("extra", [{"a": float("nan")}, {"a": {1, 2}}, {"a": (1, 2)}, {1: "a"}])
def test_extra_values_that_json_would_change_are_refused(path, classes, extra):
    model = classifier(max_epochs=1).fit(*classes)
    with pytest.raises(ModelFileError, match="'extra' parameter of save must hold plain values"):
        askl.save(model, path, extra=extra)
    assert not path.exists()
