"""What the user sees of training: bars and warnings."""

from __future__ import annotations

import pytest
from sklearn.exceptions import ConvergenceWarning

from askl.estimators.progress import show_progress, warn_of_early_end
from askl.learning import Progress, TrainingResult
from tests.models import classifier, regressor, transformer


def record(epoch, score):
    return Progress(epoch, 10 * epoch, 0.25, 1.0, 1.0, 0.5, score, 1.0)


@pytest.mark.parametrize(("score", "shown"), [(0.75, "score 0.7500"), (None, "loss 0.2500")])
def test_a_bar_shows_epochs_loss_and_score(score, shown, capsys):
    with show_progress("Model", 4) as advance:
        advance(record(4, score))
    out = capsys.readouterr().out
    assert all(words in out for words in ("Model", "4/4", "loss 0.2500", shown))
    assert ("score" in out) == (score is not None)


@pytest.mark.parametrize("make", [classifier, regressor])
def test_a_bar_is_shown_only_when_asked(make, classes, capsys):
    make(verbose=0, early_stopping=True).fit(*classes)
    assert capsys.readouterr() == ("", "")
    make(verbose=1, early_stopping=True, n_iter_no_change=100).fit(*classes)
    shown = capsys.readouterr().out
    assert type(make()).__name__[:20] in shown
    assert "10/10" in shown


def test_features_show_a_bar_too(classes, capsys):
    transformer(verbose=True).fit(*classes)
    assert "loss" in capsys.readouterr().out


@pytest.mark.parametrize("stop", ["max_epochs", "early_stopping"])
def test_a_regular_end_is_no_reason_to_warn(stop):
    warn_of_early_end(TrainingResult([], stop, 3), classifier())


CALLS = {
    "fit": lambda model, X, y: model.fit(X, y),
    "fit_for_selection": lambda model, X, y: model.fit_for_selection(X, y),
    "fit_stream": lambda model, X, y: model.fit_stream(lambda: iter([(X, y)])),
    "partial_fit": lambda model, X, y: model.partial_fit(X, y),
}


@pytest.mark.parametrize(
    ("make", "call"), [*((regressor, name) for name in CALLS), (transformer, "fit")]
)
def test_warnings_point_at_the_line_of_the_user(make, call, numbers):
    model = make(optimizer="sgd", head_learning_rate=1e30, max_epochs=2, batch_size=30)
    with pytest.warns(ConvergenceWarning, match="diverged") as caught:
        CALLS[call](model, *numbers)
    (warning,) = caught
    line = CALLS[call].__code__.co_firstlineno
    assert (warning.filename, warning.lineno) == (__file__, line)
