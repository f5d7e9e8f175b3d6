from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.learning import LOSSES, NamedLoss, from_values
from askl.preprocessing.input_scaling import Scaling
from askl.spectral import ACTIVATIONS
from askl.theory import BoundRecorder, bounds
from tests.models import classifier, regressor, transformer

REAL = ["segment", "satimage", "pendigits", "letter", "abalone", "space_ga", "cpusmall", "cadata"]


def random_model(seed, *, n_outputs, n_branches, activation, phases, scale, regression):
    """An estimator that was never fitted but looks it, with any numbers in it."""
    rng = np.random.default_rng(seed)
    kind = SpectralKernelRegressor if regression else SpectralKernelClassifier
    model = kind(activation=activation, n_branches=n_branches)
    n_components, width = 12, 24 if activation == "paired" else 12
    shift = rng.uniform(
        0, 2 * math.pi, (n_branches if phases == "independent" else 1, n_components)
    )
    model.layers_ = [
        (
            scale * rng.normal(size=(n_branches, 2, n_components)).astype(np.float32),
            np.tile(shift, (1 if phases == "independent" else n_branches, 1)).astype(np.float32),
        )
    ]
    model.activation_, model.n_features_in_ = activation, 2
    rank = rng.integers(1, n_outputs + 1)
    model.weights_ = (rng.normal(size=(width, rank)) @ rng.normal(size=(rank, n_outputs))).astype(
        np.float32
    )
    model.scaling_ = Scaling("none", {})
    return model


@given(
    seed=st.integers(0, 10**6),
    n_samples=st.integers(1, 25),
    n_outputs=st.integers(1, 5),
    n_branches=st.integers(1, 3),
    activation=st.sampled_from(["cosine", "paired", "relu", "sigmoid"]),
    phases=st.sampled_from(["shared", "independent"]),
    scale=st.sampled_from([0.0, 0.1, 1.0, 30.0]),
    n_draws=st.integers(1, 8),
)
def test_the_chain_holds_for_random_models(seed, n_samples, n_draws, **shape):
    model = random_model(seed, regression=True, **shape)
    X = np.random.default_rng(seed + 1).normal(size=(n_samples, 2))
    result = bounds(model, X, n_draws=n_draws, random_state=seed)
    assert 0.0 <= result.monte_carlo.value <= result.feature_form <= result.trivial_form
    if shape["activation"] == "paired":
        assert result.closed_form == pytest.approx(result.feature_form, abs=1e-6)


DATA = {
    "digits": (load_digits, classifier),
    "wine": (load_wine, classifier),
    "breast_cancer": (load_breast_cancer, classifier),
    "diabetes": (load_diabetes, regressor),
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("method", ["sk", "nsk", "skl", "nskl", "askl"])
def test_the_chain_holds_for_fitted_models(name, method):
    load, kind = DATA[name]
    X, y = load(return_X_y=True)
    result = bounds(kind(method, max_epochs=2).fit(X, y), X, y, n_draws=3)
    assert 0.0 < result.monte_carlo.value <= result.feature_form <= result.trivial_form
    assert result.closed_form == pytest.approx(result.feature_form, rel=0.2)


@pytest.mark.parametrize("name", REAL)
def test_the_chain_holds_on_real_data(name):
    folder = os.environ.get("ASKL_DATA")
    if folder is None:
        pytest.skip("ASKL_DATA does not name a folder of data sets")
    with np.load(Path(folder) / f"{name}.npz") as data:
        X, y = data["X"][:2000], data["y"][:2000]
    kind = classifier if y.dtype.kind == "i" else regressor
    for activation in ("cosine", "paired"):
        result = bounds(kind(activation=activation, max_epochs=2).fit(X, y), X, y, n_draws=3)
        assert 0.0 < result.monte_carlo.value <= result.feature_form <= result.trivial_form
    assert result.closed_form == pytest.approx(result.feature_form, abs=1e-6)


@pytest.fixture(scope="module")
def fitted(classes):
    return classifier(activation="paired").fit(*classes)


def test_singular_values_and_trace_norm_are_numpys(fitted, classes):
    result = bounds(fitted, classes[0])
    expected = np.linalg.svd(fitted.weights_.astype(float), compute_uv=False)
    np.testing.assert_allclose(result.singular_values, expected, rtol=1e-10)
    assert result.trace_norm == pytest.approx(expected.sum())


def test_every_form_is_its_formula(fitted, classes):
    X, _ = classes
    result = bounds(fitted, X)
    squares = (fitted.transform(X).astype(float) ** 2).sum()
    norm, n, k = result.trace_norm, len(X), 3
    assert result.trace == pytest.approx(squares, rel=1e-5)
    assert result.feature_form == pytest.approx(norm / n * math.sqrt(k * result.trace))
    assert result.trivial_form == pytest.approx(norm * math.sqrt(k / n))
    assert result.constants.lipschitz == math.sqrt(2.0)
    assert result.constants.largest == pytest.approx(math.log(3) + math.sqrt(2) * norm)
    assert result.generalization_gap < result.excess_risk


def test_a_stationary_psi_has_trace_n_and_a_non_stationary_one_less(classes):
    X, y = classes
    stationary, free = (
        bounds(classifier(method, activation="paired").fit(X, y), X) for method in ("skl", "askl")
    )
    assert stationary.trace == pytest.approx(len(X), abs=1e-6)
    assert stationary.trace <= len(X)
    assert free.trace < 0.9 * len(X)


def test_the_range_of_the_targets_decides_for_squared_loss(numbers):
    X, y = numbers
    model = regressor().fit(X, y)
    given_targets, from_outputs = bounds(model, X, y), bounds(model, X)
    width = np.ptp(y) / y.std()
    assert given_targets.constants.lipschitz == pytest.approx(2.0 * width)
    assert given_targets.constants.largest == pytest.approx(width**2)
    assert from_outputs.constants.lipschitz == pytest.approx(
        2.0 * np.ptp(model.predict(X)) / y.std(), rel=1e-4
    )


def test_a_stack_of_layers_is_bounded_by_its_last_one(classes):
    X, y = classes
    model = classifier(activation="paired", hidden_components=(20,)).fit(X, y)
    result = bounds(model, X)
    assert result.closed_form == pytest.approx(result.feature_form, abs=1e-6)


def test_sparse_rows_are_welcome(classes):
    X, y = classes
    model = classifier(scale_inputs="none").fit(X, y)
    assert bounds(model, csr_matrix(X)).trace == pytest.approx(bounds(model, X).trace)


def test_the_same_seed_draws_the_same_signs(fitted, classes):
    first, second = (bounds(fitted, classes[0], random_state=3) for _ in range(2))
    other = bounds(fitted, classes[0], random_state=4)
    assert first.monte_carlo == second.monte_carlo != other.monte_carlo


def test_its_look_names_the_chain(fitted, classes):
    shown = repr(bounds(fitted, classes[0], delta=0.1))
    assert shown.startswith("Bounds for n = 240, K = 3, smoothed log loss\n")
    for part in ("‖W‖_* =", "(Monte Carlo) ≤", "(features) ≤", "(trivial)", "probability 0.9:"):
        assert part in shown


def test_a_loss_added_to_the_table_is_bounded_but_for_the_risk(monkeypatch, numbers):
    X, y = numbers
    own = from_values(lambda f, t: torch.nn.functional.l1_loss(f, t, reduction="none").sum(1))
    monkeypatch.setitem(LOSSES, "own", NamedLoss(own, "regression"))
    recorder = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
    model = regressor(loss="own", refit_head=False, callback=recorder).fit(X[::2], y[::2])
    result, twin = bounds(model, X, y), bounds(regressor(refit_head=False).fit(X, y), X, y)
    assert 0.0 < result.monte_carlo.value <= result.feature_form <= result.trivial_form
    assert math.isnan(result.generalization_gap)
    assert math.isnan(result.excess_risk)
    assert "no bounds: L and the largest value of this loss are not known" in repr(result)
    assert math.isfinite(twin.excess_risk)
    assert math.isfinite(recorder.points[-1].test_loss)


def test_an_activation_added_to_the_table_is_bounded_by_what_was_seen(monkeypatch, classes):
    X, y = classes
    row = ACTIVATIONS["cosine"]._replace(largest_squared_norm=math.inf, samples_kernel=False)
    monkeypatch.setitem(ACTIVATIONS, "own", row)
    model = classifier(activation="own").fit(X, y)
    result = bounds(model, X)
    seen = np.linalg.norm(model.transform(X).astype(float), axis=1).max()
    assert result.largest_norm == pytest.approx(seen, rel=1e-6)
    assert math.isnan(result.closed_form)
    assert result.feature_form <= result.trivial_form


@pytest.mark.parametrize(("parameter", "value"), [("delta", 0.0), ("delta", 1.0), ("n_draws", 0)])
def test_what_is_out_of_range_is_named(parameter, value, fitted, classes):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of bounds must be .* Got"):
        bounds(fitted, classes[0], **{parameter: value})


def test_what_has_no_loss_has_no_bounds(classes):
    X, y = classes
    for model in (transformer(), make_pipeline(StandardScaler(), classifier())):
        with pytest.raises(TypeError, match="'estimator' parameter of bounds must be a fitted"):
            bounds(model.fit(X, y), X)
