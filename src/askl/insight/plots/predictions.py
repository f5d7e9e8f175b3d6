"""Predictions over a slice of input space, and the principal components of φ(x)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from askl._typing import Array
from askl.insight.plots.display import Display, class_colors, require_matplotlib
from askl.insight.plots.slices import Slice, cut_slice
from askl.insight.rows import dense, like_fitted, some_rows, take_rows
from askl.preprocessing.labels import class_indices


@dataclass(eq=False)
class DecisionRegionsDisplay(Display):
    """Predictions over a two-dimensional slice of input space, and rows projected on it.

    Parameters
    ----------
    plane : Slice
    predictions : ndarray of shape (n_points, n_points)
        Class numbers, or predicted targets.
    points : ndarray of shape (n_samples, 2)
    targets : ndarray of shape (n_samples,)
        Class numbers, or targets.
    classes : ndarray or None
        Labels of the classes; None for a regression.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import DecisionRegionsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> DecisionRegionsDisplay.from_estimator(model, X, y).predictions.shape
    (60, 60)
    """

    plane: Slice
    predictions: Array
    points: Array
    targets: Array
    classes: Array | None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        features: tuple[int, int] | None = None,
        names: Sequence[str] | None = None,
        max_rows: int = 300,
        ax: Any = None,
    ) -> DecisionRegionsDisplay:
        """Predict over a slice through the median row, and draw it.

        Parameters
        ----------
        estimator : fitted classifier or regressor of one output
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        features : tuple of int, optional
            The two inputs that vary; the most relevant ones by default.
        names : sequence of str, optional
            Of the inputs; those that the estimator was fitted with by default.
        max_rows : int, default=300
            Rows to show as points; more are sampled.
        ax : matplotlib Axes, optional

        Returns
        -------
        DecisionRegionsDisplay
            With ``ax_`` and ``figure_`` set.
        """
        plane = cut_slice(estimator, X, features=features, names=names)
        predictions = estimator.predict(like_fitted(estimator, plane.rows))
        chosen = some_rows(len(y), max_rows)
        targets = np.asarray(y)[chosen]
        classes = getattr(estimator, "classes_", None)
        if classes is not None:
            predictions = class_indices(predictions, classes)
            targets = class_indices(targets, classes)
        points = dense(take_rows(X, chosen))[:, list(plane.features)]
        return cls(plane, plane.on_grid(predictions), points, targets, classes).plot(ax)

    def _draw(self, ax: Any) -> None:
        plane = self.plane
        if self.classes is None:
            low = min(self.predictions.min(), self.targets.min())
            high = max(self.predictions.max(), self.targets.max())
            options = {"cmap": "viridis", "vmin": low, "vmax": high}
        else:
            options = _class_options(len(self.classes))
        image = ax.pcolormesh(
            plane.horizontal,
            plane.vertical,
            self.predictions,
            rasterized=True,
            alpha=0.6,
            **options,
        )
        ax.scatter(
            *self.points.T, c=self.targets, s=12, edgecolors="white", linewidths=0.4, **options
        )
        if self.classes is None:
            ax.figure.colorbar(image, ax=ax, label="prediction")
        else:
            _name_classes(ax, self.classes)
        ax.grid(visible=False)
        ax.set(
            xlabel=plane.names[0],
            ylabel=plane.names[1],
            xlim=(plane.horizontal[0], plane.horizontal[-1]),
            ylim=(plane.vertical[0], plane.vertical[-1]),
        )


@dataclass(eq=False)
class FeatureEmbeddingDisplay(Display):
    """The features φ(x) on their first two principal components.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
    explained : ndarray of shape (2,)
        Share of the variance along each.
    targets : ndarray of shape (n_samples,)
        Class numbers, or targets.
    classes : ndarray or None
        Labels of the classes; None for a regression.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import FeatureEmbeddingDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> FeatureEmbeddingDisplay.from_estimator(model, X, y).points.shape
    (150, 2)
    """

    points: Array
    explained: Array
    targets: Array
    classes: Array | None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, max_rows: int = 1500, ax: Any = None
    ) -> FeatureEmbeddingDisplay:
        """Compute and draw the principal components of a fitted estimator's features.

        Parameters
        ----------
        estimator : fitted classifier, regressor or transformer
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            What to colour by.
        max_rows : int, default=1500
            Rows to show; more are sampled.
        ax : matplotlib Axes, optional

        Returns
        -------
        FeatureEmbeddingDisplay
            With ``ax_`` and ``figure_`` set.
        """
        chosen = some_rows(len(y), max_rows)
        components = PCA(2, svd_solver="randomized", random_state=0)
        points = components.fit_transform(estimator.transform(take_rows(X, chosen)))
        classes, targets = getattr(estimator, "classes_", None), np.asarray(y)[chosen]
        if classes is not None:
            targets = class_indices(targets, classes)
        return cls(points, components.explained_variance_ratio_, targets, classes).plot(ax)

    def _draw(self, ax: Any) -> None:
        options: dict[str, Any] = {"cmap": "viridis"}
        if self.classes is not None:
            options = _class_options(len(self.classes))
        points = ax.scatter(*self.points.T, c=self.targets, s=10, rasterized=True, **options)
        if self.classes is None:
            ax.figure.colorbar(points, ax=ax, label="target")
        else:
            _name_classes(ax, self.classes)
        first, second = 100.0 * self.explained
        ax.set(xlabel=f"component 1 ({first:.0f} %)", ylabel=f"component 2 ({second:.0f} %)")


def _class_options(n_classes: int) -> dict[str, Any]:
    colors = require_matplotlib().colors.ListedColormap(class_colors(n_classes))
    return {"cmap": colors, "vmin": -0.5, "vmax": n_classes - 0.5}


def _name_classes(ax: Any, classes: Array) -> None:
    """Add a legend of the classes beside the axes, in as many columns as it needs."""
    for color, label in zip(class_colors(len(classes)), classes, strict=True):
        ax.scatter([], [], color=color, s=20, label=str(label))
    ax.legend(
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        ncols=1 + (len(classes) - 1) // 13,
        handletextpad=0.1,
        columnspacing=0.5,
    )
