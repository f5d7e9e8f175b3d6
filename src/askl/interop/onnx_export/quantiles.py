"""Quantiles as nodes of a graph: levels of values, and the normal quantiles of levels."""

from __future__ import annotations

from functools import reduce

import numpy as np

from askl._typing import Array
from askl.interop.onnx_export.graph import Graph

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


def add_normal_scores(graph: Graph, arrays: dict[str, Array], inputs: str) -> str:
    """Add the normal quantile of each value's level in its column, as float32."""
    levels = arrays["levels"][:, 0]
    level = _interpolate(graph, arrays["quantiles"], levels, inputs)
    margin = 0.5 / len(levels)
    clipped = graph("Clip", level, graph.constant(margin), graph.constant(1.0 - margin))
    return graph.cast(add_normal_quantile(graph, clipped), np.float32)


def _interpolate(graph: Graph, quantiles: Array, levels: Array, inputs: str) -> str:
    """Interpolate levels between the quantiles of each column; tied values have the middle level.

    The nodes are the steps of a binary search: exact, in memory of a few numbers for each input.
    """
    lines = [_lines(column, levels) for column in quantiles.T]
    longest = max(line.shape[1] for line in lines)
    size = 1 << (longest - 1).bit_length()
    # The tables end in infinity, which no input reaches.
    tables = np.full((4, len(lines), size), np.inf)
    for column, line in enumerate(lines):
        tables[:, column, : line.shape[1]] = line
    knots, *others = (graph.constant(table.reshape(-1)) for table in tables)
    first = graph.constant(np.arange(len(lines)) * size, np.int64)
    place = first
    step = size // 2
    while step:
        further = graph("Add", place, graph.constant(step, np.int64))
        reached = graph("LessOrEqual", graph("Gather", knots, further), inputs)
        place = graph("Where", reached, further, place)
        step //= 2
    knot, start, slope, tie = (graph("Gather", table, place) for table in (knots, *others))
    between = graph("Add", start, graph("Mul", slope, graph("Sub", inputs, knot)))
    return graph("Where", graph("Equal", inputs, knot), tie, between)


def _lines(quantiles: Array, levels: Array) -> Array:
    """Return the knots of a column with the level after each, its slope, and the level of a tie.

    The first knot is below all inputs: from it to the lowest quantile the level is constant.
    """
    knots, first, counts = np.unique(quantiles, return_index=True, return_counts=True)
    low, high = levels[first], levels[first + counts - 1]
    with np.errstate(over="ignore"):
        slopes = np.append(np.diff(knots), np.inf)
    slopes = np.append(low[1:] - high[:-1], 0.0) / slopes
    lowest = [[np.finfo(np.float64).min], [levels[0]], [0.0], [levels[0]]]
    return np.hstack([lowest, [knots, high, slopes, 0.5 * (low + high)]])


def add_normal_quantile(graph: Graph, level: str) -> str:
    """Add the quantiles of the standard normal distribution at some levels."""
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
