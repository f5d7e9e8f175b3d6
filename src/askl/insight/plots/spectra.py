"""The learned spectral density: a surface over frequency pairs, and marginals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from askl._typing import Array
from askl.auto.base import AutoSpectralModel
from askl.insight.members import choose_member
from askl.insight.plots.display import PALETTE, Display, input_names, require_matplotlib
from askl.theory import marginal_spectral_density, spectral_density


def _name(estimator: Any, names: Sequence[str] | None, feature: int | None) -> str:
    """Name a direction; of an automatic model, by the encoded columns that members take."""
    if feature is None:
        return "first principal direction"
    if names is None and isinstance(estimator, AutoSpectralModel):
        names = estimator.encoded_names().tolist()
    return input_names(estimator, names)[feature]


@dataclass(eq=False)
class SpectralDensityDisplay(Display):
    """The density surface s(ω, ω') along one input or the first principal direction.

    Parameters
    ----------
    grid : ndarray of shape (n_points,)
    surface : ndarray of shape (n_points, n_points)
    name : str
        Of the direction.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import SpectralDensityDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> SpectralDensityDisplay.from_estimator(model, feature=2).surface.shape
    (81, 81)
    """

    grid: Array
    surface: Array
    name: str

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature: int | None = None,
        member: int | None = None,
        names: Sequence[str] | None = None,
        before: bool = False,
        n_points: int = 81,
        ax: Any = None,
    ) -> SpectralDensityDisplay:
        """Estimate and draw the density of a fitted estimator.

        Parameters
        ----------
        estimator : fitted classifier, regressor or transformer
        feature : int, optional
            The input whose frequencies to show. By default the first principal direction of
            the learned frequencies.
        member : int, optional
            Of an automatic model: which of its members; by default the heaviest one that has a
            density. Its inputs are the encoded columns (``encoded_names()``).
        names : sequence of str, optional
            Of the inputs; those that the estimator was fitted with by default.
        before : bool, default=False
            Whether to show the density the frequencies were drawn from, on the same axes.
        n_points : int, default=81
        ax : matplotlib Axes, optional

        Returns
        -------
        SpectralDensityDisplay
            With ``ax_`` and ``figure_`` set.
        """
        model = choose_member(estimator, member, spectral=True)
        density = spectral_density(model, feature=feature, n_points=n_points)
        surface = density.before if before else density.after
        return cls(density.grid, surface, _name(estimator, names, feature)).plot(ax)

    def _draw(self, ax: Any) -> None:
        # On a square-root scale the tails are visible, where learning puts its frequencies.
        norm = require_matplotlib().colors.PowerNorm(0.5, vmin=0.0)
        image = ax.pcolormesh(
            self.grid, self.grid, self.surface, norm=norm, shading="gouraud", rasterized=True
        )
        ax.figure.colorbar(image, ax=ax, label="density, square-root scale")
        ax.grid(visible=False)
        ax.set(xlabel=f"ω, {self.name}", ylabel="ω'", aspect="equal")


@dataclass(eq=False)
class MarginalDensityDisplay(Display):
    """The marginal density of one input's frequencies, before and after learning.

    Parameters
    ----------
    grid, before, after : ndarray of shape (n_points,)
    name : str
        Of the direction.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.plots import MarginalDensityDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> MarginalDensityDisplay.from_estimator(model, feature=2).ax_.get_xlabel()
    'ω, input 2'
    """

    grid: Array
    before: Array
    after: Array
    name: str

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature: int | None = None,
        member: int | None = None,
        names: Sequence[str] | None = None,
        n_points: int = 401,
        ax: Any = None,
    ) -> MarginalDensityDisplay:
        """Estimate and draw the marginal of a fitted estimator along one direction.

        Parameters
        ----------
        estimator : fitted classifier, regressor or transformer
        feature : int, optional
            The input whose frequencies to show. By default the first principal direction.
        member : int, optional
            Of an automatic model: which of its members; by default the heaviest one that has a
            density. Its inputs are the encoded columns (``encoded_names()``).
        names : sequence of str, optional
            Of the inputs; those that the estimator was fitted with by default.
        n_points : int, default=401
        ax : matplotlib Axes, optional

        Returns
        -------
        MarginalDensityDisplay
            With ``ax_`` and ``figure_`` set.
        """
        model = choose_member(estimator, member, spectral=True)
        density = marginal_spectral_density(model, feature=feature, n_points=n_points)
        return cls(*density, _name(estimator, names, feature)).plot(ax)

    def _draw(self, ax: Any) -> None:
        ax.plot(self.grid, self.before, "--", color=PALETTE[1], label="as drawn")
        ax.plot(self.grid, self.after, color=PALETTE[0], label="learned")
        ax.fill_between(self.grid, self.after, color=PALETTE[0], alpha=0.15, linewidth=0)
        ax.set(xlabel=f"ω, {self.name}", ylabel="density", ylim=(0.0, None))
        ax.legend()
