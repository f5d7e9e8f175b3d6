"""Inputs decorrelated and weighted: the transform, the model it is folded into, and fits."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.estimators import fit
from askl.estimators.input_transform import (
    LEAST_WEIGHT,
    InputTransform,
    TransformedRows,
    decorrelating_matrix,
    relevance_weights,
)
from askl.learning import Model, TensorRows, compute_outputs
from askl.spectral import Layer

SMALL = {"n_components": 60, "max_epochs": 12, "density": "gaussian", "random_state": 0}


def few_of_many(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Make rows of forty columns, of which two decide the target."""
    X = np.random.default_rng(seed).normal(size=(n_rows, 40))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2


def test_weights_are_in_proportion_to_the_root_of_relevance_and_of_mean_square_one():
    weights = relevance_weights(torch.tensor([4.0, 1.0, 0.25]).double())
    torch.testing.assert_close(weights / weights[0], torch.tensor([1.0, 0.5, 0.25]).double())
    assert weights.square().mean().item() == pytest.approx(1.0)


def test_no_weight_is_zero():
    weights = relevance_weights(torch.tensor([1.0, 0.0, 1e-30]))
    expected = torch.tensor([1.0, LEAST_WEIGHT, LEAST_WEIGHT])
    torch.testing.assert_close(weights / weights[0], expected)


@pytest.mark.parametrize("relevance", [[0.0, 0.0], [1.0, np.nan], [np.inf, 1.0]])
def test_without_any_relevance_there_are_no_weights(relevance):
    assert relevance_weights(torch.tensor(relevance)) is None


def nearly_equal_columns(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Make rows of six columns that are nearly the same, and classes that depend on differences."""
    generator = np.random.default_rng(seed)
    common, own = generator.normal(size=(n_rows, 1)), generator.normal(size=(n_rows, 6))
    X = common + 0.1 * own
    return 100.0 + 20.0 * X, np.sign(own[:, 0] - own[:, 1]) + 3.0 * (own[:, 2] > own[:, 3])


def standardised(inputs: torch.Tensor) -> torch.Tensor:
    return (inputs - inputs.mean(dim=0)) / inputs.std(dim=0, correction=0)


def test_directions_are_uncorrelated_and_their_variances_the_roots_of_what_they_were():
    inputs = torch.from_numpy(nearly_equal_columns(500)[0])
    matrix = decorrelating_matrix(TensorRows(inputs, torch.zeros(500, 1))).double()
    transformed = (inputs - inputs.mean(dim=0)) @ matrix
    correlations = standardised(inputs).T @ standardised(inputs) / 500
    expected = torch.linalg.eigvalsh(correlations).sqrt().diag()
    torch.testing.assert_close(transformed.T @ transformed / 500, expected, atol=1e-4, rtol=1e-4)


def test_rows_count_as_often_as_their_weight():
    inputs = torch.from_numpy(nearly_equal_columns(40)[0])
    counts = torch.arange(40) % 3
    repeated = inputs.repeat_interleave(counts, dim=0)
    found = [
        decorrelating_matrix(TensorRows(inputs, torch.zeros(40, 1), counts * (40 / counts.sum()))),
        decorrelating_matrix(TensorRows(repeated, torch.zeros(len(repeated), 1))),
    ]
    torch.testing.assert_close(found[0].abs(), found[1].abs())  # directions have no sign


def test_constant_and_equal_columns_stay_finite():
    one = torch.randn(50, 1, generator=torch.Generator().manual_seed(0))
    inputs = torch.cat([one, one, -3.0 * one, torch.full((50, 1), 7.7)], dim=1)
    for each in (inputs, inputs[:, 3:], inputs[:1]):
        matrix = decorrelating_matrix(TensorRows(each, torch.zeros(len(each), 1)))
        assert matrix.isfinite().all()
        assert (each @ matrix).abs().max() < 200.0


def draws(seed: int = 0):
    generator = torch.Generator().manual_seed(seed)
    return lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)


TRANSFORMS = {
    "weighted": InputTransform(None, torch.tensor([0.1, 1.0, 2.0]).double()),
    "rotated": InputTransform(draws(1)(3, 3)),
    "both": InputTransform(draws(1)(3, 3), torch.tensor([0.1, 1.0, 2.0]).double()),
    "neither": InputTransform(),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_transform_folded_into_a_model_is_the_model_of_transformed_inputs(depth, transform):
    draw = draws()
    widths = [0, *[5] * (depth - 1)]
    layers = tuple(Layer(draw(2, 3 + width, 5), draw(2, 5)) for width in widths)
    model, inputs = Model(layers, draw(5, 2)), draw(7, 3)
    expected = compute_outputs(transform.apply(inputs), model)
    torch.testing.assert_close(compute_outputs(inputs, transform.fold_into(model)), expected)


def test_inputs_are_multiplied_by_the_matrix_and_then_by_the_weights():
    inputs, (matrix, weights) = draws()(4, 3), TRANSFORMS["both"]
    by_hand = inputs @ matrix @ torch.diag(weights)
    torch.testing.assert_close(TRANSFORMS["both"].apply(inputs), by_hand)


def test_transformed_rows_are_the_rows_with_transformed_inputs():
    rows = TensorRows(torch.arange(12.0).view(6, 2), torch.arange(6.0)[:, None])
    transform = InputTransform(torch.tensor([[1.0, 2.0], [0.0, -1.0]]), torch.tensor([2.0, 0.5]))
    transformed = transform.apply_to_rows(rows)
    assert isinstance(transformed, TransformedRows)
    assert InputTransform().apply_to_rows(rows) is rows
    assert (transformed.n_samples, transformed.n_batches(4)) == (6, 2)
    for plain, batch in zip(rows.blocks(4), transformed.blocks(4), strict=True):
        torch.testing.assert_close(batch.inputs, transform.apply(plain.inputs))
    drawn = [
        source.epoch(4, torch.Generator().manual_seed(0), skip=1) for source in (rows, transformed)
    ]
    for plain, batch in zip(*drawn, strict=True):
        torch.testing.assert_close(batch.inputs, transform.apply(plain.inputs))
        torch.testing.assert_close(batch.targets, plain.targets)


@pytest.mark.parametrize("weigh", [False, True])
@pytest.mark.parametrize("hidden", [(), (30,)])
def test_decorrelation_helps_where_columns_are_nearly_the_same(hidden, weigh):
    (X, y), (X_test, y_test) = nearly_equal_columns(400), nearly_equal_columns(600, seed=1)
    settings = {**SMALL, "hidden_components": hidden, "weigh_inputs": weigh}
    plain, decorrelated = (
        SpectralKernelClassifier(**settings, decorrelate_inputs=choice).fit(X, y)
        for choice in (False, True)
    )
    assert decorrelated.score(X_test, y_test) > plain.score(X_test, y_test) + 0.1


@pytest.mark.parametrize("hidden", [(), (30,)])
def test_weights_help_where_few_of_many_columns_matter(hidden):
    (X, y), (X_test, y_test) = few_of_many(600), few_of_many(600, seed=1)
    plain, weighted = (
        SpectralKernelRegressor(**SMALL, hidden_components=hidden, weigh_inputs=choice).fit(X, y)
        for choice in (False, True)
    )
    assert weighted.score(X_test, y_test) > plain.score(X_test, y_test) + 0.1
    found = [model.feature_relevance_[:2].sum() for model in (plain, weighted)]
    total = [model.feature_relevance_.sum() for model in (plain, weighted)]
    assert found[1] / total[1] > found[0] / total[0]


@pytest.mark.parametrize(
    "extra",
    [{}, {"early_stopping": True}, {"decorrelate_inputs": True}],
)
def test_classes_are_learned_from_arrays_and_from_streams(extra):
    X, y = few_of_many(300)
    y = np.where(y > np.median(y), "high", "low")
    model = SpectralKernelClassifier(**SMALL, **extra, weigh_inputs=True).fit(X, y)
    streamed = SpectralKernelClassifier(**SMALL, **extra, weigh_inputs=True)
    streamed.fit_stream(lambda: iter([(X[:150], y[:150]), (X[150:], y[150:])]))
    assert min(model.score(X, y), streamed.score(X, y)) > 0.7


@pytest.mark.parametrize("option", ["weigh_inputs", "decorrelate_inputs"])
def test_assigned_frequencies_and_warm_starts_have_no_transform(option):
    X, y = few_of_many(100)
    for method in ("sk", "nsk"):
        predictions = [
            SpectralKernelRegressor(method, **SMALL, **{option: choice}).fit(X, y).predict(X)
            for choice in (False, True)
        ]
        np.testing.assert_array_equal(*predictions)
    model = SpectralKernelRegressor(**SMALL, warm_start=True, refit_head=False).fit(X, y)
    other = SpectralKernelRegressor(**SMALL, warm_start=True, refit_head=False).fit(X, y)
    other.set_params(**{option: True})
    np.testing.assert_array_equal(model.fit(X, y).predict(X), other.fit(X, y).predict(X))


def test_targets_that_are_all_alike_leave_inputs_as_they_are():
    X, y = few_of_many(60)[0], np.full(60, 3.0)
    model = SpectralKernelRegressor(**SMALL, weigh_inputs=True).fit(X, y)
    np.testing.assert_allclose(model.predict(X), 3.0, atol=1e-5)


@pytest.mark.parametrize("option", ["weigh_inputs", "decorrelate_inputs"])
def test_callbacks_see_a_model_of_untransformed_inputs(option):
    X, y = few_of_many(200)
    scores = []
    model = SpectralKernelRegressor(
        **SMALL,
        **{option: True},
        refit_head=False,
        callback=lambda progress, model: scores.append(model.score(X, y)),
    ).fit(X, y)
    assert len(scores) == SMALL["max_epochs"]
    assert scores[-1] == pytest.approx(model.score(X, y), abs=1e-6)


@pytest.mark.parametrize("decorrelate", [False, True])
def test_an_interrupted_short_training_is_kept(monkeypatch, decorrelate):
    X, y = few_of_many(200)
    settings = {**SMALL, "weigh_inputs": True, "decorrelate_inputs": decorrelate}
    train = fit.train

    def interrupt(*arguments, **options):
        return train(*arguments, **options)._replace(stop="interrupted")

    monkeypatch.setattr(fit, "train", interrupt)
    with pytest.warns(ConvergenceWarning, match="interrupted after 3 epochs"):
        model = SpectralKernelClassifier(**settings).fit(X, y > np.median(y))
    assert model.score(X, y > np.median(y)) > 0.6
