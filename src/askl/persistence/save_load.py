"""Saving models to files and loading them, without running any code from a file."""

from __future__ import annotations

import json
import math
import platform
import warnings
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.utils.validation import check_is_fitted

from askl.errors import ModelFileError
from askl.persistence.codec import Decoder, Encoder
from askl.persistence.model_file import pack, read, read_header, write_model
from askl.persistence.value_codecs import CODECS

__all__ = ["load", "read_header", "save"]


def save(model: Any, path: Any, *, extra: Mapping[str, Any] | None = None) -> Path:
    """Write a fitted model to one file, which holds data only.

    The file is written in one step: if that fails, what was there before is unchanged. A callback
    is code, and is left out.

    Parameters
    ----------
    model : fitted estimator
        One of askl's, or a scikit-learn ``Pipeline`` of them and common transformers.
    path : str or Path
        Customarily it ends in ``.askl``.
    extra : mapping of str to plain values, optional
        Further values for the header: texts, finite numbers, booleans, None, and lists and dicts of
        them. :func:`askl.persistence.read_header` returns them; :func:`load` does not use them.

    Returns
    -------
    Path
        The absolute path of the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import askl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = askl.SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = askl.save(model, Path(folder) / "iris.askl")
    ...     again = askl.load(path)
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    check_is_fitted(model)
    encoder = Encoder(CODECS)
    state = encoder(model)
    header = {**_summary(model), "extra": _check_extra(extra or {}), "state": state}
    return write_model(path, pack(header, encoder.tensors))


def _check_extra(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of plain values as JSON would give them back; refuse all others."""
    try:
        copy: Any = json.loads(json.dumps(dict(extra), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(
            "The 'extra' parameter of save must hold plain values: texts, finite numbers, "
            f"booleans, None, lists and dicts. {error}."
        ) from error
    if copy != dict(extra):
        raise ModelFileError(
            "The 'extra' parameter of save must hold plain values with texts as keys, lists "
            f"instead of tuples. Got {dict(extra)!r} instead."
        )
    return dict(copy)


def load(path: Any) -> Any:
    """Read a model that :func:`save` wrote. No code from the file is run.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    estimator
        Fitted. Its predictions equal those of the saved model, to the bit.

    Raises
    ------
    ModelFileError
        Where the file was changed or damaged, or is of an unknown version.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import askl
    >>> from sklearn.datasets import load_iris
    >>> model = askl.SpectralFeatures(n_components=20, random_state=0).fit(load_iris().data)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     askl.load(askl.save(model, Path(folder) / "iris.askl")).n_components
    20
    """
    header, tensors = read(path)
    decoder = Decoder(CODECS, tensors)
    try:
        model = decoder(header["state"])
        if not isinstance(model, BaseEstimator):
            raise ModelFileError("it holds something else")
        check_is_fitted(model)
        for part in decoder.objects:
            _check_shapes(part)
    except Exception as error:  # hostile data may cause any
        raise ModelFileError(
            f"{path} does not hold a model: {str(error)[:200]}. Save the model again."
        ) from error
    _warn_of_other_versions(header, decoder.objects)
    return model


def _check_shapes(model: Any) -> None:
    """Check that the layers of a spectral model fit its inputs, each other and its weights."""
    if not hasattr(model, "layers_"):
        return
    n_inputs = width = len(model.scaling_.sources(model.n_features_in_))
    for frequencies, phases in model.layers_:
        n_branches, n_rows, n_components = frequencies.shape
        if n_rows != width or phases.shape != (n_branches, n_components):
            raise ModelFileError("a layer does not fit the one below it")
        width = n_inputs + n_components * (2 if model.activation_ == "paired" else 1)
    if model.weights_.ndim != 2 or len(model.weights_) != width - n_inputs:
        raise ModelFileError("the weights do not fit the layers")


def _warn_of_other_versions(header: dict[str, Any], objects: list[Any]) -> None:
    """Warn where objects of scikit-learn were saved by another version of it."""
    versions = header.get("versions")
    there = str(versions.get("scikit-learn")) if isinstance(versions, dict) else "unknown"
    here = version("scikit-learn")
    if here.split(".")[:2] == there.split(".")[:2]:
        return
    foreign = {type(part).__name__ for part in objects if type(part).__module__[:8] == "sklearn."}
    for name in sorted(foreign):
        warnings.warn(
            InconsistentVersionWarning(
                estimator_name=name, current_sklearn_version=here, original_sklearn_version=there
            ),
            stacklevel=3,
        )


def _summary(model: Any) -> dict[str, Any]:
    """Describe a model in plain values, for readers who do not need its tensors."""
    steps = [step for _, step in getattr(model, "steps", [])]
    learner = steps[-1] if steps else model
    tables = (getattr(model, "table_", None), *steps)
    kinds = [table.kinds_ for table in tables if hasattr(table, "kinds_")]
    return {
        "kind": type(model).__name__,
        "steps": [type(step).__name__ for step in steps],
        "parameters": _plain(learner.get_params(deep=False)),
        "classes": _plain(getattr(model, "classes_", None)),
        "features": {
            "count": getattr(model, "n_features_in_", None),
            "names": _plain(getattr(model, "feature_names_in_", None)),
            "kinds": kinds[0] if kinds else None,
        },
        "preprocessing": getattr(getattr(learner, "scaling_", None), "kind", None),
        "training": _plain(_training(learner)),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("askl", "numpy", "scikit-learn", "torch")},
        },
    }


def _training(learner: Any) -> dict[str, Any]:
    """Describe the training: the last record of the history, and further fitted numbers."""
    history = getattr(learner, "history_", None)
    names = ("n_iter_", "head_strength_", "member_weights_", "temperature_", "fit_seconds_")
    others = {name[:-1]: getattr(learner, name) for name in names if hasattr(learner, name)}
    return {**(history[-1]._asdict() if history else {}), **others}


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold: the value itself, or else its text."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)
