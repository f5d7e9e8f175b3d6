"""Predictions over a slice, and features on their principal components."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from askl.insight.plots import DecisionRegionsDisplay, FeatureEmbeddingDisplay
from tests.models import classifier


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_regions_are_the_classes_predicted_on_the_grid(classes):
    X, y = classes
    labels = np.array(["near", "middle", "far"])[y]
    model = classifier(max_epochs=5).fit(X, labels)
    display = DecisionRegionsDisplay.from_estimator(model, X, labels, features=(0, 1))
    expected = model.predict(display.plane.rows)
    np.testing.assert_array_equal(model.classes_[display.predictions.ravel()], expected)
    np.testing.assert_array_equal(model.classes_[display.targets], labels)
    assert legend(display) == ["far", "middle", "near"]
    (mesh,) = [part for part in display.ax_.collections if hasattr(part, "get_coordinates")]
    np.testing.assert_array_equal(mesh.get_array().ravel(), display.predictions.ravel())


def test_points_are_rows_projected_on_the_slice(fitted_classifier, classes):
    X, y = classes
    display = DecisionRegionsDisplay.from_estimator(fitted_classifier, X, y, features=(2, 0))
    np.testing.assert_array_equal(display.points, X[:, [2, 0]])
    drawn = display.ax_.collections[1].get_offsets()
    np.testing.assert_array_equal(drawn, X[:, [2, 0]])
    assert display.ax_.get_xlim() == (display.plane.horizontal[0], display.plane.horizontal[-1])
    assert display.ax_.get_ylim() == (display.plane.vertical[0], display.plane.vertical[-1])
    few = DecisionRegionsDisplay.from_estimator(fitted_classifier, X, y, max_rows=20)
    assert len(few.points) == 20


def test_a_regression_has_a_surface_and_points_on_one_scale(fitted_regressor, numbers):
    X, y = numbers
    display = DecisionRegionsDisplay.from_estimator(fitted_regressor, X, y)
    np.testing.assert_array_equal(
        display.predictions.ravel(), fitted_regressor.predict(display.plane.rows)
    )
    limits = {part.get_clim() for part in display.ax_.collections[:2]}
    low = min(display.predictions.min(), y.min())
    high = max(display.predictions.max(), y.max())
    assert limits == {(low, high)}
    bar = next(ax for ax in display.figure_.axes if ax is not display.ax_)
    assert bar.get_ylabel() == "prediction"


def test_an_ensemble_has_regions(auto_classifier, named_classes):
    display = DecisionRegionsDisplay.from_estimator(auto_classifier, *named_classes)
    expected = auto_classifier.predict(display.plane.rows)
    np.testing.assert_array_equal(auto_classifier.classes_[display.predictions.ravel()], expected)
    assert display.ax_.get_xlabel().startswith("input ")


def test_labels_that_the_model_does_not_know_are_refused(fitted_classifier, classes):
    X, y = classes
    with pytest.raises(ValueError, match="not among the model's classes"):
        DecisionRegionsDisplay.from_estimator(fitted_classifier, X, y + 1)


def test_many_classes_get_a_rainbow_and_a_legend_in_columns(rng):
    X = rng.normal(size=(200, 2))
    y = np.arange(200) % 20
    display = DecisionRegionsDisplay.from_estimator(classifier(max_epochs=2).fit(X, y), X, y)
    assert legend(display) == [str(label) for label in range(20)]
    colors = {tuple(part.get_facecolor()[0]) for part in display.ax_.collections[2:]}
    assert len(colors) == 20


def test_the_embedding_is_that_of_principal_components(fitted_classifier, classes):
    X, y = classes
    display = FeatureEmbeddingDisplay.from_estimator(fitted_classifier, X, y)
    exact = PCA(2).fit(fitted_classifier.transform(X).astype(float))
    np.testing.assert_allclose(display.explained, exact.explained_variance_ratio_, rtol=1e-3)
    expected = exact.transform(fitted_classifier.transform(X).astype(float))
    for column in range(2):
        agreement = np.corrcoef(display.points[:, column], expected[:, column])[0, 1]
        assert abs(agreement) == pytest.approx(1.0, abs=1e-4)
    first, second = 100 * display.explained
    assert display.ax_.get_xlabel() == f"component 1 ({first:.0f} %)"
    assert display.ax_.get_ylabel() == f"component 2 ({second:.0f} %)"
    assert legend(display) == ["0", "1", "2"]


def test_the_embedding_of_an_ensemble_is_of_all_its_features(auto_regressor, houses):
    table, price = houses
    display = FeatureEmbeddingDisplay.from_estimator(auto_regressor, table, price, max_rows=100)
    assert display.points.shape == (100, 2)
    assert set(display.targets) <= set(price)
    bar = next(ax for ax in display.figure_.axes if ax is not display.ax_)
    assert bar.get_ylabel() == "target"
