from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel
from sklearn.metrics import accuracy_score, root_mean_squared_error
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.evaluation import compare_methods, fit_methods
from askl.evaluation.compare_methods import paired_p_value
from askl.learning import METHODS

SIZE = {"n_components": 40, "max_epochs": 10}


@pytest.mark.parametrize("data", ["classes", "numbers"])
def test_the_table_has_a_row_for_each_method_on_the_same_splits(data, request):
    X, y = request.getfixturevalue(data)
    ticks = []
    rows = compare_methods(X, y, n_splits=3, advance=lambda: ticks.append(1), **SIZE)
    assert [row.method for row in rows] == ["sk", "nsk", "skl", "nskl", "askl"]
    assert len(ticks) == 15
    means = [row.scores.mean() for row in rows]
    best = int(np.argmax(means) if data == "classes" else np.argmin(means))
    assert [row.best for row in rows] == [place == best for place in range(5)]
    assert rows[best].p_value == 1.0
    for row in rows:
        assert row.scores.shape == (3,)
        assert row.seconds > 0.0
        if not row.best and np.ptp(row.scores - rows[best].scores) > 0.0:
            assert row.p_value == pytest.approx(ttest_rel(row.scores, rows[best].scores).pvalue)


@pytest.mark.parametrize("data", ["classes", "numbers"])
def test_scores_are_those_of_models_fitted_by_hand(data, request):
    X, y = request.getfixturevalue(data)
    (row,) = compare_methods(X, y, methods=["nsk"], n_splits=2, test_size=0.25, **SIZE)
    make, score, kind = {
        "classes": (StratifiedShuffleSplit, accuracy_score, SpectralKernelClassifier),
        "numbers": (ShuffleSplit, root_mean_squared_error, SpectralKernelRegressor),
    }[data]
    splits = make(2, test_size=0.25, random_state=0).split(X, y)
    for seed, (train, test) in enumerate(splits):
        assert len(test) == 60
        model = kind("nsk", random_state=seed, **SIZE).fit(X[train], y[train])
        assert row.scores[seed] == score(y[test], model.predict(X[test]))


def test_a_row_added_to_the_methods_is_compared_and_fitted(classes, monkeypatch):
    monkeypatch.setitem(METHODS, "own", METHODS["sk"]._replace(n_branches=3))
    rows = compare_methods(*classes, n_splits=2, **SIZE)
    assert [row.method for row in rows] == ["sk", "nsk", "skl", "nskl", "askl", "own"]
    assert fit_methods(*classes, **SIZE)["own"].frequencies_.shape[0] == 3


def test_a_comparison_repeats(classes):
    first, second = (compare_methods(*classes, methods=["askl"], n_splits=2, **SIZE) for _ in "ab")
    np.testing.assert_array_equal(first[0].scores, second[0].scores)
    assert first[0].p_value == 1.0


@pytest.mark.parametrize(
    ("scores", "best", "expected"),
    [
        ([0.5], [0.5], 1.0),
        ([0.5], [0.7], 0.0),
        ([0.5, 0.6], [0.5, 0.6], 1.0),
        ([0.5, 0.6], [0.6, 0.7], 0.0),
    ],
)
def test_scores_without_spread_are_the_same_or_not(scores, best, expected):
    assert paired_p_value(np.array(scores), np.array(best)) == expected
