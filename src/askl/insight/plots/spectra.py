"""The learned spectral density: a surface over frequency pairs, and marginals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askl._typing import Array
from askl.insight.plots.display import PALETTE, Display, input_names, require_matplotlib
from askl.theory import marginal_spectral_density, spectral_density


def _name(estimator: Any, feature: int | None) -> str:
    return "first principal direction" if feature is None else input_names(estimator)[feature]


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
        before : bool, default=False
            Whether to show the density the frequencies were drawn from, on the same axes.
        n_points : int, default=81
        ax : matplotlib Axes, optional

        Returns
        -------
        SpectralDensityDisplay
            With ``ax_`` and ``figure_`` set.
        """
        density = spectral_density(estimator, feature=feature, n_points=n_points)
        surface = density.before if before else density.after
        return cls(density.grid, surface, _name(estimator, feature)).plot(ax)

    def _draw(self, ax: Any) -> None:
        # The square root lets the eye see the tails, where learning puts its frequencies.
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
        cls, estimator: Any, *, feature: int | None = None, n_points: int = 401, ax: Any = None
    ) -> MarginalDensityDisplay:
        """Estimate and draw the marginal of a fitted estimator along one direction.

        Parameters
        ----------
        estimator : fitted classifier, regressor or transformer
        feature : int, optional
            The input whose frequencies to show. By default the first principal direction.
        n_points : int, default=401
        ax : matplotlib Axes, optional

        Returns
        -------
        MarginalDensityDisplay
            With ``ax_`` and ``figure_`` set.
        """
        density = marginal_spectral_density(estimator, feature=feature, n_points=n_points)
        return cls(*density, _name(estimator, feature)).plot(ax)

    def _draw(self, ax: Any) -> None:
        ax.plot(self.grid, self.before, "--", color=PALETTE[1], label="as drawn")
        ax.plot(self.grid, self.after, color=PALETTE[0], label="learned")
        ax.fill_between(self.grid, self.after, color=PALETTE[0], alpha=0.15, linewidth=0)
        ax.set(xlabel=f"ω, {self.name}", ylabel="density", ylim=(0.0, None))
        ax.legend()
