"""An ONNX graph under construction."""

from __future__ import annotations

from typing import Any

import numpy as np


class Graph:
    """Nodes and constants in the order in which they were added; names stand for values.

    Parameters
    ----------
    dtype : numpy dtype, default=numpy.float64
        The type of :meth:`number`.

    Examples
    --------
    >>> graph = Graph()
    >>> graph("Add", "X", graph.constant(1.0))
    'Add_0'
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
        """Add numbers that the file stores as float32, cast to the type of the graph."""
        name = self.constant(value, np.float32)
        return name if self.dtype == np.float32 else self.cast(name, self.dtype)

    def __call__(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add a node with one output, and return the name of the output."""
        from onnx import helper

        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def top(self, value: str, count: int) -> tuple[str, str]:
        """Add the largest values of each row; return the names of values and positions."""
        from onnx import helper

        outputs = [f"TopK_{len(self.nodes)}", f"TopK_{len(self.nodes)}_positions"]
        inputs = [value, self.constant([count], np.int64)]
        self.nodes.append(helper.make_node("TopK", inputs, outputs, axis=1))
        return outputs[0], outputs[1]

    def cast(self, value: str, dtype: Any) -> str:
        """Add a cast to another type."""
        from onnx import helper

        return self("Cast", value, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
