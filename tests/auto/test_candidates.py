"""Candidates: their names, their forms, and their parameters for data of some shape."""

from __future__ import annotations

import pytest

from askl.auto.candidates import Candidate, CandidateKey, make_candidates, shorten
from askl.spectral import natural_scale
from tests.auto.cases import SETTINGS


@pytest.mark.parametrize(
    ("n_samples", "task", "epochs", "batch_size"),
    [
        (200, "classification", 30, 32),
        (200, "regression", 20, 32),
        (2000, "regression", 20, 125),
        (10_000, "classification", 30, 156),
        (10_000, "regression", 20, 156),
        (100_000, "classification", 10, 256),
    ],
)
def test_there_are_fewer_passes_over_many_rows_and_with_a_solved_head(
    n_samples, task, epochs, batch_size
):
    parameters = Candidate({"n_components": 9}).for_data(4, n_samples, task, SETTINGS)
    assert parameters == {"max_epochs": epochs, "batch_size": batch_size, "n_components": 9}
    named = Candidate({"max_epochs": 3}).for_data(4, n_samples, task, SETTINGS)
    assert named["max_epochs"] == 3


def test_a_head_that_is_trained_to_the_end_is_given_all_epochs():
    descended = Candidate({"refit_head": False})
    assert descended.for_data(5, 1000, "regression", SETTINGS)["max_epochs"] == 30
    assert descended.for_data(5, 100_000, "regression", SETTINGS)["max_epochs"] == 10


def test_a_scale_is_in_units_of_the_natural_one_of_the_scaled_columns():
    candidate = Candidate({"density": "gaussian", "scale_inputs": "robust+quantile"}, 0.5)
    scale = candidate.for_data(3, 100, "regression", SETTINGS)["frequency_scale"]
    assert scale == 0.5 * natural_scale("gaussian", 6)


def test_settings_decide_epochs_and_batches():
    settings = SETTINGS._replace(most_epochs=7, rows_seen=10**6, least_batch_size=50)
    parameters = Candidate({}).for_data(4, 100, "classification", settings)
    assert parameters == {"max_epochs": 7, "batch_size": 50}


@pytest.mark.parametrize(("epochs", "share", "left"), [(30, 0.25, 8), (3, 0.1, 1), (20, 1.0, 20)])
def test_a_short_form_has_a_share_of_the_epochs_and_at_least_one(epochs, share, left):
    assert shorten({"max_epochs": epochs, "loss": "log"}, share) == {
        "max_epochs": left,
        "loss": "log",
    }


def test_keys_of_all_forms_differ_and_say_what_they_are():
    keys = [CandidateKey("a", short, symmetric) for short in (0, 1) for symmetric in (0, 1)]
    assert len(set(keys)) == 4
    assert [str(key) for key in keys] == ["a", "a (symmetric)", "a (short)", "a (symmetric, short)"]
    assert {key.full for key in keys} == {keys[0], keys[1]}
    assert {key.shortened for key in keys} == {keys[2], keys[3]}


def test_names_that_look_like_forms_are_other_candidates():
    """A user's names cannot be taken for the forms of other candidates."""
    portfolio = {name: Candidate({}) for name in ("a", "a (short)", "a, symmetric", "a, short")}
    made = make_candidates(
        portfolio,
        n_features=2,
        n_samples=100,
        task="regression",
        settings=SETTINGS,
        symmetries=[(1, 0)],
    )
    assert len(made.parameters) == 4 * len(portfolio)
    assert {key.name for key in made.parameters} == set(portfolio)


def test_every_form_has_its_parameters():
    made = make_candidates(
        {"one": Candidate({"dropout": 0.1}), "other": Candidate({"device": "cuda"}, parent="one")},
        n_features=2,
        n_samples=100,
        task="classification",
        settings=SETTINGS,
        symmetries=[(1, 0)],
        fixed={"device": "cpu", "n_threads": 1},
    )
    one = CandidateKey("one")
    assert made.parameters[one] == {
        "device": "cpu",
        "n_threads": 1,
        "max_epochs": 30,
        "batch_size": 32,
        "dropout": 0.1,
    }
    assert made.parameters[one.shortened]["max_epochs"] == 8
    twin = made.parameters[one._replace(symmetric=True)]
    assert twin == {**made.parameters[one], "symmetries": [(1, 0)]}
    assert made.parameters[CandidateKey("other")]["device"] == "cuda"  # a candidate's own
    assert made.parents == {"one": "", "other": "one"}
