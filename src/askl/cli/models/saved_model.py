"""Model files as the command line writes and reads them: with the target and kinds of columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, get_args

from askl.cli.console import Screen
from askl.cli.files import check_file
from askl.cli.models.problem import Problem
from askl.cli.tabular.columns import Kind
from askl.errors import ModelFileError
from askl.persistence import load, read_header, save


class SavedModel(NamedTuple):
    """A model from a file, with what the command line wrote into its header.

    Attributes
    ----------
    model : fitted estimator
    kinds : dict of str to Kind
        What each column held when the model was fitted; empty for models saved from Python.
    target : str or None
        The column that the model predicts.
    """

    model: Any
    kinds: dict[str, Kind]
    target: str | None


def save_model(model: Any, problem: Problem, path: Path) -> None:
    """Save a model with its target and the kinds of its columns."""
    types = {} if not hasattr(problem.X, "dtypes") else dict(problem.X.dtypes)
    kinds = {str(name): _kind(data_type) for name, data_type in types.items()}
    save(model, path, extra={"column_kinds": kinds, "target": problem.target})


def load_model(screen: Screen, path: Path) -> SavedModel:
    """Load a model from its file, and show warnings as notes."""
    check_file(path)
    with screen.warnings():
        model = load(path)
    extra = read_header(path)["extra"]
    kinds, target = extra.get("column_kinds", {}), extra.get("target")
    known = isinstance(kinds, dict) and all(kind in get_args(Kind) for kind in kinds.values())
    if not known or not (target is None or isinstance(target, str)):
        raise ModelFileError(
            f"{path} has a target or kinds of columns that are not known. Fit the model again."
        )
    return SavedModel(model, kinds, target)


def _kind(data_type: Any) -> Kind:
    """Return what a pandas column holds."""
    if data_type.kind == "M":
        return "time"
    return "number" if data_type.kind in "iufb" else "text"
