"""The input scalings as nodes of a graph."""

from __future__ import annotations

import numpy as np

from askl._typing import Array
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.quantiles import add_normal_scores
from askl.preprocessing.input_scaling import Scaling
from askl.preprocessing.scaling_kinds import LARGEST, SMOOTH_CLIP


def add_scaling(graph: Graph, scaling: Scaling, inputs: str) -> str:
    """Add a fitted scaling of float64 columns; return the name of its float32 result."""
    parts = []
    for kind in scaling.kind.split("+"):
        if kind == "quantile":
            scaled = add_normal_scores(graph, scaling.arrays, inputs)
        elif kind == "bins":
            scaled = _bins(graph, scaling.arrays, inputs)
        elif kind == "direction":
            of_directions = {key: scaling.arrays[f"direction_{key}"] for key in ("center", "scale")}
            scaled = _standard(graph, of_directions, _directions(graph, inputs))
        elif kind == "none":
            scaled = graph.cast(inputs, np.float32)
        else:
            scaled = _standard(graph, scaling.arrays, inputs)
        is_robust = kind in ("robust", "direction")
        parts.append(_smooth_clip(graph, scaled) if is_robust else scaled)
    return graph("Concat", *parts, axis=1) if len(parts) > 1 else parts[0]


def _standard(graph: Graph, arrays: dict[str, Array], inputs: str) -> str:
    centred = graph("Sub", inputs, graph.constant(arrays["center"]))
    scaled = graph("Div", centred, graph.constant(arrays["scale"]))
    bounds = graph.constant(-LARGEST), graph.constant(LARGEST)
    return graph.cast(graph("Clip", scaled, *bounds), np.float32)


def _directions(graph: Graph, inputs: str) -> str:
    """Divide each row by its length. First by its largest entry, so that no square overflows."""
    zero, one = graph.constant(0.0), graph.constant(1.0)
    size = graph("ReduceMax", graph("Abs", inputs), axes=[1], keepdims=1)
    unit = graph("Div", inputs, graph("Where", graph("Equal", size, zero), one, size))
    square = graph("ReduceSum", graph("Mul", unit, unit), graph.constant([1], np.int64), keepdims=1)
    length = graph("Sqrt", graph("Where", graph("Equal", square, zero), one, square))
    return graph("Div", unit, length)


def _smooth_clip(graph: Graph, scaled: str) -> str:
    square = graph("Mul", scaled, scaled)
    damped = graph("Mul", square, graph.constant(SMOOTH_CLIP**-2, np.float32))
    damping = graph("Add", damped, graph.constant(1.0, np.float32))
    return graph("Div", scaled, graph("Sqrt", damping))


def _bins(graph: Graph, arrays: dict[str, Array], inputs: str) -> str:
    columns = np.repeat(np.arange(len(arrays["counts"])), arrays["counts"])
    gathered = graph("Gather", inputs, graph.constant(columns, np.int64), axis=1)
    halves = graph("Mul", gathered, graph.constant(0.5))
    widths = np.where(arrays["widths"] > 0.0, arrays["widths"], np.inf)
    above = graph("Sub", halves, graph.constant(arrays["lows"]))
    share = graph("Div", above, graph.constant(widths))
    filled = graph("Clip", share, graph.constant(0.0), graph.constant(1.0))
    return _standard(graph, arrays, filled)
