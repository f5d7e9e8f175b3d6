"""The layers of a spectral model as nodes of a graph: φ(x) and Wᵀφ(x)."""

from __future__ import annotations

import numpy as np

from askl.errors import AsklError
from askl.estimators.base import SpectralModel
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.scaling import add_scaling
from askl.spectral import ACTIVATIONS, Layer
from askl.spectral.features import unit_variance


def add_outputs(graph: Graph, model: SpectralModel, inputs: str) -> str:
    """Add f(x) = Wᵀφ(x) for raw inputs, in float64."""
    features = add_features(graph, model, inputs)
    return graph.cast(graph("MatMul", features, graph.number(model.weights_)), np.float64)


def add_features(graph: Graph, model: SpectralModel, inputs: str) -> str:
    """Add φ(x) of all layers for raw inputs; layers after the first also see the inputs."""
    scaled = graph.cast(add_scaling(graph, model.scaling_, inputs), graph.dtype)
    *below, last = model.fitted_model.model.layers
    hidden = scaled
    for layer in below:
        unit = graph.constant(unit_variance(layer), graph.dtype)
        features = graph("Mul", _add_layer(graph, layer, hidden), unit)
        hidden = graph("Concat", features, scaled, axis=1)
    return _add_layer(graph, last, hidden)


def _add_layer(graph: Graph, layer: Layer, inputs: str) -> str:
    operators = ACTIVATIONS[layer.activation].onnx_operators
    if not operators:
        raise AsklError(
            f"export_onnx has no operators for activation={layer.activation!r}. Give them in its "
            "row of ACTIVATIONS, as onnx_operators."
        )
    branches = zip(layer.frequencies.cpu().numpy(), layer.phases.cpu().numpy(), strict=True)
    angles = [
        graph("Add", graph("MatMul", inputs, graph.number(frequencies)), graph.number(phases))
        for frequencies, phases in branches
    ]
    sums = [
        graph("Sum", *(_activate(graph, operator, angle) for angle in angles))
        for operator in operators
    ]
    features = graph("Concat", *sums, axis=1) if len(sums) > 1 else sums[0]
    return graph("Mul", features, graph.constant(layer.scale, graph.dtype))


def _activate(graph: Graph, operator: str, angles: str) -> str:
    """Add an operator. In float64 a cosine is written as a sine, which more runtimes have."""
    if operator == "Cos" and graph.dtype == np.float64:
        return graph("Sin", graph("Add", angles, graph.constant(np.pi / 2)))
    return graph(operator, angles)
