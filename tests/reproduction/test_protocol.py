"""Protocols are data: complete, valid for the estimators, and divided without loss."""

from __future__ import annotations

import pytest
from sklearn.base import clone

from reproduction.datasets import load, rows
from reproduction.evaluate import INCIDENTAL, TRAINED_HEAD, make_estimator, measure
from reproduction.protocol import METHODS, find_protocol, merge, plan, protocols
from reproduction.splits import split
from reproduction.tune import decode


@pytest.mark.parametrize("dataset", ["digits", "diabetes"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", protocols())
def test_every_protocol_can_be_trained(name: str, method: str, dataset: str) -> None:
    protocol, data = find_protocol(name), load(dataset)
    space = protocol.searched(method)
    start = decode(space, {key: each["start"] for key, each in space.items()})
    parameters = protocol.fixed(data.row) | start | {"n_components": 8, "max_epochs": 1}
    estimator = make_estimator(data.row, method, parameters, seed=0)
    measured = measure(estimator, data, split(120, 0))
    assert measured.metrics["test"].keys() == set(data.row.units)


@pytest.mark.parametrize("dataset", ["digits", "diabetes"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", protocols())
def test_every_parameter_is_written_down(name: str, method: str, dataset: str) -> None:
    """No default of the library is left to decide what a trial computes."""
    protocol, row = find_protocol(name), rows()[dataset]
    tuned = dict.fromkeys(protocol.searched(method), 0.5)
    named = protocol.settings(row, tuned).keys()
    estimator = make_estimator(row, method, {}, seed=0)
    of_classifiers = TRAINED_HEAD.keys() if row.task == "classification" else set()
    assert named | of_classifiers | INCIDENTAL | {"method"} == estimator.get_params().keys()
    assert not named & INCIDENTAL


def test_what_no_protocol_names_changes_no_result() -> None:
    data = load("digits")
    estimator = make_estimator(data.row, "askl", {"n_components": 8, "max_epochs": 2}, seed=0)
    before = measure(estimator, data, split(120, 0)).metrics
    estimator = clone(estimator).set_params(warm_start=True, record_every=1, n_threads=None)
    assert measure(estimator, data, split(120, 0)).metrics == before


def test_the_printed_protocol_is_the_papers() -> None:
    paper = find_protocol("paper")
    assert paper.parameters["n_components"] == 2000
    assert paper.parameters["batch_size"] == 32
    assert paper.parameters["learning_rate"] == paper.parameters["head_learning_rate"]
    penalties = decode(paper.search, {"head_penalty": -10, "feature_penalty": -1})
    assert penalties == {"head_penalty": 1e-10, "feature_penalty": 0.1}
    assert paper.search["frequency_scale"]["low"] == -10
    assert paper.search["frequency_scale"]["high"] == 10


def test_all_methods_have_the_same_budget_and_only_askl_a_feature_penalty() -> None:
    for protocol in protocols().values():
        searched = {method: protocol.searched(method).keys() for method in METHODS}
        assert {m for m in METHODS if "feature_penalty" in searched[m]} == {"askl"}
        assert "learning_rate" not in searched["sk"] | searched["nsk"]


def test_a_changed_protocol_has_another_digest() -> None:
    protocol = find_protocol("corrected")
    changed = protocol._replace(tuning={**protocol.tuning, "n_trials": 1})
    assert changed.digest() != protocol.digest()


def test_what_suits_the_size_of_a_data_set_comes_before_what_was_tuned() -> None:
    protocol, tuned = find_protocol("corrected"), {"learning_rate": 0.005, "head_penalty": 1e-5}
    settings = protocol.settings(rows()["mnist"], tuned)
    assert settings["learning_rate"] == "auto"
    assert settings["head_penalty"] == 1e-5
    assert protocol.settings(rows()["shuttle"], tuned)["max_epochs"] == 10
    assert protocol.settings(rows()["usps"], tuned)["learning_rate"] == 0.005
    # What is not tuned has no part in the fingerprint of tuning.
    assert protocol._replace(large={}).digest() == protocol.digest()


def test_a_value_of_a_protocol_replaces_the_common_one() -> None:
    common = {"none": ["symmetries", "class_weight"], "dropout": 0.1, "optimizer": "adam"}
    own = {"none": ["optimizer"], "class_weight": "balanced"}
    assert merge(common, own) == {
        "symmetries": None,
        "class_weight": "balanced",
        "dropout": 0.1,
        "optimizer": None,
    }


def test_small_data_come_first_and_methods_stay_together() -> None:
    names = [name for name, row in rows().items() if row.in_paper]
    trials = plan("corrected", names, METHODS, range(30))
    assert len(trials) == len(set(trials)) == 12 * 5 * 30
    assert trials[-1].dataset == "mnist"
    assert [trial.method for trial in trials[:5]] == list(METHODS)
    assert {trial.split for trial in trials[:5]} == {0}
