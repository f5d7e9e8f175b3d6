"""The kernel itself: its matrix, its map around a point, and its diagonal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askl._typing import Array
from askl.insight.members import drawn_parts, mean_diagonal, mean_kernel, parts_of
from askl.insight.plots.display import PALETTE, Display
from askl.insight.plots.slices import Slice, cut_slice
from askl.insight.rows import like_fitted, some_rows, take_rows


@dataclass(eq=False)
class KernelMatrixDisplay(Display):
    """The kernel matrix of some rows, sorted by class or target.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        Sorted.
    targets : ndarray of shape (n_samples,)
        Sorted the same way.
    by_class : bool
        Whether targets are classes, which lines separate.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import KernelMatrixDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> KernelMatrixDisplay.from_estimator(model, X, y, before=True).matrix.shape
    (150, 150)
    """

    matrix: Array
    targets: Array
    by_class: bool

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        before: bool = False,
        max_rows: int = 300,
        ax: Any = None,
    ) -> KernelMatrixDisplay:
        """Compute and draw the kernel matrix of a fitted estimator.

        Parameters
        ----------
        estimator : fitted classifier, regressor or transformer
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            What to sort by.
        before : bool, default=False
            Whether to show the kernel as it was before learning.
        max_rows : int, default=300
            Rows to show; more are sampled.
        ax : matplotlib Axes, optional

        Returns
        -------
        KernelMatrixDisplay
            With ``ax_`` and ``figure_`` set.
        """
        chosen = some_rows(len(y), max_rows)
        targets = np.asarray(y)[chosen]
        order = np.argsort(targets, kind="stable")
        parts = (drawn_parts if before else parts_of)(estimator, take_rows(X, chosen[order]))
        matrix = mean_kernel(parts)
        return cls(matrix, targets[order], hasattr(estimator, "classes_")).plot(ax)

    def _draw(self, ax: Any) -> None:
        off_diagonal = self.matrix[~np.eye(len(self.matrix), dtype=bool)]
        low, high = np.quantile(off_diagonal, [0.01, 0.99])
        image = ax.imshow(self.matrix, cmap="viridis", vmin=low, vmax=high, rasterized=True)
        ax.figure.colorbar(image, ax=ax, label="k(x, z)")
        ax.grid(visible=False)
        if self.by_class:
            self._mark_classes(ax)
        else:
            ax.set(xticks=[], yticks=[], xlabel="rows, by target", ylabel="rows, by target")

    def _mark_classes(self, ax: Any) -> None:
        classes, starts = np.unique(self.targets, return_index=True)
        ends = np.append(starts[1:], len(self.targets))
        for start in starts[1:]:
            ax.axhline(start - 0.5, color="white", linewidth=0.4)
            ax.axvline(start - 0.5, color="white", linewidth=0.4)
        middles = (starts + ends - 1) / 2.0
        every = 1 + (len(classes) - 1) // 10
        ax.set_xticks(middles[::every], classes[::every])
        ax.set_yticks(middles[::every], classes[::every])
        ax.set(xlabel="class", ylabel="class")


@dataclass(eq=False)
class KernelMapDisplay(Display):
    """k(x, ·) for one x, over a two-dimensional slice of input space through x.

    Parameters
    ----------
    plane : Slice
    values : ndarray of shape (n_points, n_points)
    center : ndarray of shape (n_features,)
        x.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import KernelMapDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> KernelMapDisplay.from_estimator(model, X, center=X[0], features=(2, 3)).values.shape
    (60, 60)
    """

    plane: Slice
    values: Array
    center: Array

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        center: Any = None,
        features: tuple[int, int] | None = None,
        names: Sequence[str] | None = None,
        before: bool = False,
        ax: Any = None,
    ) -> KernelMapDisplay:
        """Compute and draw the kernel around a point.

        Parameters
        ----------
        estimator : fitted classifier, regressor or transformer
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The range of most of these rows is covered.
        center : array-like of shape (n_features,), optional
            x; the median row by default.
        features : tuple of int, optional
            The two inputs that vary; the most relevant ones by default.
        names : sequence of str, optional
            Of the inputs; those that the estimator was fitted with by default.
        before : bool, default=False
            Whether to show the kernel as it was before learning.
        ax : matplotlib Axes, optional

        Returns
        -------
        KernelMapDisplay
            With ``ax_`` and ``figure_`` set.
        """
        plane = cut_slice(estimator, X, features=features, center=center, names=names)
        around = (drawn_parts if before else parts_of)(
            estimator, like_fitted(estimator, plane.rows)
        )
        middle = parts_of(estimator, like_fitted(estimator, plane.center[None, :]))
        values = mean_kernel(around, middle)[:, 0]
        return cls(plane, plane.on_grid(values), plane.center).plot(ax)

    def _draw(self, ax: Any) -> None:
        plane = self.plane
        image = ax.pcolormesh(
            plane.horizontal, plane.vertical, self.values, shading="gouraud", rasterized=True
        )
        ax.figure.colorbar(image, ax=ax, label="k(x, ·)")
        ax.plot(*self.center[list(plane.features)], "*", color="white", markersize=12)
        ax.grid(visible=False)
        ax.set(xlabel=plane.names[0], ylabel=plane.names[1])


@dataclass(eq=False)
class KernelDiagonalDisplay(Display):
    """The distribution of k(x, x) over rows, which is constant for a stationary kernel.

    Parameters
    ----------
    diagonals : mapping of str to ndarray of shape (n_samples,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import KernelDiagonalDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {
    ...     method: SpectralKernelClassifier(method, n_components=50, random_state=0).fit(X, y)
    ...     for method in ("skl", "askl")}
    >>> diagonals = KernelDiagonalDisplay.from_estimators(models, X).diagonals
    >>> float(diagonals["skl"].std().round(9)), bool(diagonals["askl"].std() > 0)
    (0.0, True)
    """

    diagonals: Mapping[str, Array]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, ax: Any = None) -> KernelDiagonalDisplay:
        """Draw k(x, x) of one fitted estimator, before and after learning.

        Parameters
        ----------
        estimator : fitted classifier, regressor or transformer
        X : array-like or sparse matrix of shape (n_samples, n_features)
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        KernelDiagonalDisplay
            With ``ax_`` and ``figure_`` set.
        """
        drawn, learned = drawn_parts(estimator, X), parts_of(estimator, X)
        diagonals = {"as drawn": mean_diagonal(drawn), "learned": mean_diagonal(learned)}
        return cls(diagonals).plot(ax)

    @classmethod
    def from_estimators(
        cls, estimators: Mapping[str, Any], X: Any, *, ax: Any = None
    ) -> KernelDiagonalDisplay:
        """Draw k(x, x) of several fitted estimators, phases integrated out where possible.

        Parameters
        ----------
        estimators : mapping of str to fitted estimator
        X : array-like or sparse matrix of shape (n_samples, n_features)
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        KernelDiagonalDisplay
            With ``ax_`` and ``figure_`` set.
        """
        diagonals = {name: mean_diagonal(parts_of(model, X)) for name, model in estimators.items()}
        return cls(diagonals).plot(ax)

    def _draw(self, ax: Any) -> None:
        # Rounded: the constant of a stationary kernel differs between rows in its last digits.
        parts = ax.violinplot(
            [values.round(9) for values in self.diagonals.values()], showmedians=True
        )
        for position, body in enumerate(parts["bodies"]):
            body.set(facecolor=PALETTE[position % len(PALETTE)], alpha=0.5)
        ax.set_xticks(np.arange(1, len(self.diagonals) + 1), list(self.diagonals))
        ax.set(ylabel="k(x, x)")
