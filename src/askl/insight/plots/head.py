"""The head W: its singular values, and the relevance of inputs for its outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askl._typing import Array
from askl.insight.members import choose_member, relevance_of
from askl.insight.plots.display import PALETTE, Display, input_names
from askl.learning import singular_values
from askl.theory.fitted import model_of


@dataclass(eq=False)
class SingularValuesDisplay(Display):
    """The singular values of one or several heads, largest first.

    Parameters
    ----------
    values : mapping of str to ndarray

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import SingularValuesDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> SingularValuesDisplay.from_estimator(model).values[""].shape
    (3,)
    """

    values: Mapping[str, Array]

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, member: int | None = None, ax: Any = None
    ) -> SingularValuesDisplay:
        """Draw the singular values of one fitted estimator.

        Parameters
        ----------
        estimator : fitted classifier or regressor
        member : int, optional
            Of an automatic model: which of its members; the heaviest by default.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        SingularValuesDisplay
            With ``ax_`` and ``figure_`` set.
        """
        return cls.from_estimators({"": choose_member(estimator, member)}, ax=ax)

    @classmethod
    def from_estimators(
        cls, estimators: Mapping[str, Any], *, ax: Any = None
    ) -> SingularValuesDisplay:
        """Draw the singular values of several fitted estimators, by name.

        Parameters
        ----------
        estimators : mapping of str to fitted estimator
            Of an automatic model, its heaviest member is shown.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        SingularValuesDisplay
            With ``ax_`` and ``figure_`` set.
        """
        values = {
            name: singular_values(model_of(choose_member(estimator)).weights).numpy()
            for name, estimator in estimators.items()
        }
        return cls(values).plot(ax)

    def _draw(self, ax: Any) -> None:
        for position, (name, values) in enumerate(self.values.items()):
            color = PALETTE[position % len(PALETTE)]
            ax.plot(np.arange(1, len(values) + 1), values, "o-", color=color, label=name or None)
        longest = max(len(values) for values in self.values.values())
        ax.set(xlabel="rank", ylabel="singular value of W")
        ax.set(xlim=(0.5, longest + 0.5), ylim=(0.0, None))
        ax.set_xticks(np.arange(1, longest + 1, 1 + (longest - 1) // 10))
        if any(self.values):
            ax.legend()


@dataclass(eq=False)
class FeatureRelevanceDisplay(Display):
    """How much the outputs react to each input, as shares of the total.

    Parameters
    ----------
    relevance : ndarray of shape (n_features,)
        Share of each scaled input in the mean squared gradient of the outputs.
    names : list of str
    max_features : int, default=20
        Inputs to show, the most relevant ones.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import FeatureRelevanceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> len(FeatureRelevanceDisplay.from_estimator(model, max_features=2).ax_.patches)
    2
    """

    relevance: Array
    names: list[str]
    max_features: int = 20

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        names: Sequence[str] | None = None,
        max_features: int = 20,
        ax: Any = None,
    ) -> FeatureRelevanceDisplay:
        """Draw the relevance of the inputs of a fitted estimator.

        For an automatic model it is the weighted mean over its members, in terms of the columns of
        the table that it was fitted to.

        Parameters
        ----------
        estimator : fitted classifier, regressor or transformer
        names : sequence of str, optional
            Of the inputs; those that the estimator was fitted with by default.
        max_features : int, default=20
            Inputs to show, the most relevant ones.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        FeatureRelevanceDisplay
            With ``ax_`` and ``figure_`` set.
        """
        relevance = relevance_of(estimator)
        return cls(relevance, input_names(estimator, names), max_features).plot(ax)

    def _draw(self, ax: Any) -> None:
        shares = self.relevance / max(float(self.relevance.sum()), 1e-300)
        chosen = np.argsort(shares)[-self.max_features :]
        names = [self.names[position] for position in chosen]
        ax.barh(np.arange(len(chosen)), shares[chosen], color=PALETTE[0])
        ax.set_yticks(np.arange(len(chosen)), names)
        ax.grid(visible=False, axis="y")
        ax.set(xlabel="share of squared gradient")
