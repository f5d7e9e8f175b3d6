"""From names and settings to an estimator, ready to fit."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import typer
from sklearn.pipeline import Pipeline

from askl.auto import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
from askl.cli.choices import AUTO
from askl.cli.models.problem import Problem
from askl.estimators import SpectralKernelClassifier, SpectralKernelRegressor
from askl.preprocessing import make_table_pipeline

_WORDS = {"true": True, "false": False, "none": None}


def parse_settings(texts: list[str] | None) -> dict[str, Any]:
    """Read ``name=value`` settings; values are Python's literals, or else text.

    Examples
    --------
    >>> parse_settings(["n_components=200", "loss=hinge", "early_stopping=true"])
    {'n_components': 200, 'loss': 'hinge', 'early_stopping': True}
    """
    settings = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"A setting is written name=value. Got {text!r}.")
        try:
            settings[name.strip()] = _WORDS.get(value.lower(), ast.literal_eval(value))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            settings[name.strip()] = _WORDS.get(value.lower(), value)
    return settings


def make_estimator(
    problem: Problem, method: str, parameters: Mapping[str, Any], *, seed: int
) -> Any:
    """Make the estimator of a method for a problem, behind an encoder where it needs one."""
    kind = _kind(problem, method)
    named = {"random_state": seed, **parameters}
    if method != AUTO:
        named["method"] = method
    known = kind().get_params()
    for name in named:
        if name not in known:
            close = get_close_matches(name, known, n=3) or sorted(known)
            raise typer.BadParameter(
                f"{kind.__name__} has no parameter {name!r}. Try one of {', '.join(close)}."
            )
    estimator = kind(**named)
    needs_encoder = method != AUTO and not problem.is_numeric
    return make_table_pipeline(estimator) if needs_encoder else estimator


def _kind(problem: Problem, method: str) -> type[Any]:
    if method == AUTO:
        return AutoSpectralKernelRegressor if problem.regression else AutoSpectralKernelClassifier
    return SpectralKernelRegressor if problem.regression else SpectralKernelClassifier


def final_step(model: Any) -> Any:
    """Return the last step of a pipeline; any other model as it is."""
    return model[-1] if isinstance(model, Pipeline) else model
