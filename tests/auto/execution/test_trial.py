"""One training: what is learned from which rows, and what is known when it failed."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.auto.candidates import CandidateKey
from askl.auto.execution.folds import make_folds
from askl.auto.execution.scoring import classification_error
from askl.auto.execution.trial import make_model, predict_model, run_trial, train_model
from tests.auto.cases import SETTINGS, problem_of

SMALL = {"n_components": 32, "max_epochs": 2}
KEY = CandidateKey("small")


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return problem_of(X, y, 3)


def test_a_model_for_selection_is_the_same_but_measures_no_relevance(rng):
    X = rng.normal(size=(200, 3))
    problem = problem_of(X, X[:, 0])
    kept, tried = (train_model(problem, SMALL, 0, for_selection=on).model for on in (False, True))
    np.testing.assert_array_equal(kept.predict(X), tried.predict(X))
    assert kept.feature_relevance_.argmax() == 0
    assert not hasattr(tried, "feature_relevance_")


def test_a_trial_is_a_fit_on_the_rows_of_a_fold_judged_on_the_others(iris):
    fold = make_folds(iris.targets, 3, 0, SETTINGS)[2]
    trial = run_trial(iris, fold, KEY, SMALL)
    model = SpectralKernelClassifier(random_state=2, **SMALL)
    model.fit(iris.X[fold.train], iris.targets[fold.train])
    expected = model.predict_proba(iris.X[fold.held_out])
    np.testing.assert_array_equal(trial.predictions, expected)
    error = classification_error(expected, iris.targets[fold.held_out], log_loss_share=0.3)
    assert (trial.key, trial.error, trial.failure) == (KEY, error, "")
    assert trial.seconds > 0.0


def test_a_failure_is_returned_and_not_raised(iris):
    fold = make_folds(iris.targets, 3, 0, SETTINGS)[0]
    trial = run_trial(iris, fold, KEY, {**SMALL, "symmetries": [(0, 1)]})
    assert trial.predictions is None
    assert trial.error == np.inf
    assert trial.failure.startswith("ValueError: The 'symmetries' parameter")


def test_an_error_of_the_program_is_raised(iris):
    with pytest.raises(TypeError):
        train_model(iris, {"no such parameter": 1}, 0)


def test_an_interrupted_training_interrupts_the_search(iris):
    def interrupt(progress, model):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_model(iris, {**SMALL, "callback": interrupt}, 0)


def test_sample_weights_go_along_with_their_rows(iris):
    weights = np.linspace(0.0, 2.0, 150)
    some = iris._replace(sample_weight=weights).take(np.array([3, 140]))
    np.testing.assert_array_equal(some.sample_weight, weights[[3, 140]])
    np.testing.assert_array_equal(some.X, iris.X[[3, 140]])
    assert (some.n_samples, some.n_outputs) == (2, 3)
    assert iris.take(np.array([0])).sample_weight is None


def test_a_model_that_knows_some_classes_gives_the_others_no_probability(iris):
    rows = np.flatnonzero(iris.targets != 1)
    model = train_model(iris.take(rows), SMALL, 0).model
    probabilities = predict_model(model, iris.X, 3)
    assert (probabilities[:, 1] == 0.0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


@pytest.mark.parametrize(("shape", "n_outputs"), [((20,), 1), ((20, 4), 4)])
def test_models_of_numbers_have_an_output_for_each_target(shape, n_outputs):
    problem = problem_of(np.zeros((20, 2)), np.zeros(shape))
    assert problem.n_outputs == n_outputs
    assert isinstance(make_model(problem, {}), SpectralKernelRegressor)
    with pytest.raises(ValueError, match="n_components"):
        make_model(problem, {"n_components": 0})
