"""Automated spectral kernel learning: strong models on tables, with a kernel one can see.

Names are imported when they are first used: ``import askl`` itself is quick.

Examples
--------
>>> import askl
>>> askl.__version__
'0...'
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askl.auto import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
    from askl.discovery import NeighbourEncoder, SpreadEncoder, find_symmetries
    from askl.estimators import (
        SpectralFeatures,
        SpectralKernelClassifier,
        SpectralKernelRegressor,
    )
    from askl.insight import write_report
    from askl.persistence import load, save
    from askl.preprocessing import TableEncoder, make_table_pipeline

__version__ = "0.1.0.dev0"

__all__ = [
    "AutoSpectralKernelClassifier",
    "AutoSpectralKernelRegressor",
    "NeighbourEncoder",
    "SpectralFeatures",
    "SpectralKernelClassifier",
    "SpectralKernelRegressor",
    "SpreadEncoder",
    "TableEncoder",
    "__version__",
    "find_symmetries",
    "load",
    "make_table_pipeline",
    "save",
    "write_report",
]

_HOMES = {
    "askl.auto": ("AutoSpectralKernelClassifier", "AutoSpectralKernelRegressor"),
    "askl.discovery": ("NeighbourEncoder", "SpreadEncoder", "find_symmetries"),
    "askl.estimators": (
        "SpectralFeatures",
        "SpectralKernelClassifier",
        "SpectralKernelRegressor",
    ),
    "askl.insight": ("write_report",),
    "askl.persistence": ("load", "save"),
    "askl.preprocessing": ("TableEncoder", "make_table_pipeline"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}
_PACKAGES = ("auto", "evaluation", "insight", "interop", "learning", "spectral", "theory")


def __getattr__(name: str) -> object:
    """Import a public name, or a public package, when it is first used."""
    if name in _PACKAGES:
        return import_module(f"askl.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'askl' has no attribute {name!r}")
    value: object = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names and packages, imported or not."""
    return sorted({*__all__, *_PACKAGES})
