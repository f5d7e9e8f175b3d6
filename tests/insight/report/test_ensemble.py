"""The page about an automatic model."""

from __future__ import annotations

import numpy as np
import pytest

from askl.insight.members import choose_member
from askl.insight.report.ensemble import ensemble_page
from askl.theory import bounds
from tests.insight.report.pages import Page


def state_of(model) -> list[object]:
    members = [(set(vars(member)), member.classes_.tolist()) for member in model.members_]
    return [set(vars(model)), members]


@pytest.fixture(scope="module")
def page(auto_classifier, named_classes) -> Page:
    before = state_of(auto_classifier)
    text = ensemble_page(auto_classifier, *named_classes, title="<b>")
    assert state_of(auto_classifier) == before
    return Page(text)


def test_scores_are_those_of_the_ensemble(page, auto_classifier, named_classes):
    X, y = named_classes
    shares = auto_classifier.predict_proba(X)
    position = np.searchsorted(auto_classifier.classes_, y)
    log_loss = -np.log(shares[np.arange(240), position]).mean()
    assert page.row("accuracy ↑")[1] == f"{auto_classifier.score(X, y):.4g}"
    assert page.row("log loss ↓")[1] == f"{log_loss:.4g}"
    assert "<h1>&lt;b&gt;</h1>" in page.text


def test_members_and_candidates_are_listed_by_weight(page, auto_classifier):
    board = auto_classifier.leaderboard_
    (header,) = (row for row in page.rows if row[0] == "candidate")
    assert header[1:] == ["weight", "held out error", "folds", "seconds", "estimated seconds"]
    start = page.rows.index(header) + 1
    listed = page.rows[start : start + len(board["candidate"])]
    assert [row[1] for row in listed] == [f"{weight:.4g}" for weight in board["weight"]]
    assert [row[2] for row in listed] == [f"{error:.4g}" for error in board["held_out_error"]]
    for row, name, short in zip(listed, board["candidate"], board["short"], strict=True):
        assert row[0] == (f"{name}, short" if short else name)


def test_classes_have_their_names_everywhere(page):
    assert {row[0] for row in page.rows} >= {"near", "middle", "far"}
    assert ">near<" in page.text


def test_the_heaviest_spectral_member_is_named_with_its_weight(page, auto_classifier):
    member = choose_member(auto_classifier, spectral=True)
    place = next(n for n, other in enumerate(auto_classifier.members_) if other is member)
    weight = auto_classifier.member_weights_[place]
    assert f"heaviest spectral member, number {place}, of weight {weight:.2f}" in page.text


def test_bounds_are_those_of_that_member_on_its_inputs(page, auto_classifier, named_classes):
    member = choose_member(auto_classifier, spectral=True)
    expected = bounds(member, auto_classifier.encode_inputs(named_classes[0]))
    assert page.row("R̂ ≤, from features")[1] == f"{expected.feature_form:.4g}"
