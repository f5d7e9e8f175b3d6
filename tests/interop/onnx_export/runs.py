"""Parts of graphs and whole files, run by onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnxruntime import InferenceSession

from askl.interop import export_onnx
from askl.interop.onnx_export.graph import Graph

TOLERANCE = 1e-5


def run_model(model: Any, X: Any, path: Path, **options: Any) -> dict[str, np.ndarray]:
    """Export a model, and run it on some rows."""
    session = InferenceSession(export_onnx(model, path, **options))
    names = [output.name for output in session.get_outputs()]
    outputs = session.run(None, {"X": np.asarray(X, dtype=np.float64)})
    return dict(zip(names, outputs, strict=True))


def run_graph(graph: Graph, result: str, X: np.ndarray) -> np.ndarray:
    """Run a bare graph, with a value of any type for its result."""
    info = onnx.helper.make_tensor_value_info
    outputs = [onnx.helper.make_value_info(result, onnx.TypeProto())]
    inputs = [info("X", onnx.TensorProto.DOUBLE, [None, X.shape[1]])]
    proto = onnx.helper.make_graph(graph.nodes, "part", inputs, outputs, graph.constants)
    opsets = [onnx.helper.make_opsetid("", 17)]
    model = onnx.helper.make_model(proto, opset_imports=opsets, ir_version=8)
    typed = onnx.shape_inference.infer_shapes(model)
    return InferenceSession(typed.SerializeToString()).run(None, {"X": X})[0]


def assert_close(got, expected):
    """Compare relative to the largest expected number, or to one where that is larger."""
    assert got.shape == expected.shape
    size = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(got / size, expected / size, rtol=0, atol=TOLERANCE)
