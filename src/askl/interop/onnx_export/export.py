"""The function that writes an ONNX file."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from askl.auto.base import AutoSpectralModel
from askl.errors import AsklError
from askl.interop.onnx_export.encoders import add_encoder
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.models import Outputs, add_model
from askl.persistence.model_file import write_model

OPSET = 17
IR_VERSION = 8


def export_onnx(model: Any, path: Any, *, dtype: Any = np.float64) -> Path:
    """Write a fitted model with its input scaling as an ONNX file.

    The graph takes ``X``, float64 of shape (n, n_features) for any n. That of a classifier gives
    ``label``, ``decision`` and, for losses that have them, ``probabilities``; that of a regressor
    ``prediction``; that of a transformer ``features``.

    Parameters
    ----------
    model : fitted estimator
        One of askl's, also behind a :class:`TableEncoder` whose columns are all numbers: the graph
        then replaces missing values, which are NaN.
    path : str or Path
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        The type in which the layers compute. With float64, predictions differ from askl's only by
        the rounding of askl's own float32. With float32 they are rounded twice, and are several
        times as fast.

    Returns
    -------
    Path
        Where the file is. Needs onnx: ``pip install askl[onnx]``.

    Examples
    --------
    >>> import tempfile
    >>> import onnxruntime
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.interop import export_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     session = onnxruntime.InferenceSession(export_onnx(model, Path(folder) / "iris.onnx"))
    >>> label, probabilities = session.run(["label", "probabilities"], {"X": X})
    >>> bool((label == model.predict(X)).all())
    True
    """
    check_is_fitted(model)
    if np.dtype(dtype) not in (np.float64, np.float32):
        raise AsklError(
            "The 'dtype' parameter of export_onnx must be numpy.float64 or numpy.float32. "
            f"Got {dtype!r} instead."
        )
    graph, inputs = Graph(dtype), "X"
    *encoders, last = _steps(model)
    for encoder in encoders:
        inputs = add_encoder(graph, encoder, inputs)
    outputs = add_model(graph, last, inputs)
    return write_model(path, _serialize(graph, model, outputs))


def _steps(model: Any) -> list[Any]:
    """Return the encoders that rows go through, and the model behind them."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    *before, last = steps
    own = last.encoders_ if isinstance(last, AutoSpectralModel) else []
    return [*before, *own, last]


def _serialize(graph: Graph, model: Any, outputs: Outputs) -> bytes:
    """Return the file's content: the graph with its types, for any number of rows, checked."""
    import onnx
    from onnx import helper

    def describe(name: str, dtype: Any, shape: list[Any]) -> Any:
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return helper.make_tensor_value_info(name, kind, shape)

    inputs = [describe("X", np.float64, ["n", model.n_features_in_])]
    described = [describe(name, *kind) for name, kind in outputs.items()]
    exported = helper.make_model(
        helper.make_graph(graph.nodes, "askl", inputs, described, graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="askl",
        producer_version=version("askl"),
    )
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        helper.set_model_props(exported, {"feature_names": json.dumps(list(names))})
    onnx.checker.check_model(exported)
    content: bytes = exported.SerializeToString()
    return content
