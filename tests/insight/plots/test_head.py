"""Singular values of heads, and bars of relevance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from askl.insight.members import relevance_of
from askl.insight.plots import FeatureRelevanceDisplay, SingularValuesDisplay
from tests.models import classifier, regressor


def bars(display):
    """The bars that were drawn, from top to bottom, by the names beside them."""
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    widths = [patch.get_width() for patch in display.ax_.patches]
    return dict(reversed(list(zip(names, widths, strict=True))))


def test_the_points_are_numpys_singular_values_by_rank(fitted_classifier):
    display = SingularValuesDisplay.from_estimator(fitted_classifier)
    (line,) = display.ax_.get_lines()
    expected = np.linalg.svd(fitted_classifier.weights_.astype(float), compute_uv=False)
    np.testing.assert_allclose(line.get_ydata(), expected)
    assert line.get_xdata().tolist() == [1, 2, 3]
    assert display.ax_.get_xticks().tolist() == [1, 2, 3]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == (
        "rank",
        "singular value of W",
    )
    assert display.ax_.get_legend() is None
    assert display.ax_.get_ylim()[0] == 0.0


def test_several_heads_have_names_and_colours(classes):
    X, y = classes
    models = {name: classifier(name, max_epochs=2).fit(X, y) for name in ("skl", "askl")}
    display = SingularValuesDisplay.from_estimators(models)
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["skl", "askl"]
    colors = {line.get_color() for line in display.ax_.get_lines()}
    assert len(colors) == 2


def test_many_ranks_have_some_ticks(rng):
    display = SingularValuesDisplay({"": np.sort(rng.random(40))[::-1]}).plot()
    ticks = display.ax_.get_xticks()
    assert ticks[0] == 1
    assert len(ticks) <= 11
    assert display.ax_.get_xlim() == (0.5, 40.5)


def test_the_head_of_an_ensemble_is_that_of_a_member(auto_regressor):
    heaviest = auto_regressor.members_[int(auto_regressor.member_weights_.argmax())]
    display = SingularValuesDisplay.from_estimator(auto_regressor)
    expected = np.linalg.svd(heaviest.weights_.astype(float), compute_uv=False)
    np.testing.assert_allclose(display.values[""], expected)
    other = SingularValuesDisplay.from_estimator(auto_regressor, member=0)
    expected = np.linalg.svd(auto_regressor.members_[0].weights_.astype(float), compute_uv=False)
    np.testing.assert_allclose(other.values[""], expected)
    several = SingularValuesDisplay.from_estimators({"auto": auto_regressor})
    np.testing.assert_array_equal(several.values["auto"], display.values[""])


def test_bars_are_shares_with_the_most_relevant_on_top(fitted_regressor):
    display = FeatureRelevanceDisplay.from_estimator(fitted_regressor)
    found = bars(display)
    shares = relevance_of(fitted_regressor)
    assert list(found) == [f"input {place}" for place in np.argsort(-shares)]
    np.testing.assert_allclose(list(found.values()), np.sort(shares)[::-1])
    assert sum(found.values()) == pytest.approx(1.0)
    assert display.ax_.get_xlabel() == "share of squared gradient"


def test_only_the_most_relevant_inputs_are_shown(rng):
    X = rng.normal(size=(200, 30))
    model = regressor(max_epochs=10).fit(X, np.sin(2.0 * X[:, 7]) + 0.5 * X[:, 21])
    found = bars(FeatureRelevanceDisplay.from_estimator(model, max_features=2))
    assert set(found) == {"input 7", "input 21"}
    assert sum(found.values()) < 1.0


def test_names_come_from_the_fit_or_from_the_caller(classes):
    X, y = classes
    model = classifier(max_epochs=2).fit(pd.DataFrame(X, columns=["u", "v", "w"]), y)
    assert set(bars(FeatureRelevanceDisplay.from_estimator(model))) == {"u", "v", "w"}
    renamed = FeatureRelevanceDisplay.from_estimator(model, names=["a", "b", "c"])
    assert set(bars(renamed)) == {"a", "b", "c"}


def test_relevance_of_an_ensemble_is_by_the_columns_of_its_table(auto_regressor, houses):
    found = bars(FeatureRelevanceDisplay.from_estimator(auto_regressor))
    assert set(found) == set(houses[0].columns)
    assert next(iter(found)) in {"size", "<color>"}
    np.testing.assert_allclose(
        [found[name] for name in houses[0].columns], relevance_of(auto_regressor)
    )


def test_no_relevance_at_all_is_drawn_as_nothing():
    display = FeatureRelevanceDisplay(np.zeros(2), ["a", "b"]).plot()
    assert bars(display) == {"a": 0.0, "b": 0.0}
