"""Which encoders can stand before a model in a graph: one row for each class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from askl.discovery import NeighbourEncoder, SpreadEncoder
from askl.errors import AsklError
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.neighbour_nodes import add_neighbours
from askl.interop.onnx_export.spread_nodes import add_spreads
from askl.interop.onnx_export.table_nodes import add_table
from askl.preprocessing import TableEncoder

# ``add(graph, encoder, inputs)`` adds the nodes and returns the name of the encoded columns.
AddNodes: TypeAlias = Callable[[Graph, Any, str], str]

ENCODER_NODES: dict[type, AddNodes] = {
    TableEncoder: add_table,
    NeighbourEncoder: add_neighbours,
    SpreadEncoder: add_spreads,
}


def add_encoder(graph: Graph, encoder: Any, inputs: str) -> str:
    """Add a fitted encoder; return the name of the encoded columns."""
    if type(encoder) not in ENCODER_NODES:
        known = ", ".join(kind.__name__ for kind in ENCODER_NODES)
        raise AsklError(
            f"export_onnx does not support {type(encoder).__name__}, only {known}. Export the "
            "model without it, and encode the rows in the program that runs the model."
        )
    return ENCODER_NODES[type(encoder)](graph, encoder, inputs)
