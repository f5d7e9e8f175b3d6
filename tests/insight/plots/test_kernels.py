"""The kernel as a matrix, around a point, and on its diagonal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from askl.insight.members import drawn_parts, mean_kernel
from askl.insight.plots import KernelDiagonalDisplay, KernelMapDisplay, KernelMatrixDisplay
from askl.theory import as_drawn, diagonal
from tests.models import classifier, regressor


def test_the_kernel_matrix_is_sorted_and_shows_what_was_learned(fitted_classifier, classes):
    X, y = classes
    order = np.argsort(y, kind="stable")
    after = KernelMatrixDisplay.from_estimator(fitted_classifier, X, y)
    before = KernelMatrixDisplay.from_estimator(fitted_classifier, X, y, before=True)
    np.testing.assert_allclose(after.matrix, fitted_classifier.kernel(X[order]))
    np.testing.assert_allclose(before.matrix, as_drawn(fitted_classifier).kernel(X[order]))
    np.testing.assert_array_equal(after.targets, np.sort(y))


def test_classes_are_separated_by_lines_and_named_at_their_middle(fitted_classifier, classes):
    X, y = classes
    ax = KernelMatrixDisplay.from_estimator(fitted_classifier, X, y).ax_
    ends = np.cumsum(np.bincount(y))
    horizontal = sorted(line.get_ydata()[0] for line in ax.get_lines() if line.get_xdata()[0] == 0)
    assert horizontal == [ends[0] - 0.5, ends[1] - 0.5]
    assert len(ax.get_lines()) == 4
    starts = np.concatenate([[0], ends[:-1]])
    np.testing.assert_allclose(ax.get_xticks(), (starts + ends - 1) / 2)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "1", "2"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("class", "class")


def test_colours_cover_the_matrix_beside_its_diagonal(fitted_classifier, classes):
    display = KernelMatrixDisplay.from_estimator(fitted_classifier, *classes)
    (image,) = display.ax_.get_images()
    beside = display.matrix[~np.eye(240, dtype=bool)]
    np.testing.assert_allclose(image.get_clim(), np.quantile(beside, [0.01, 0.99]))
    np.testing.assert_allclose(image.get_array(), display.matrix)
    bar = next(ax for ax in display.figure_.axes if ax is not display.ax_)
    assert bar.get_ylabel() == "k(x, z)"


def test_many_classes_have_some_names(rng):
    X, y = rng.normal(size=(100, 2)), np.arange(100) % 25
    ax = KernelMatrixDisplay.from_estimator(classifier(max_epochs=1).fit(X, y), X, y).ax_
    assert [text.get_text() for text in ax.get_yticklabels()] == [str(3 * n) for n in range(9)]


def test_rows_of_a_regression_are_sorted_by_target(fitted_regressor, numbers):
    X, y = numbers
    display = KernelMatrixDisplay.from_estimator(fitted_regressor, X, y)
    np.testing.assert_array_equal(display.targets, np.sort(y))
    assert display.ax_.get_xlabel() == "rows, by target"
    assert not list(display.ax_.get_lines())


def test_rows_beyond_the_limit_are_sampled(fitted_classifier, classes):
    display = KernelMatrixDisplay.from_estimator(fitted_classifier, *classes, max_rows=50)
    assert display.matrix.shape == (50, 50)


def test_the_matrix_of_an_ensemble_is_that_of_its_kernel(auto_regressor, houses):
    table, price = houses
    order = np.argsort(price, kind="stable")
    display = KernelMatrixDisplay.from_estimator(auto_regressor, table, price)
    np.testing.assert_allclose(display.matrix, auto_regressor.kernel(table.iloc[order]))
    before = KernelMatrixDisplay.from_estimator(auto_regressor, table, price, before=True)
    expected = mean_kernel(drawn_parts(auto_regressor, table.iloc[order]))
    np.testing.assert_allclose(before.matrix, expected)


def test_the_kernel_map_is_the_kernel_along_two_inputs(fitted_classifier, classes):
    X, _ = classes
    display = KernelMapDisplay.from_estimator(fitted_classifier, X, center=X[3], features=(2, 0))
    row, column = 10, 40
    other = X[3].copy()
    other[2], other[0] = display.plane.horizontal[column], display.plane.vertical[row]
    expected = fitted_classifier.kernel(other[None], X[3][None])[0, 0]
    assert display.values[row, column] == pytest.approx(expected)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("input 2", "input 0")
    (star,) = display.ax_.get_lines()
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (X[3, 2], X[3, 0])


def test_the_map_before_learning_is_of_the_kernel_as_drawn(fitted_classifier, classes):
    X, _ = classes
    display = KernelMapDisplay.from_estimator(fitted_classifier, X, features=(0, 1), before=True)
    np.testing.assert_array_equal(display.center, np.median(X, axis=0))
    expected = as_drawn(fitted_classifier).kernel(display.plane.rows, display.center[None])
    np.testing.assert_allclose(display.values.ravel(), expected[:, 0])


def test_the_map_of_an_ensemble_of_numbers_with_gaps(auto_classifier, classes):
    X, _ = classes
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    display = KernelMapDisplay.from_estimator(auto_classifier, gaps, features=(0, 1))
    np.testing.assert_allclose(display.center, np.nanmedian(gaps, axis=0))
    expected = auto_classifier.kernel(display.plane.rows, display.center[None])
    np.testing.assert_allclose(display.values.ravel(), expected[:, 0])


def test_the_map_of_a_table_with_texts_names_the_remedy(auto_regressor, houses):
    with pytest.raises(ValueError, match=r"column '<color>' holds text.*members_\[0\]"):
        KernelMapDisplay.from_estimator(auto_regressor, houses[0])


def test_a_map_takes_names_from_the_caller(fitted_classifier, classes):
    X, _ = classes
    display = KernelMapDisplay.from_estimator(
        fitted_classifier, X, features=(0, 2), names=["u", "v", "w"]
    )
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("u", "w")


def test_a_stationary_diagonal_is_one_and_a_learned_one_is_not(classes):
    X, y = classes
    models = {method: classifier(method).fit(X, y) for method in ("skl", "nskl")}
    display = KernelDiagonalDisplay.from_estimators(models, X)
    np.testing.assert_allclose(display.diagonals["skl"], 1.0)
    assert display.diagonals["nskl"].std() > 0.01
    labels = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert labels == ["skl", "nskl"]


def test_the_shapes_are_drawn_over_the_range_of_the_values(fitted_classifier, classes):
    X, _ = classes
    display = KernelDiagonalDisplay.from_estimator(fitted_classifier, X)
    assert list(display.diagonals) == ["as drawn", "learned"]
    np.testing.assert_allclose(display.diagonals["learned"], diagonal(fitted_classifier, X))
    drawn = diagonal(as_drawn(fitted_classifier), X)
    np.testing.assert_allclose(display.diagonals["as drawn"], drawn)
    bodies = [
        part
        for part in display.ax_.collections
        if type(part).__name__ == "FillBetweenPolyCollection"
    ]
    heights = bodies[1].get_paths()[0].vertices[:, 1]
    values = display.diagonals["learned"].round(9)
    assert (heights.min(), heights.max()) == pytest.approx((values.min(), values.max()))
    assert display.ax_.get_ylabel() == "k(x, x)"


def test_a_diagonal_without_closed_form_comes_from_features(classes):
    X, y = classes
    model = classifier(activation="relu").fit(X, y)
    display = KernelDiagonalDisplay.from_estimator(model, X)
    squares = (model.transform(X).astype(float) ** 2).sum(axis=1)
    np.testing.assert_allclose(display.diagonals["learned"], squares, rtol=1e-4)


def test_the_diagonal_of_an_ensemble_is_the_weighted_mean(auto_classifier, named_classes):
    X, _ = named_classes
    inputs = auto_classifier.encode_inputs(X)
    expected = sum(
        weight * diagonal(member, inputs)
        for weight, member in zip(
            auto_classifier.member_weights_, auto_classifier.members_, strict=True
        )
    )
    display = KernelDiagonalDisplay.from_estimator(auto_classifier, X)
    np.testing.assert_allclose(display.diagonals["learned"], expected)


def test_data_frames_keep_their_names(numbers):
    X, y = numbers
    table = pd.DataFrame(X, columns=["u", "v", "w"])
    display = KernelMapDisplay.from_estimator(regressor(max_epochs=5).fit(table, y), table)
    assert {display.ax_.get_xlabel(), display.ax_.get_ylabel()} == {"u", "v"}
