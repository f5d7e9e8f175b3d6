"""The tables of a report."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from askl.insight.report import facts
from askl.insight.report.scores import Score
from askl.theory import bounds, summarize_spectrum
from tests.models import classifier, regressor

SCORE = Score("log loss", False, 0.123456, 0.1, 0.2, np.zeros(3))


def test_numbers_have_four_digits_and_nan_is_a_dash():
    assert [facts.number(value) for value in (0.123456, 1234567.0, math.nan, math.inf)] == [
        "0.1235",
        "1.235e+06",
        "—",
        "inf",
    ]
    assert facts.interval(SCORE) == "0.1235 [0.1, 0.2]"


def test_scores_point_to_where_they_are_better():
    table = facts.score_table([SCORE, SCORE._replace(name="accuracy", larger_is_better=True)])
    assert table.rows == [
        ["log loss ↓", "0.1235", "0.1 to 0.2"],
        ["accuracy ↑", "0.1235", "0.1 to 0.2"],
    ]


def test_classes_are_listed_by_their_size(fitted_classifier):
    y = np.array([2, 2, 2, 0, 1, 1])
    assert facts.target_table(fitted_classifier, y).rows == [
        ["2", "3", "50.0 %"],
        ["1", "2", "33.3 %"],
        ["0", "1", "16.7 %"],
    ]


def test_numbers_are_listed_by_their_quantiles(fitted_regressor):
    y = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    assert facts.target_table(fitted_regressor, y).rows == [["y", "1", "2", "3", "4", "10", "4"]]
    both = facts.target_table(fitted_regressor, np.column_stack([y, -y]))
    assert [row[0] for row in both.rows] == ["output 0", "output 1"]
    assert both.rows[1][1:4] == ["-10", "-4", "-3"]


def test_inputs_are_listed_by_their_relevance(fitted_regressor, numbers):
    X, _ = numbers
    rows = facts.input_table(fitted_regressor, X, None).rows
    shares = [float(row[-1].removesuffix(" %")) for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(100.0, abs=0.2)
    (row,) = (row for row in rows if row[0] == "input 1")
    column = X[:, 1]
    numbers_of = [column.min(), np.median(column), column.max(), column.mean(), column.std()]
    assert row[1:6] == [f"{value:.4g}" for value in numbers_of]
    assert row[6] == "240"


def test_texts_dates_and_gaps_have_the_statistics_that_make_sense(auto_regressor, houses):
    table, _ = houses
    rows = {row[0]: row[1:] for row in facts.input_table(auto_regressor, table, None).rows}
    known = table["size"].dropna()
    assert rows["size"][:2] == [f"{known.min():.4g}", f"{known.median():.4g}"]
    assert rows["<color>"][:6] == ["", "", "", "", "", "3"]
    dates = np.sort(table["built"].to_numpy().astype("datetime64[D]"))
    assert rows["built"][:5] == [str(dates[0]), str(dates[120]), str(dates[-1]), "", ""]
    assert rows["town"][5] == str(table["town"].nunique())


def test_a_column_of_gaps_only_has_no_statistics(fitted_regressor):
    X = np.full((5, 3), np.nan)
    for row in facts.input_table(fitted_regressor, X, None).rows:
        assert row[1:6] == [""] * 5


def test_only_the_most_relevant_of_many_inputs_are_listed(rng):
    X = rng.normal(size=(80, 40))
    model = regressor(max_epochs=1).fit(X, X[:, 39])
    model.feature_relevance_ = np.arange(40.0)
    rows = facts.input_table(model, X, None).rows
    assert len(rows) == facts.MAX_INPUTS
    assert rows[0][0] == "input 39"


def test_rows_are_described_in_a_phrase(fitted_classifier, fitted_regressor, classes, numbers):
    assert facts.describe_data(fitted_classifier, *classes) == "240 rows of 3 inputs, 3 classes"
    sparse = csr_matrix(numbers[0])
    y = numbers[1]
    assert (
        facts.describe_data(fitted_regressor, sparse, y)
        == "240 rows of 3 sparse inputs, 1 number to predict"
    )
    assert facts.describe_data(fitted_regressor, sparse, np.stack([y, y], axis=1)).endswith(
        "2 numbers to predict"
    )


@pytest.mark.parametrize(
    ("method", "parameters", "words"),
    [
        ("askl", {}, "a non-stationary kernel of 60 learned frequencies, smoothed log loss"),
        ("sk", {"loss": "hinge"}, "a stationary kernel of 60 assigned frequencies, hinge loss"),
        ("skl", {"hidden_components": (20,)}, "a stationary kernel of 20 → 60 learned freq"),
        ("askl", {"activation": "relu"}, "a non-stationary kernel of 60 learned relu units"),
    ],
)
def test_a_model_is_described_in_a_phrase(method, parameters, words, classes):
    model = classifier(method, max_epochs=1, **parameters).fit(*classes)
    found = facts.describe_model(model)
    assert found.startswith(f"SpectralKernelClassifier, method {method.upper()}: ")
    assert words in found


def test_an_ensemble_is_described_by_its_members(auto_regressor):
    n_encoded = len(auto_regressor.encoded_names())
    assert facts.describe_ensemble(auto_regressor) == (
        f"AutoSpectralKernelRegressor: {len(auto_regressor.members_)} members on 4 columns, "
        f"{n_encoded} as encoded"
    )
    rows = facts.member_table(auto_regressor).rows
    weights = [float(row[1]) for row in rows]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(1.0, abs=2e-3)
    assert sorted(row[0] for row in rows) == [str(n) for n in range(len(rows))]
    assert rows[0][2:] == ["a non-stationary kernel of 32 learned frequencies", "robust", "4"]


def test_parameters_that_were_set_are_marked(classes):
    model = classifier(callback=print, dropout=0.1).fit(*classes)
    rows = {row[0]: row[1:] for row in facts.parameter_table(model).rows}
    assert rows["n_components"] == ["60", "set"]
    assert rows["dropout"] == ["0.1", "default"]
    assert rows["callback"] == ["builtin_function_or_method", "set"]
    assert set(rows) == set(model.get_params(deep=False))


def test_bounds_are_listed_with_their_formulas(fitted_classifier, classes):
    result = bounds(fitted_classifier, classes[0])
    rows = {name: (value, formula) for name, value, formula in facts.bound_rows(result)}
    assert rows["trace norm B of the head"] == (f"{result.trace_norm:.4g}", "‖W‖_*")
    assert rows["R̂ ≤, from features"][0] == f"{result.feature_form:.4g}"
    assert rows["R̂ ≤, trivial"][0] == f"{result.trivial_form:.4g}"
    assert rows["mean squared norm of features"][0] == f"{result.trace / 240:.4g}"
    assert rows["excess risk ≤, probability 0.95"][0] == f"{result.excess_risk:.4g}"
    estimate, error = result.monte_carlo
    assert rows["complexity R̂, by Monte Carlo"][0] == f"{estimate:.4g} ± {error:.1g}"


def test_the_density_is_summarised(fitted_classifier, classes):
    summary = summarize_spectrum(fitted_classifier, classes[0])
    values = [value for _, value in facts.spectrum_rows(fitted_classifier, classes[0])]
    assert values == [f"{value:.4g}" for value in summary]


def test_sizes_are_those_of_the_arrays(auto_regressor, fitted_classifier):
    # Two branches of 60 frequencies on three inputs with their phases, and three outputs.
    n_bytes = 4 * (2 * 3 * 60 + 2 * 60 + 60 * 3)
    assert facts.megabytes(fitted_classifier) == f"{n_bytes / 2**20:.2f} MB"
    total = sum(
        sum(a.nbytes + b.nbytes for a, b in member.layers_) + member.weights_.nbytes
        for member in auto_regressor.members_
    )
    assert facts.megabytes(auto_regressor) == f"{total / 2**20:.2f} MB"


def test_seconds_to_predict_are_of_all_rows(fitted_classifier, classes):
    assert facts.seconds_to_predict(fitted_classifier, classes[0]) > 0.0


def test_names_of_inputs_may_be_given(fitted_regressor, numbers):
    table = facts.input_table(fitted_regressor, pd.DataFrame(numbers[0]), ["u", "v", "w"])
    assert {row[0] for row in table.rows} == {"u", "v", "w"}
