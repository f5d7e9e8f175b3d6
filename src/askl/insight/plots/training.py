"""Training: the objective and its parts, and the complexity bound beside the observed gap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askl.insight.members import choose_member
from askl.insight.plots.display import PALETTE, Display
from askl.learning import Progress
from askl.theory import BoundRecorder, TrajectoryPoint


@dataclass(eq=False)
class TrainingCurvesDisplay(Display):
    """Loss, each penalty, the objective and, where rows were held out, the score.

    Parameters
    ----------
    history : sequence of Progress
    head_penalty, feature_penalty : float
        λ₁ and λ₂, by which the recorded norms count.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import TrainingCurvesDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> TrainingCurvesDisplay.from_estimator(model).ax_.get_xlabel()
    'iteration'
    """

    history: Sequence[Progress]
    head_penalty: float
    feature_penalty: float

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, member: int | None = None, ax: Any = None
    ) -> TrainingCurvesDisplay:
        """Draw the history of a fitted estimator.

        Parameters
        ----------
        estimator : fitted classifier or regressor
            With a history.
        member : int, optional
            Of an automatic model: which of its members; the heaviest by default.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        TrainingCurvesDisplay
            With ``ax_`` and ``figure_`` set.
        """
        model = choose_member(estimator, member)
        if not model.history_:
            raise ValueError(
                f"This {type(model).__name__} has no history: its frequencies are not learned, and "
                "its head was solved exactly. Fit a method that learns frequencies."
            )
        method = model.resolve_method()
        return cls(model.history_, method.head_penalty, method.feature_penalty).plot(ax)

    def _draw(self, ax: Any) -> None:
        iterations = [point.iteration for point in self.history]
        head = self.head_penalty * np.array([point.head_norm for point in self.history])
        feature = self.feature_penalty * np.array([point.feature_norm for point in self.history])
        curves = {
            "loss": np.array([point.loss for point in self.history]),
            "head penalty": head,
            "feature penalty": feature,
            "objective": np.array([point.objective for point in self.history]),
        }
        marker = "o" if len(iterations) == 1 else None
        for color, (label, values) in zip(PALETTE, curves.items(), strict=False):
            if np.any(values > 0.0):
                ax.plot(iterations, values, label=label, color=color, marker=marker)
        ax.set(xlabel="iteration", ylabel="value", yscale="log")
        lines = ax.get_lines()
        scores = [np.nan if point.score is None else point.score for point in self.history]
        if np.isfinite(scores).any():
            right = ax.twinx()
            lines = [*lines, *right.plot(iterations, scores, "--", color=PALETTE[4], label="score")]
            right.set_ylabel("score on held-out rows")
            right.grid(visible=False)
        # Above the axes, where no curve of either scale can be.
        ax.legend(handles=lines, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)


@dataclass(eq=False)
class BoundTrajectoryDisplay(Display):
    """The complexity bound over training, and the observed generalisation gap under it.

    Parameters
    ----------
    trajectories : mapping of str to sequence of TrajectoryPoint
        One or more runs, by name.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import BoundTrajectoryDisplay
    >>> from askl.theory import BoundRecorder
    >>> X, y = load_iris(return_X_y=True)
    >>> recorder = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
    >>> model = SpectralKernelClassifier(n_components=50, callback=recorder, random_state=0)
    >>> display = BoundTrajectoryDisplay.from_estimator(model.fit(X[::2], y[::2]))
    >>> display.ax_.get_yscale()
    'log'
    """

    trajectories: Mapping[str, Sequence[TrajectoryPoint]]

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> BoundTrajectoryDisplay:
        """Draw what a BoundRecorder, the callback of a fitted estimator, has recorded.

        Parameters
        ----------
        estimator : fitted classifier or regressor
            Whose callback is a BoundRecorder.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        BoundTrajectoryDisplay
            With ``ax_`` and ``figure_`` set.
        """
        callback = getattr(estimator, "callback", None)
        if not isinstance(callback, BoundRecorder):
            raise ValueError(
                "The 'callback' parameter of the estimator must be a BoundRecorder for its "
                f"trajectory to be drawn. Got {callback!r} instead. Automatic models have none: "
                "fit a SpectralKernelClassifier or SpectralKernelRegressor with one."
            )
        return cls.from_recorders({"": callback}, ax=ax)

    @classmethod
    def from_recorders(
        cls, recorders: Mapping[str, BoundRecorder], *, ax: Any = None
    ) -> BoundTrajectoryDisplay:
        """Draw what some recorders have recorded, one colour each.

        Parameters
        ----------
        recorders : mapping of str to BoundRecorder
            By the name of the run.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        BoundTrajectoryDisplay
            With ``ax_`` and ``figure_`` set.
        """
        return cls({name: recorder.points for name, recorder in recorders.items()}).plot(ax)

    def _draw(self, ax: Any) -> None:
        for position, (name, points) in enumerate(self.trajectories.items()):
            color = PALETTE[position % len(PALETTE)]
            iterations = [point.iteration for point in points]
            bound = [point.complexity for point in points]
            ax.plot(iterations, bound, color=color, label=name or "complexity bound")
            # A logarithmic axis cannot show a gap at or below zero.
            gap = [point.gap if point.gap > 0.0 else np.nan for point in points]
            ax.plot(iterations, gap, "--", color=color, label=None if name else "observed gap")
        ax.set(xlabel="iteration", ylabel="bound and gap", yscale="log")
        ax.legend()
