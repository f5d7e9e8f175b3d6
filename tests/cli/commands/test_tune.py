"""``askl tune``: a study that can be resumed, and the model fitted with its best settings."""

from __future__ import annotations

import json
import sys

import optuna
import pytest

import askl
from askl.learning import METHODS

SMALL = ("--set", "n_components=10", "--set", "max_epochs=2")


@pytest.fixture
def tuned(run, flowers, tmp_path):
    """Tune with some options; return the record that was printed."""

    def tune(*options):
        model = tmp_path / "m.askl"
        result = run("tune", flowers[0], "-t", "y", "-o", model, *SMALL, *options, "--json", "-q")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return tune


def test_a_search_resumes_and_its_best_is_fitted(tuned, tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    assert tuned("--trials", "2", "--study", storage)["n_trials"] == 2
    record = tuned("--trials", "4", "--study", storage)
    assert record["n_trials"] == 4
    study = optuna.load_study(study_name="askl", storage=storage)
    assert [trial.number for trial in study.trials] == [0, 1, 2, 3]
    assert len({trial.params["learning_rate"] for trial in study.trials}) == 4
    assert record["score"] == study.best_value
    model = askl.load(tmp_path / "m.askl")
    assert model.learning_rate == study.best_params["learning_rate"]
    assert (model.n_components, model.max_epochs) == (10, 2)
    assert tuned("--trials", "3", "--study", storage)["n_trials"] == 4


def test_trials_run_side_by_side(tuned):
    assert tuned("--trials", "3", "--jobs", "2")["n_trials"] == 3


def test_a_table_of_texts_is_tuned_behind_its_encoder(run, houses, tmp_path):
    result = run("tune", houses[0], "-t", "y", "-o", tmp_path / "m", "--trials", "1", *SMALL)
    assert result.exit_code == 0, result.stderr
    assert "Best of 1 trials: RMSE" in result.stdout
    assert "1 trials" in result.stderr


def test_a_row_added_to_the_methods_is_tuned(run, flowers, tmp_path, monkeypatch):
    monkeypatch.setitem(METHODS, "wide", METHODS["askl"]._replace(n_branches=3))
    model = tmp_path / "m.askl"
    options = ("--method", "wide", "--trials", "1", *SMALL)
    result = run("tune", flowers[0], "-t", "y", "-o", model, *options)
    assert result.exit_code == 0, result.stderr
    assert askl.load(model).frequencies_.shape == (3, 2, 10)


def test_studies_and_clusters_that_cannot_be_had(run, fails, flowers, tmp_path, monkeypatch):
    arguments = ("tune", flowers[0], "-t", "y", "-o", tmp_path / "m", "--trials", "1")
    assert "cannot be opened" in fails(*arguments, "--study", "nowhere://x")
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install 'askl[dask]'" in fails(*arguments, "--backend", "dask")
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert "pip install 'askl[tune]'" in fails(*arguments)
    for options in (("--method", "auto"), ("--scheduler", "tcp://x:1"), ("--trials", "0")):
        assert run(*arguments, *options).exit_code == 2


def test_margins_are_judged_by_their_errors(tuned):
    record = tuned("--trials", "1", "--set", "loss=hinge")
    assert 0.0 <= record["score"] < 1.0


def test_the_study_of_another_search_is_refused(tuned, fails, houses, tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    tuned("--trials", "1", "--study", storage)
    arguments = ("tune", houses[0], "-t", "y", "-o", tmp_path / "m", "--study", storage)
    assert "is of log loss of askl" in fails(*arguments)


def test_no_trial_that_fits_is_an_error(fails, flowers, tmp_path):
    arguments = ("tune", flowers[0], "-t", "y", "-o", tmp_path / "m", "--trials", "2")
    assert "No trial could be fitted" in fails(*arguments, "--set", "n_components=-5")
