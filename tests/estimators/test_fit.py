"""What happens during a fit: records, callbacks, stops, threads, seeds, progress."""

from __future__ import annotations

import random
import signal
from functools import partial

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from askl.estimators.build import choose_batch_size
from askl.estimators.split import split_rows
from askl.learning import TensorRows
from tests.models import by_descent, classifier, regressor, transformer

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

    model = by_descent(make, callback=callback).fit(X, y)
    assert [epoch for epoch, _ in scores] == list(range(1, 11))
    assert scores[-1][1] > scores[0][1]
    assert scores[-1][1] == pytest.approx(model.score(X, y))


def test_records_come_every_so_many_iterations(task):
    make, X, y = task
    seen = []
    model = by_descent(
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
    model = (make if refit else partial(by_descent, make))(
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


@pytest.mark.parametrize("fraction", [0.1, 0.25])
def test_held_out_rows_are_some_of_each_class_and_none_of_the_others(fraction, generator):
    targets = torch.tensor([0] * 60 + [1] * 30 + [2] * 10)
    rows = TensorRows(torch.arange(100.0)[:, None], targets)
    train, held_out = split_rows(rows, fraction, generator, stratify=True)
    n_held_out = round(100 * fraction)
    counts = torch.bincount(held_out.targets, minlength=3)
    expected = torch.tensor([0.6, 0.3, 0.1]) * n_held_out
    assert (counts - expected).abs().max() <= 1.0
    together = [
        source.rows(torch.arange(len(source.targets))).inputs for source in (train, held_out)
    ]
    assert sorted(torch.cat(together)[:, 0].tolist()) == list(range(100))


def test_the_batch_size_is_clipped_and_grows_with_the_data():
    assert choose_batch_size(50, 20) == 20
    assert choose_batch_size(50, 200) == 50
    sizes = [choose_batch_size("auto", n) for n in (10, 1000, 8192, 10**6)]
    assert sizes == [32, 32, 128, 256]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_threads_are_set_for_the_fit_and_restored(n_threads, task):
    make, X, y = task
    before = torch.get_num_threads()
    seen = []
    make(
        n_threads=n_threads,
        max_epochs=1,
        batch_size=1000,
        callback=lambda *_: seen.append(torch.get_num_threads()),
    ).fit(X, y)
    assert seen == [n_threads]
    assert torch.get_num_threads() == before


def test_threads_are_restored_after_an_error(classes):
    def fail(progress, estimator):
        raise RuntimeError("mine")

    before = torch.get_num_threads()
    with pytest.raises(RuntimeError, match="mine"):
        classifier(n_threads=before + 1, callback=fail).fit(*classes)
    assert torch.get_num_threads() == before


def test_a_bar_is_shown_only_when_asked(task, capsys):
    make, X, y = task
    make(verbose=0, early_stopping=True).fit(X, y)
    assert capsys.readouterr() == ("", "")
    make(verbose=1, early_stopping=True, n_iter_no_change=100).fit(X, y)
    shown = capsys.readouterr().out
    assert type(make()).__name__[:20] in shown
    assert "10/10" in shown
    assert "loss" in shown
    assert "score" in shown


def test_a_bar_needs_no_score(capsys, classes):
    transformer(verbose=True).fit(*classes)
    shown = capsys.readouterr().out
    assert "loss" in shown
    assert "score" not in shown
