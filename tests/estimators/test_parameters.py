from __future__ import annotations

import copy
import inspect
import pickle
import re
from dataclasses import dataclass, fields

import numpy as np
import pytest
import torch
from sklearn.base import clone

from askl import SpectralFeatures, SpectralKernelClassifier, SpectralKernelRegressor
from askl.estimators.parameters import ClassifierParameters, NumberParameters
from askl.learning import LOSSES, METHODS
from askl.learning.loss_types import NamedLoss, from_values
from askl.preprocessing.parameter_table import constraints_of, documented, parameter
from askl.preprocessing.parameter_validation import real
from askl.spectral import DENSITIES, Density
from tests.models import classifier, regressor, transformer

ESTIMATORS = [SpectralKernelClassifier, SpectralKernelRegressor, SpectralFeatures]
GLOSSARY = (
    "method n_components hidden_components activation frequency_scale density phases loss "
    "head_penalty feature_penalty optimizer learning_rate head_learning_rate schedule batch_size "
    "max_epochs early_stopping validation_fraction n_iter_no_change scale_inputs "
    "warm_start device n_threads random_state verbose"
)


TABLES = {
    SpectralKernelClassifier: ClassifierParameters,
    SpectralKernelRegressor: NumberParameters,
    SpectralFeatures: NumberParameters,
}


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_parameter_of_the_glossary_is_there(kind):
    assert kind().get_params().keys() >= set(GLOSSARY.split())


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_signature_constraints_and_documentation_are_those_of_the_table(kind):
    rows = {row.name: row for row in fields(TABLES[kind])}
    signature = inspect.signature(kind).parameters
    assert list(signature) == list(rows)
    assert {name: each.default for name, each in signature.items()} == {
        name: row.default for name, row in rows.items()
    }
    positional = [name for name, each in signature.items() if each.kind is not each.KEYWORD_ONLY]
    assert positional == ["method"]
    assert constraints_of(kind).keys() == rows.keys()
    text = " ".join(inspect.getdoc(kind).split())
    for name, row in rows.items():
        assert f" {name} : " in text
        assert " ".join(row.metadata["text"].split()) in text
    kind().check_parameters()


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_what_does_nothing_for_an_estimator_is_no_parameter_of_it(kind):
    only = {"class_weight", "head_strength"}, {"scale_targets"}
    own, others = only if kind is SpectralKernelClassifier else only[::-1]
    assert own <= kind().get_params().keys()
    assert not others & kind().get_params().keys()


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_sections_of_the_documentation_are_complete_and_in_order(kind):
    sections = re.findall(r"^(\w+)\n-+$", inspect.getdoc(kind), re.MULTILINE)
    assert sections == ["Parameters", "Attributes", "Examples"]
    assert inspect.getdoc(kind).count("\nlayers_ : ") == 1


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_estimators_are_copied_with_all_their_parameters(kind):
    model = kind("skl", n_components=7, hidden_components=(3,), random_state=5)
    for other in (clone(model), pickle.loads(pickle.dumps(model)), copy.copy(model)):
        assert other is not model
        assert other.get_params() == model.get_params()
    assert hash(model) != hash(clone(model)), "estimators are equal only to themselves"
    assert " ".join(repr(model).split()) == (
        f"{kind.__name__}(hidden_components=(3,), method='skl', n_components=7, random_state=5)"
    )


@documented("")
@dataclass(eq=False, repr=False, kw_only=True)
class ColdClassifier(SpectralKernelClassifier):
    """Classify at a temperature.

    Examples
    --------
    >>> 1 + 1
    2
    """

    temperature: float = parameter(1.0, real(0.0, above=True), "Of the probabilities.")


def test_one_declaration_is_all_that_a_new_parameter_needs(classes):
    model = ColdClassifier(temperature=2.0, n_components=20)
    assert clone(model).get_params()["temperature"] == 2.0
    assert "temperature : float above 0, default=1.0\n    Of the prob" in inspect.getdoc(model)
    assert model.fit(*classes).temperature == 2.0
    with pytest.raises(ValueError, match="'temperature' parameter of ColdClassifier must be"):
        model.set_params(temperature=0.0).fit(*classes)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("method", "svm"),
        ("method", ["askl"]),
        ("n_components", 0),
        ("n_components", 10.0),
        ("n_components", True),
        ("hidden_components", 100),
        ("hidden_components", (10, 0)),
        ("activation", "tanh"),
        ("frequency_scale", 0.0),
        ("frequency_scale", "wide"),
        ("density", "uniform"),
        ("phases", "none"),
        ("loss", "absolute"),
        ("head_penalty", -1e-3),
        ("feature_penalty", -1.0),
        ("feature_penalty", float("nan")),
        ("dropout", 1.0),
        ("input_noise", -0.1),
        ("optimizer", "lbfgs"),
        ("learning_rate", 0.0),
        ("learning_rate", float("inf")),
        ("head_learning_rate", -0.1),
        ("schedule", "linear"),
        ("batch_size", 0),
        ("batch_size", "all"),
        ("max_epochs", 0),
        ("early_stopping", "yes"),
        ("validation_fraction", 0.0),
        ("validation_fraction", 1.0),
        ("n_iter_no_change", 0),
        ("scale_inputs", "minmax"),
        ("n_branches", 0),
        ("learn_frequencies", 1),
        ("head_norm", "spectral"),
        ("warm_start", None),
        ("device", 0),
        ("n_threads", 0),
        ("record_every", 0),
        ("callback", "print"),
        ("random_state", "zero"),
        ("verbose", -1),
        ("class_weight", "heavy"),
    ],
)
def test_a_value_out_of_bounds_is_named(name, value, classes):
    pattern = rf"The '{name}' parameter of SpectralKernelClassifier must be .+\. Got .+ instead\."
    for call in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=pattern):
            getattr(classifier(**{name: value}), call)(*classes)


@pytest.mark.parametrize(("name", "value"), [("refit_head", "never"), ("scale_targets", "sqrt")])
@pytest.mark.parametrize("make", [regressor, transformer])
def test_a_value_for_numbers_out_of_bounds_is_named(make, name, value, numbers):
    with pytest.raises(ValueError, match=rf"The '{name}' parameter of Spectral\w+ must be .+ Got"):
        make(**{name: value}).fit(*numbers)


def test_parameters_are_checked_in_fit_and_not_before():
    model = classifier(head_penalty=-1.0)
    assert model.get_params()["head_penalty"] == -1.0
    assert model.set_params(n_components=-3).n_components == -3


def test_numpy_numbers_are_numbers(classes):
    model = classifier(
        n_components=np.int64(8), head_penalty=np.float32(1e-3), batch_size=np.int32(50)
    )
    assert model.fit(*classes).weights_.shape == (8, 3)


@pytest.mark.parametrize("method", METHODS)
def test_every_field_of_a_row_can_be_overridden(method):
    row = METHODS[method]
    assert classifier(method).resolve_method() == row
    named = {
        "n_branches": 3 - row.n_branches,
        "learn_frequencies": not row.learn_frequencies,
        "head_norm": "frobenius" if row.head_norm == "trace" else "trace",
        "head_penalty": 0.25,
        "feature_penalty": 0.0,
    }
    assert classifier(method, **named).resolve_method()._asdict() == named


def test_an_overridden_row_is_the_other_row(classes):
    X, y = classes
    named = classifier("nskl").fit(X, y)
    row = METHODS["nskl"]._asdict()
    made = classifier("askl", **row).fit(X, y)
    np.testing.assert_array_equal(named.weights_, made.weights_)


def test_more_than_two_branches_are_allowed(numbers):
    model = regressor(n_branches=3).fit(*numbers)
    assert model.frequencies_.shape == (3, 3, 60)
    assert model.score(*numbers) > 0.7


def test_a_density_added_to_the_table_can_be_named(monkeypatch, classes):
    def uniform(n_features, n_draws, generator):
        return 2.0 * torch.rand(n_features, n_draws, generator=generator) - 1.0

    monkeypatch.setitem(DENSITIES, "uniform", Density(uniform, lambda n_features: 3.0))
    model = classifier("nsk", density="uniform").fit(*classes)
    assert 2.0 < np.abs(model.frequencies_).max() <= 3.0


def test_a_loss_added_to_the_table_can_be_named(monkeypatch, numbers):
    def absolute(outputs, targets):
        return (outputs - targets).abs().sum(dim=1)

    monkeypatch.setitem(LOSSES, "absolute", NamedLoss(from_values(absolute), "regression"))
    model = regressor(loss="absolute", max_epochs=30).fit(*numbers)
    assert model.score(*numbers) > 0.7
    assert model.head_strength_ is None, "only the squared loss has an exact head"
