"""A graph of ONNX under construction, and the input scalings as parts of one."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from askl._typing import Array
from askl.preprocessing.input_scaling import Scaling
from askl.preprocessing.scaling_kinds import LARGEST, SMOOTH_CLIP

# Wichura's rational approximations (AS 241) of the normal quantile, lowest power first: q P/Q in
# 0.180625 - q² for |q| = |p - 1/2| ≤ 0.425, and P/Q in sqrt(-log(min(p, 1 - p))) - 1.6 beyond.
_CENTRE = (
    (
        *(3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427),
        *(13731.693765509461125, 45921.953931549871457, 67265.770927008700853),
        *(33430.575583588128105, 2509.0809287301226727),
    ),
    (
        *(1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077),
        *(21213.794301586595867, 39307.895800092710610, 28729.085735721942674),
        5226.4952788528545610,
    ),
)
_TAIL = (
    (
        *(1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550),
        *(3.64784832476320460504, 1.27045825245236838258, 2.41780725177450611770e-1),
        *(2.27238449892691845833e-2, 7.74545014278341407640e-4),
    ),
    (
        *(1.0, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1),
        *(1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4),
        1.05075007164441684324e-9,
    ),
)
_CENTRE_WIDTH = 0.425


class Graph:
    """Nodes and constants in the order of their making.

    Parameters
    ----------
    dtype : numpy dtype
        In which :meth:`number` computes.
    """

    def __init__(self, dtype: Any = np.float64) -> None:
        self.dtype = np.dtype(dtype)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any, dtype: Any = None) -> str:
        """Add a constant, and return its name."""
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype=dtype), name))
        return name

    def number(self, value: Any) -> str:
        """Add float32 numbers, which take no more room in the file, to compute with."""
        name = self.constant(value, np.float32)
        return name if self.dtype == np.float32 else self.cast(name, self.dtype)

    def __call__(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add a node of one output, and return its name."""
        from onnx import helper

        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def top(self, value: str, count: int) -> tuple[str, str]:
        """Add the search for the largest of each row, and return their values and positions."""
        from onnx import helper

        outputs = [f"TopK_{len(self.nodes)}", f"TopK_{len(self.nodes)}_positions"]
        inputs = [value, self.constant([count], np.int64)]
        self.nodes.append(helper.make_node("TopK", inputs, outputs, axis=1))
        return outputs[0], outputs[1]

    def cast(self, value: str, dtype: Any) -> str:
        """Add a change of type."""
        from onnx import helper

        return self("Cast", value, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


def add_scaling(graph: Graph, scaling: Scaling, inputs: str) -> str:
    """Add a fitted scaling of float64 columns, and return its float32 result."""
    parts = []
    for kind in scaling.kind.split("+"):
        if kind == "quantile":
            scaled = _quantile(graph, scaling.arrays, inputs)
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
    """Divide rows by their length, in units of their largest entry; a row of zeros stays one."""
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


def _quantile(graph: Graph, arrays: dict[str, Array], inputs: str) -> str:
    levels = arrays["levels"][:, 0]
    level = _interpolate(graph, arrays["quantiles"], levels, inputs)
    margin = 0.5 / len(levels)
    clipped = graph("Clip", level, graph.constant(margin), graph.constant(1.0 - margin))
    return graph.cast(_normal_quantile(graph, clipped), np.float32)


def _interpolate(graph: Graph, quantiles: Array, levels: Array, inputs: str) -> str:
    """Interpolate levels between each column's quantiles; ties have the middle of theirs.

    A binary search, unrolled: memory for a few numbers an input, and exact.
    """
    lines = [_lines(column, levels) for column in quantiles.T]
    longest = max(line.shape[1] for line in lines)
    size = 1 << (longest - 1).bit_length()
    # Beyond the last knot nothing is found, since nothing is at least infinity.
    tables = np.full((4, len(lines), size), np.inf)
    for column, line in enumerate(lines):
        tables[:, column, : line.shape[1]] = line
    knots, *others = (graph.constant(table.reshape(-1)) for table in tables)
    first = graph.constant(np.arange(len(lines)) * size, np.int64)
    place = first
    step = size // 2
    while step:
        candidate = graph("Add", place, graph.constant(step, np.int64))
        reached = graph("LessOrEqual", graph("Gather", knots, candidate), inputs)
        place = graph("Where", reached, candidate, place)
        step //= 2
    knot, start, slope, tie = (graph("Gather", table, place) for table in (knots, *others))
    between = graph("Add", start, graph("Mul", slope, graph("Sub", inputs, knot)))
    return graph("Where", graph("Equal", inputs, knot), tie, between)


def _lines(quantiles: Array, levels: Array) -> Array:
    """Return the knots of a column, and its level from each on: at it, slope, and for a tie.

    The first knot is below all inputs: from there to the lowest quantile the level is constant.
    """
    knots, first, counts = np.unique(quantiles, return_index=True, return_counts=True)
    low, high = levels[first], levels[first + counts - 1]
    with np.errstate(over="ignore"):
        slopes = np.append(np.diff(knots), np.inf)
    slopes = np.append(low[1:] - high[:-1], 0.0) / slopes
    lowest = [[np.finfo(np.float64).min], [levels[0]], [0.0], [levels[0]]]
    return np.hstack([lowest, [knots, high, slopes, 0.5 * (low + high)]])


def _normal_quantile(graph: Graph, level: str) -> str:
    q = graph("Sub", level, graph.constant(0.5))
    inner = graph("Sub", graph.constant(_CENTRE_WIDTH**2), graph("Mul", q, q))
    centre = graph("Mul", q, _ratio(graph, _CENTRE, inner))
    tail_mass = graph("Min", level, graph("Sub", graph.constant(1.0), level))
    depth = graph("Sqrt", graph("Neg", graph("Log", tail_mass)))
    tail = _ratio(graph, _TAIL, graph("Sub", depth, graph.constant(1.6)))
    signed = graph("Mul", graph("Sign", q), tail)
    is_central = graph("LessOrEqual", graph("Abs", q), graph.constant(_CENTRE_WIDTH))
    return graph("Where", is_central, centre, signed)


def _ratio(graph: Graph, coefficients: tuple[tuple[float, ...], ...], x: str) -> str:
    above, below = (_polynomial(graph, powers, x) for powers in coefficients)
    return graph("Div", above, below)


def _polynomial(graph: Graph, coefficients: tuple[float, ...], x: str) -> str:
    highest, *others = (graph.constant(c) for c in reversed(coefficients))
    return reduce(lambda sum_, c: graph("Add", graph("Mul", sum_, x), c), others, highest)
