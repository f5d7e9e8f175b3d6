"""One fit from the command line, and its record."""

from __future__ import annotations

from pathlib import Path

import pytest

from askl.cli.console import Screen
from askl.cli.models.fitting import describe_fit, fit_model, is_first_process, n_processes
from askl.cli.models.problem import Problem
from tests.models import classifier


def test_the_record_says_what_was_fitted(classes):
    X, y = classes
    problem, model = Problem(X, y, False, "kind"), classifier(early_stopping=True)
    assert not fit_model(Screen(quiet=True), model, problem)
    record = describe_fit(model, problem, Path("m.askl"), 1.23456)
    assert record["estimator"] == "SpectralKernelClassifier"
    assert (record["task"], record["target"]) == ("classification", "kind")
    assert (record["n_rows"], record["n_inputs"], record["seconds"]) == (240, 3, 1.235)
    best = max(point.score for point in model.history_)
    assert record["held_out"] == {"accuracy": best}
    assert model.verbose == 0


def test_the_bar_of_a_fit_is_shown_unless_it_is_quiet(classes, capsys):
    X, y = classes
    for quiet in (True, False):
        fit_model(Screen(quiet=quiet), classifier(max_epochs=2), Problem(X, y, False, None))
        assert ("loss" in capsys.readouterr().err) is not quiet


@pytest.mark.parametrize(("rank", "first"), [("0", True), ("1", False)])
def test_one_process_of_torchrun_prints(rank, first, monkeypatch):
    monkeypatch.setenv("RANK", rank)
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert is_first_process() is first
    assert n_processes() == 2
