"""The stages of a fit, and what happens during them: records, callbacks, stops, seeds."""

from __future__ import annotations

import random
import signal
from functools import partial

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from askl.estimators.build import Plan, make_options, open_context
from askl.estimators.fit import draw_initial, fit_model, transform_inputs
from askl.estimators.head import refit_head
from askl.estimators.input_transform import InputTransform
from askl.estimators.regressor import negative_squared_error
from askl.estimators.training_data import ArrayData
from askl.learning import METHODS
from askl.learning.heads.exact_head import STRENGTHS
from tests.models import classifier, regressor, with_trained_head

TASKS = {"classes": classifier, "numbers": regressor}


@pytest.fixture(params=TASKS)
def task(request):
    return TASKS[request.param], *request.getfixturevalue(request.param)


def test_the_same_seed_gives_the_same_bits(task):
    make, X, y = task
    first, second, other = (make(random_state=seed).fit(X, y) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.predict(X), second.predict(X))
    np.testing.assert_array_equal(first.weights_, second.weights_)
    assert not np.array_equal(first.weights_, other.weights_)
    generators = [make(random_state=np.random.RandomState(7)).fit(X, y) for _ in range(2)]
    np.testing.assert_array_equal(generators[0].weights_, generators[1].weights_)


def test_global_generators_are_untouched(task):
    make, X, y = task
    before = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002
    make(early_stopping=True, dropout=0.1).fit(X, y)
    assert torch.equal(torch.get_rng_state(), before[0])
    np.testing.assert_array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002
    assert random.getstate() == before[2]


def test_a_callback_sees_an_estimator_that_can_predict(task):
    make, X, y = task
    scores = []

    def callback(progress, estimator):
        assert isinstance(estimator, type(make()))
        scores.append((progress.epoch, estimator.score(X, y)))

    model = with_trained_head(make, callback=callback).fit(X, y)
    assert [epoch for epoch, _ in scores] == list(range(1, 11))
    assert scores[-1][1] > scores[0][1]
    assert scores[-1][1] == pytest.approx(model.score(X, y))


def test_records_are_taken_after_a_number_of_iterations(task):
    make, X, y = task
    seen = []
    model = with_trained_head(
        make, record_every=7, batch_size=60, callback=lambda p, _: seen.append(p)
    ).fit(X, y)
    assert [record.iteration for record in model.history_] == [7, 14, 21, 28, 35]
    assert seen == model.history_
    assert model.n_iter_ == 10


def interrupt_by_exception():
    raise KeyboardInterrupt


def interrupt_by_signal():
    # A shell's background jobs ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("interrupt", [interrupt_by_exception, interrupt_by_signal])
def test_an_interrupted_fit_keeps_the_model_trained_so_far(interrupt, task):
    make, X, y = task
    kept = []

    def callback(progress, estimator):
        if progress.epoch == 4:
            kept.append(estimator.predict(X))
            interrupt()

    model = make(callback=callback)
    with pytest.warns(ConvergenceWarning, match=r"interrupted after 4 epochs.*kept"):
        model.fit(X, y)
    assert len(model.history_) == model.n_iter_ == 4
    np.testing.assert_array_equal(model.predict(X), kept[0])


def test_an_interrupted_part_keeps_what_it_has(numbers, monkeypatch):
    X, y = numbers
    model = regressor().partial_fit(X, y)

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("askl.learning.loop.compute_gradients", interrupt)
    before = model.predict(X)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model.partial_fit(X, y)
    np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("batch_size", [30, 1000])
@pytest.mark.parametrize("refit", [False, True])
def test_a_diverging_fit_names_the_rate_and_keeps_finite_numbers(batch_size, refit, task):
    make, X, y = task
    model = (make if refit else partial(with_trained_head, make))(
        activation="relu",  # bounded features and the log loss would only swing
        optimizer="sgd",
        learning_rate=10.0,
        head_learning_rate=1e6,
        schedule="constant",
        batch_size=batch_size,
        max_epochs=60,
    )
    words = r"diverged.*Lower learning_rate=10.* or head_learning_rate=1e\+06"
    with pytest.warns(ConvergenceWarning, match=words):
        model.fit(X, y)
    assert model.n_iter_ < 60
    assert np.isfinite(model.frequencies_).all()
    assert np.isfinite(model.transform(X)).all()
    assert np.isfinite(model.predict(X).astype(float)).all()


def test_divergence_between_two_records_is_seen_too(numbers):
    X, y = numbers
    model = regressor(
        optimizer="sgd", head_learning_rate=1e30, record_every=10_000, refit_head=False
    )
    with pytest.warns(ConvergenceWarning, match="diverged"):
        model.fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_a_diverging_fit_keeps_its_best_state(numbers):
    X, y = numbers
    model = regressor(
        "nsk",
        optimizer="sgd",
        head_learning_rate=50.0,
        schedule="constant",
        batch_size=1000,
        max_epochs=500,
        refit_head=False,
    )
    with pytest.warns(ConvergenceWarning, match="kept its best state"):
        model.fit(X, y)
    assert model.score(X, y) > -0.01, "no worse than the mean, where it started"


def test_early_stopping_keeps_the_best_epoch(classes):
    X, y = classes
    weights = []
    model = classifier(
        early_stopping=True,
        validation_fraction=0.3,
        n_iter_no_change=3,
        max_epochs=200,
        callback=lambda _, estimator: weights.append(estimator.weights_.copy()),
    ).fit(X, y)
    scores = [record.score for record in model.history_]
    best = int(np.argmax(scores))
    assert model.n_iter_ == len(scores) == best + 1 + 3 < 200
    np.testing.assert_array_equal(model.weights_, weights[best])
    assert all(score * 72 == pytest.approx(round(score * 72)) for score in scores), "of 72 rows"


def test_early_stopping_of_a_regressor_scores_squared_errors(numbers):
    X, y = numbers
    model = regressor(early_stopping=True, refit_head=False, max_epochs=30).fit(X, y)
    scores = [record.score for record in model.history_]
    assert scores[0] < scores[-1] < 0.0
    assert model.head_strength_ is None


@pytest.fixture
def stages(numbers):
    """A plan, data and a context for the stages of a regression."""
    X, y = numbers
    model = regressor("nskl", symmetries=None, weigh_inputs=True, decorrelate_inputs=True)
    plan = Plan(model, model.resolve_method(), "squared", True, 1, score=negative_squared_error)
    targets = ((y - y.mean()) / y.std()).astype(np.float32)[:, None]
    return plan, ArrayData(X, targets), open_context(model)


def encoded(plan, data, context, initial):
    rows = data.encode(plan, initial.scaling, context.generator)
    return rows, make_options(plan.parameters, plan.method, initial.model, 200)


def test_the_start_is_drawn_with_the_seed_that_it_names(stages):
    plan, data, _ = stages
    initial, again = (
        draw_initial(plan, data, open_context(plan.parameters, seed=seed)) for seed in (3, 3)
    )
    assert initial.seed == 3
    for one, other in zip(
        *(each.model.tensors().values() for each in (initial, again)), strict=True
    ):
        assert torch.equal(one, other)
    assert not initial.model.weights.any()


def test_only_a_model_that_is_not_trained_yet_has_its_inputs_transformed(stages):
    plan, data, context = stages
    initial = draw_initial(plan, data, context)
    rows, options = encoded(plan, data, context, initial)
    transform, stopped = transform_inputs(plan, context, initial, rows, options)
    assert stopped is None
    assert transform.matrix.shape == (3, 3)
    assert transform.weights.square().mean() == pytest.approx(1.0)
    assert not initial.model.weights.any(), "the short training has a copy"
    assigned = options._replace(learning_rates=())
    assert transform_inputs(plan, context, initial, rows, assigned) == (InputTransform(), None)
    initial.model.weights[0, 0] = 1.0
    assert transform_inputs(plan, context, initial, rows, options) == (InputTransform(), None)


def test_a_fit_continues_from_an_earlier_model_in_place(stages):
    plan, data, context = stages
    plan = plan._replace(solves_head=False)
    result = fit_model(plan, data, context)
    weights = result.fitted.model.weights.clone()
    again = fit_model(plan, data, context, earlier=result.fitted, measure_relevance=False)
    assert again.fitted is result.fitted
    assert not torch.equal(again.fitted.model.weights, weights)
    assert again.relevance is None
    assert again.training.history[0].loss < result.training.history[0].loss


def test_callbacks_get_models_that_take_untransformed_inputs(stages):
    plan, data, context = stages
    seen = []
    result = fit_model(
        plan._replace(solves_head=False), data, context,
        callback=lambda progress, current: seen.append(current.model.copy()),
    )  # fmt: skip
    assert len(seen) == 10
    for name, tensor in result.fitted.model.tensors().items():
        torch.testing.assert_close(seen[-1].tensors()[name], tensor)


def test_held_out_rows_can_choose_to_keep_the_trained_head(stages):
    plan, data, context = stages
    fitted = fit_model(plan._replace(solves_head=False), data, context).fitted
    rows, _ = encoded(plan, data, context, fitted)
    before = fitted.model.weights.clone()
    kept = refit_head(plan, fitted.model, rows.split, strengths=(1e6,))
    assert kept.strength is None, "this strength would predict the mean"
    assert torch.equal(fitted.model.weights, before)
    assert refit_head(plan, fitted.model, rows.split).strength in STRENGTHS
    assert not torch.equal(fitted.model.weights, before)


@pytest.mark.parametrize("penalty", [None, 0.25])
def test_the_penalty_of_the_head_is_the_given_one_or_that_of_the_method(penalty, stages):
    plan, data, context = stages
    model = regressor("nskl", head_penalty=penalty)
    plan = plan._replace(parameters=model, method=model.resolve_method())
    initial = draw_initial(plan, data, context)
    rows = data.encode(plan, initial.scaling, context.generator, hold_out=False)
    head = refit_head(plan, initial.model, rows.split)
    assert head.strength == (penalty or METHODS["nskl"].head_penalty)
