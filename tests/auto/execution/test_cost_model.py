"""What a training is estimated to take: counted by hand, and more where there is more to do."""

from __future__ import annotations

import numpy as np
import pytest

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.auto.execution.cost_model import CostModel, Work, count_work, estimate_seconds
from askl.auto.settings import CostConstants
from tests.auto.cases import SETTINGS, problem_of

UNITS = CostConstants(1.0, 1.0, 1.0, 1.0)


def test_work_is_counted_by_hand():
    model = SpectralKernelClassifier(
        n_components=20, hidden_components=(30,), n_branches=1, max_epochs=7, batch_size=64
    )
    n_samples, d, K = 200, 5, 3
    # Four batches an epoch. Angles, and gradients of frequencies and of hidden features.
    first, second = 2 * d * 30, 2 * (d + 30) * 20 + 30 * 20
    assert count_work(model, n_samples, d, K) == Work(
        layers=7 * 4 * 2,
        multiplications=7 * n_samples * (first + second + 3 * 20 * K),
        features=7 * n_samples * (30 + 20),
        inputs=n_samples * d,
    )


def test_a_solved_head_has_a_gram_matrix_and_a_factor_for_each_strength():
    parameters = {"n_components": 20, "max_epochs": 7}
    solved, trained = (
        count_work(SpectralKernelRegressor(**parameters, refit_head=on), 200, 5, 1)
        for on in (True, False)
    )
    assert solved.multiplications - trained.multiplications == 20**2 * 200 + 10 * 20**3
    assert solved._replace(multiplications=0) == trained._replace(multiplications=0)


def test_seconds_are_work_times_constants():
    model = SpectralKernelRegressor(n_components=20)
    work = count_work(model, 300, 4, 2)
    assert estimate_seconds(model, 300, 4, 2, UNITS) == pytest.approx(sum(work), rel=1e-12)
    expected = np.dot(work, CostConstants())
    assert estimate_seconds(model, 300, 4, 2) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ({"n_branches": 2}, {"n_branches": 1}),
        ({"max_epochs": 30}, {"max_epochs": 29}),
        ({"batch_size": 32}, {"batch_size": 64}),
        ({"hidden_components": (8,)}, {}),
        ({"weigh_inputs": True}, {}),
        ({"refit_head": True}, {"refit_head": False}),
        ({"symmetries": ((1, 0),)}, {}),
    ],
)
def test_more_to_do_takes_longer(more, less):
    long, short = (
        estimate_seconds(SpectralKernelRegressor(**each), 500, 8, 1) for each in (more, less)
    )
    assert long > short


def test_inputs_count_as_often_as_they_are_scaled(rng):
    X = np.column_stack([rng.normal(size=(80, 2)), rng.integers(2, size=(80, 3))])
    costs = CostModel(problem_of(X, X[:, 0]), SETTINGS.cost)
    for scaling, n_inputs in {"robust": 5, "robust+quantile": 10, "bins": 2 * 8 + 3}.items():
        parameters = {"scale_inputs": scaling}
        expected = estimate_seconds(SpectralKernelRegressor(**parameters), 80, n_inputs, 1)
        assert costs.estimate(parameters, 80) == expected


def test_classes_count_as_outputs_and_constants_as_given(rng):
    X = rng.normal(size=(80, 2))
    y = np.arange(80) % 5
    costs = CostModel(problem_of(X, y, 5), UNITS)
    expected = estimate_seconds(SpectralKernelClassifier(), 64, 2, 5, UNITS)
    assert costs.estimate({}, 64) == expected


def test_a_training_that_cannot_begin_takes_no_time(rng):
    X = rng.normal(size=(80, 2))
    assert CostModel(problem_of(X, X[:, 0]), UNITS).estimate({"n_components": 0}, 80) == 0.0
