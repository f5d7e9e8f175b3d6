"""Curves of training, and the bound beside the gap."""

from __future__ import annotations

import numpy as np
import pytest

from askl.insight.plots import BoundTrajectoryDisplay, TrainingCurvesDisplay
from askl.theory import BoundRecorder, TrajectoryPoint
from tests.models import classifier, regressor


def lines_of(ax):
    return {line.get_label(): line for line in ax.get_lines()}


def test_training_curves_show_parts_that_count(fitted_classifier):
    display = TrainingCurvesDisplay.from_estimator(fitted_classifier)
    values = {name: line.get_ydata() for name, line in lines_of(display.ax_).items()}
    assert set(values) == {"loss", "head penalty", "feature penalty", "objective"}
    total = values["loss"] + values["head penalty"] + values["feature penalty"]
    np.testing.assert_allclose(values["objective"], total, rtol=1e-5)
    method = fitted_classifier.resolve_method()
    norms = [point.head_norm for point in fitted_classifier.history_]
    np.testing.assert_allclose(values["head penalty"], method.head_penalty * np.array(norms))
    assert display.ax_.get_yscale() == "log"


def test_scores_have_an_axis_of_their_own(fitted_classifier):
    display = TrainingCurvesDisplay.from_estimator(fitted_classifier)
    right = next(ax for ax in display.figure_.axes if ax is not display.ax_)
    expected = [point.score for point in fitted_classifier.history_]
    np.testing.assert_allclose(right.get_lines()[0].get_ydata(), expected)
    assert right.get_ylabel() == "score on held-out rows"
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["loss", "head penalty", "feature penalty", "objective", "score"]


def test_penalties_of_zero_and_scores_that_are_not_there_are_left_out(classes):
    model = classifier(head_penalty=0.0, feature_penalty=0.0, max_epochs=3).fit(*classes)
    display = TrainingCurvesDisplay.from_estimator(model)
    assert set(lines_of(display.ax_)) == {"loss", "objective"}
    assert display.figure_.axes == [display.ax_]


def test_records_between_epochs_are_put_where_they_were_made(classes):
    model = classifier(record_every=2, max_epochs=3).fit(*classes)
    display = TrainingCurvesDisplay.from_estimator(model)
    x = display.ax_.get_lines()[0].get_xdata()
    np.testing.assert_array_equal(x, 2 * np.arange(1, len(x) + 1))
    assert display.ax_.get_xlabel() == "iteration"


def test_a_single_record_is_a_point(classes):
    display = TrainingCurvesDisplay.from_estimator(classifier(max_epochs=1).fit(*classes))
    assert {line.get_marker() for line in display.ax_.get_lines()} == {"o"}


def test_an_exactly_solved_head_has_no_curves(numbers):
    with pytest.raises(ValueError, match="This SpectralKernelRegressor has no history"):
        TrainingCurvesDisplay.from_estimator(regressor("sk").fit(*numbers))


def test_an_ensemble_shows_a_member(auto_regressor):
    heaviest = auto_regressor.members_[int(auto_regressor.member_weights_.argmax())]
    display = TrainingCurvesDisplay.from_estimator(auto_regressor)
    assert display.history is heaviest.history_
    named = TrainingCurvesDisplay.from_estimator(auto_regressor, member=0)
    assert named.history is auto_regressor.members_[0].history_


def test_the_trajectory_is_what_was_recorded(fitted_classifier):
    display = BoundTrajectoryDisplay.from_estimator(fitted_classifier)
    points = fitted_classifier.callback.points
    lines = lines_of(display.ax_)
    np.testing.assert_array_equal(
        lines["complexity bound"].get_ydata(), [point.complexity for point in points]
    )
    np.testing.assert_array_equal(
        lines["complexity bound"].get_xdata(), [point.iteration for point in points]
    )
    gaps = np.array([point.gap for point in points])
    np.testing.assert_array_equal(
        lines["observed gap"].get_ydata(), np.where(gaps > 0.0, gaps, np.nan)
    )
    assert display.ax_.get_ylabel() == "bound and gap"


def test_gaps_that_a_logarithmic_axis_cannot_show_are_left_out():
    points = [
        TrajectoryPoint(1, 10, 1.0, 1.0, 0.5, train_loss=0.3, test_loss=0.2),
        TrajectoryPoint(2, 20, 1.0, 1.0, 0.6, train_loss=0.2, test_loss=0.3),
    ]
    display = BoundTrajectoryDisplay({"": points}).plot()
    gap = lines_of(display.ax_)["observed gap"].get_ydata()
    np.testing.assert_allclose(gap, [np.nan, 0.1])


def test_several_trajectories_are_told_apart(classes):
    X, y = classes
    recorders = {}
    for name, penalty in (("free", 0.0), ("bound", 0.1)):
        recorders[name] = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
        classifier(head_penalty=penalty, callback=recorders[name]).fit(X[::2], y[::2])
    display = BoundTrajectoryDisplay.from_recorders(recorders)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["free", "bound"]
    assert recorders["bound"].points[-1].complexity < recorders["free"].points[-1].complexity
    solid, dashed, *_ = display.ax_.get_lines()
    assert solid.get_color() == dashed.get_color()


@pytest.mark.parametrize("model", ["fitted_regressor", "auto_regressor"])
def test_trajectories_need_a_recorder(model, request):
    with pytest.raises(ValueError, match=r"must be a BoundRecorder.*Automatic models have none"):
        BoundTrajectoryDisplay.from_estimator(request.getfixturevalue(model))
