from __future__ import annotations

import json
import os
import pickle
import resource
import struct
import subprocess
import sys
import time
import tracemalloc
import warnings
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
import skops.io
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
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
from askl.learning import METHODS, Progress
from askl.persistence.codec import MAX_RECORDS, Decoder, Encoder
from askl.persistence.model_file import MAX_VALUES
from askl.persistence.save_load import read_header
from askl.preprocessing.input_scaling import SCALINGS, Scaling
from askl.spectral import ACTIVATIONS
from fuzz.mutations import edited, mutations, sealed
from tests.models import classifier, regressor, transformer


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.askl"


@pytest.fixture(scope="module")
def content(classes, tmp_path_factory) -> bytes:
    """The bytes of a small classifier with string labels."""
    X, y = classes
    model = classifier(n_components=8).fit(X, np.array(["low", "middle", "high"])[y])
    return askl.save(model, tmp_path_factory.mktemp("models") / "model.askl").read_bytes()


def round_trip(model, path):
    return askl.load(askl.save(model, path))


def assert_equal_models(model, again, X):
    """Every method the two have agrees to the bit."""
    assert type(again) is type(model)
    for method in ("predict", "predict_proba", "decision_function", "transform", "kernel"):
        if hasattr(model, method):
            expected = getattr(model, method)(X)
            np.testing.assert_array_equal(getattr(again, method)(X), expected)
            assert getattr(again, method)(X).dtype == expected.dtype


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


# The codec


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.just(Progress(1, 2, 3.0, 4.0, 5.0, np.inf, None, 7.0))
    | st.just(Scaling("standard", {"center": np.zeros(2), "scale": np.ones(2)}))
    | st.sampled_from([np.float32(0.1), np.int8(3), np.str_("é"), np.bool_(True), np.float64(2)])
    | st.sampled_from([np.datetime64("2020-02-03"), np.timedelta64(4, "h"), np.datetime64("NaT")])
    | st.sampled_from([np.dtype("f4"), np.dtype("M8[ns]"), np.float64, float, slice(1, None)])
    | st.sampled_from([Path("here.txt"), np.array(["a", None, np.nan], dtype=object)])
    | nps.arrays(
        nps.scalar_dtypes().filter(lambda dtype: dtype.kind in "biufMm" and dtype.itemsize <= 8)
        | nps.unicode_string_dtypes(max_len=5),
        nps.array_shapes(min_dims=0, min_side=0, max_side=4),
    ),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def same(first, second) -> bool:
    if type(first) is not type(second):
        return False
    if isinstance(first, np.ndarray):
        equal_nan = first.dtype.kind in "fMm"
        return (
            first.dtype == second.dtype.newbyteorder(first.dtype.byteorder)
            and first.shape == second.shape
            and all(map(same, first.tolist(), second.tolist()))
            if first.dtype.kind == "O"
            else np.array_equal(first, second, equal_nan=equal_nan)
        )
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return list(first) == list(second) and all(map(same, first.values(), second.values()))
    return bool(first == second) or (first != first and second != second)


@given(VALUES)
def test_values_come_back_as_they_were(value):
    encoder = Encoder()
    text = json.dumps(encoder(value), allow_nan=False)
    assert same(value, Decoder(encoder.tensors)(json.loads(text)))


@pytest.mark.parametrize("dtype", ["M8[ns]", "M8[D]", "m8[h]", ">f8", ">M8[s]", "U3", "f2", "?"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_arrays_come_back_as_they_were(dtype, shape):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    encoder = Encoder()
    again = Decoder(encoder.tensors)(encoder(array))
    assert again.dtype == array.dtype.newbyteorder("<")
    np.testing.assert_array_equal(again, array)


def test_numbers_that_are_no_text_are_refused():
    encoder = Encoder()
    encoded = encoder(np.array(["ab"]), "names")
    encoder.tensors["names"][0, 0] = 0x110000
    with pytest.raises(ModelFileError, match="not the text"):
        Decoder(encoder.tensors)(encoded)


def test_the_order_in_memory_is_kept():
    encoder = Encoder()
    encoded = encoder(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    again = Decoder(encoder.tensors)(encoded)
    assert again.flags.f_contiguous
    np.testing.assert_array_equal(again, np.arange(6.0).reshape(2, 3))


# What cannot be written


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


def test_a_failed_write_leaves_what_was_there(classes, path, monkeypatch):
    model = classifier().fit(*classes)
    askl.save(model, path)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ModelFileError, match=r"could not be written: No space left.*as it was"):
        askl.save(model, path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_an_error(classes, path):
    with pytest.raises(ModelFileError, match="could not be written: No such file or directory"):
        askl.save(classifier().fit(*classes), path / "deeper.askl")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_read_only_folder_is_an_error(classes, path):
    path.parent.chmod(0o500)
    with pytest.raises(ModelFileError, match="Permission denied"):
        askl.save(classifier().fit(*classes), path)


def test_a_link_is_refused(classes, path):
    target = path.with_name("target.askl")
    path.symlink_to(target)
    with pytest.raises(
        ModelFileError, match="could not be written: The name is that of a symbolic"
    ):
        askl.save(classifier().fit(*classes), path)
    assert not target.exists()


# What cannot be read


def refuse(path, content, match):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=match):
        askl.load(path)


def test_what_is_no_model_file_is_refused(path, content):
    refuse(path, b"", "is not a model file")
    refuse(path, b"PK\x03\x04" * 100, "is not a model file")
    refuse(path, struct.pack("<Q", 2**62) + content[8:], "is not a model file")
    refuse(path, safetensors.numpy.save({"a": np.zeros(2)}), "is not a model file")
    with pytest.raises(ModelFileError, match="could not be read: No such file"):
        askl.load(path.parent / "absent.askl")
    with pytest.raises(ModelFileError, match="could not be read: Is a directory"):
        read_header(path.parent)


def test_every_truncation_is_refused(path, content):
    for length in chain(range(0, 200), range(200, len(content), 97), [len(content) - 1]):
        refuse(path, content[:length], "is not a model file|is damaged")


def test_every_byte_counts(path, content):
    positions = [*range(0, 200), *range(200, len(content), 53), len(content) - 1]
    for position in positions:
        changed = bytearray(content)
        changed[position] ^= 1 << position % 8
        refuse(path, changed, "is not a model file|is damaged")
    refuse(path, content + b"\0", "is damaged")


def test_another_schema_is_refused_with_both_versions(path, content):
    changed = sealed(content, lambda header: {**header, "schema": 7})
    refuse(path, changed, r"is of schema version 7; askl .* reads version 1\. Install")
    with pytest.raises(ModelFileError, match="schema version 7"):
        read_header(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"state": {"object": ["Popen", {}]}}, "'Popen' is not a class"),
        ({"state": {"object": ["Progress", {}]}}, "'Progress' is not a class"),
        ({"state": {"record": ["Pipeline", [[]]]}}, "'Pipeline' is not a class"),
        ({"state": {"object": ["Pipeline", {"__class__": 1}]}}, "'__class__' is not an attribute"),
        (
            {"state": {"array": {"tensor": "weights_", "dtype": "|O8", "shape": [1]}}},
            "not of dtype",
        ),
        ({"state": {"dtype": "f4,f4"}}, "'f4,f4' is not a dtype"),
        ({"state": 3}, "does not hold a model"),
        ({"state": {"object": ["SpectralKernelClassifier", {}]}}, "not fitted"),
        ({"state": {"tuple": [1], "dict": []}}, "does not hold a model"),
    ],
)
def test_a_header_that_was_made_up_is_refused(change, message, path, content):
    refuse(path, sealed(content, lambda header: {**header, **change}), message)


def test_deep_nesting_and_many_values_are_refused(path, content):
    nested: list[object] = []
    for _ in range(100):
        nested = [nested]
    refuse(path, sealed(content, lambda header: {**header, "state": nested}), "nested deeper")
    deep = edited(content, lambda text: text[:-1] + ',"x":' + "[" * 10**5 + "]" * 10**5 + "}")
    refuse(path, deep, "damaged header: .*recursion")
    many = sealed(content, lambda header: {**header, "state": [0] * (MAX_VALUES + 1)})
    refuse(path, many, "values; a model file has at most")


def test_few_bytes_cannot_ask_for_many_objects(path, content):
    def state(value):
        return sealed(content, lambda header: {**header, "state": value})

    refuse(path, state([{"object": ["KFold", {}]}] * 1001), "more than 1000 objects")
    weights = {"array": {"tensor": "weights_", "dtype": "<f4", "shape": [24], "by_column": False}}
    refuse(path, state([weights, weights]), "does not hold a model: 'weights_'")
    encoder = Encoder()
    tall = {"records": ["Scaling", [encoder(np.zeros(MAX_RECORDS + 1)), []]]}
    with pytest.raises(ModelFileError, match="more than 250000 records"):
        Decoder(encoder.tensors)(tall)
    with pytest.raises(AsklError, match=r"at most 250000 records, .*history_\[::10\]"):
        Encoder()([Scaling("none", {})] * (MAX_RECORDS + 1), ".history_")


def test_layers_that_do_not_fit_are_refused(path, content):
    def reshape(header):
        attributes = header["state"]["object"][1]
        attributes["weights_"]["array"]["shape"].reverse()
        return header

    refuse(path, sealed(content, reshape), "the weights do not fit the layers")

    def narrow(header):
        header["state"]["object"][1]["n_features_in_"] = 2
        return header

    refuse(path, sealed(content, narrow), "a layer does not fit what is below it")


def test_a_file_from_before_a_parameter_has_its_default(path, content):
    def forget(header):
        del header["state"]["object"][1]["dropout"]
        return header

    path.write_bytes(sealed(content, forget))
    assert askl.load(path).dropout == 0.1


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


class Totals(NamedTuple):
    """What became of mutated files, and the most memory that Python took to load one."""

    refused: int
    loaded: int
    peak: int


def survive(path: Path, content: bytes, *, count: int, seed: int) -> Totals:
    """Load mutated files: each is refused as a ModelFileError, or is a model."""
    refused = loaded = peak = 0
    for mutation in mutations(content, count=count, seed=seed):
        path.write_bytes(mutation.content)
        tracemalloc.start()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InconsistentVersionWarning)
                model = askl.load(path)
        except ModelFileError:
            refused += 1
        else:
            assert mutation.sealed, f"{mutation.name} went unnoticed"
            assert hasattr(model, "get_params")
            loaded += 1
        peak = max(peak, tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return Totals(refused, loaded, peak)


def test_mutated_files_are_refused_or_are_models(path, content):
    totals = survive(path, content, count=300, seed=0)
    assert totals.refused + totals.loaded == 300
    assert totals.refused > 200


@pytest.mark.slow
def test_ten_thousand_mutated_files_need_little_memory(path, numbers, capsys):
    X, y = numbers
    model = regressor(n_components=300, max_epochs=2, scale_inputs="robust+quantile").fit(X, y)
    content = askl.save(model, path).read_bytes()
    started, resident = time.perf_counter(), peak_resident()
    totals = survive(path, content, count=10_000, seed=1)
    seconds, grown = time.perf_counter() - started, peak_resident() - resident
    with capsys.disabled():
        print(f"\n{totals}, file of {len(content)} bytes, {seconds:.0f} s, {grown} bytes resident")
    assert totals.refused + totals.loaded == 10_000
    assert totals.peak < 2 * len(content)  # torch has another size of the file
    assert grown < 2**26  # all of it: the mutations' own memory, torch's and the allocator's
    assert seconds < 1800.0


def peak_resident() -> int:
    """The most memory this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_a_large_file_takes_its_own_size_of_memory(numbers, path):
    model = regressor().fit(*numbers)
    model.ballast_ = np.random.default_rng(0).normal(size=5_000_000)
    size = askl.save(model, path).stat().st_size
    assert size > 4e7
    code = (
        "import resource, sys, askl\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak(); model = askl.load(sys.argv[1]); print(1024 * (peak() - before))"
    )
    command = [sys.executable, "-c", code, str(path)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(shown.stdout) < 1.5 * size


ONE_DAY = np.timedelta64(1, "D")


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
    model = askl.AutoSpectralKernelClassifier(time_budget=2, random_state=0).fit(table, y)
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
    options = {"memory": joblib.Memory(path.parent / "cache", verbose=0), "random_state": 0}
    model = askl.AutoSpectralKernelRegressor(time_budget=2, **options).fit(X, y)
    again = round_trip(model, path)
    assert_equal_models(model, again, X)
    for expected, got in zip(
        model.predict(X, return_std=True), again.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_array_equal(got, expected)
    assert again.memory is None


# Other ways to keep a model


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


def test_the_checksum_is_that_of_the_documentation(content):
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["askl"])
    blank = content.replace(header["checksum"].encode(), b"0" * 64)
    assert sha256(blank).hexdigest() == header["checksum"]
