"""Figures that show several models side by side."""

from __future__ import annotations

import numpy as np
import pytest

from askl.insight.report.comparison_pictures import (
    kernel_pictures,
    score_picture,
    training_pictures,
)
from askl.insight.report.scores import Score
from askl.theory import BoundRecorder
from tests.models import classifier, regressor


@pytest.mark.parametrize(("larger_is_better", "side"), [(True, "right"), (False, "left")])
def test_scores_say_on_which_side_is_better(larger_is_better, side):
    scores = {
        name: Score("log loss", larger_is_better, value, value - 0.1, value + 0.1, np.zeros(2))
        for name, value in (("a", 0.25), ("b", 0.5))
    }
    picture = score_picture(scores)
    assert picture.title == "Log loss of each model"
    assert f"Further {side} is better" in picture.reading
    assert picture.alt == "log loss: a 0.25, b 0.5."
    assert picture.svg.index(">a<") < picture.svg.index(">b<")


def test_curves_and_bounds_are_shown_of_the_models_that_have_them(classes):
    X, y = classes
    recorder = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
    models = {
        "watched": classifier(max_epochs=2, callback=recorder).fit(X, y),
        "plain": classifier(max_epochs=2).fit(X, y),
    }
    curves, trajectory = training_pictures(models)
    assert ">watched<" in curves.svg
    assert ">plain<" in curves.svg
    assert trajectory.alt == "Bounds and gaps over training of 1 models."
    assert len(training_pictures({"plain": models["plain"]})) == 1


def test_models_that_are_solved_exactly_have_no_curve(numbers):
    (curves,) = training_pictures({"sk": regressor("sk").fit(*numbers)})
    assert ">sk<" not in curves.svg


def test_every_kernel_has_a_matrix_of_its_own(numbers):
    X, y = numbers
    models = {name: regressor(name, max_epochs=2).fit(X, y) for name in ("sk", "skl")}
    found = kernel_pictures(models, X, np.column_stack([y, -y]))
    assert [picture.title for picture in found] == [
        "Distribution of k(x, x)",
        "Singular values of the heads",
        "Kernel matrix of sk",
        "Kernel matrix of skl",
    ]
    assert found[2].svg != found[3].svg
