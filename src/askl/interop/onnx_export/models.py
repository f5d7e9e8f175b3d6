"""Classifiers, regressors and transformers as named outputs of a graph."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from askl.auto import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
from askl.auto.base import AutoSpectralModel
from askl.auto.execution.scoring import LEAST_PROBABILITY
from askl.errors import AsklError
from askl.estimators import (
    SpectralFeatures,
    SpectralKernelClassifier,
    SpectralKernelRegressor,
)
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.layers import add_features, add_outputs

# The type and the shape of every output by its name.
Outputs: TypeAlias = dict[str, tuple[Any, list[Any]]]


def add_model(graph: Graph, model: Any, inputs: str) -> Outputs:
    """Add a model on encoded inputs; return its named outputs with their types and shapes."""
    if isinstance(model, (SpectralKernelClassifier, AutoSpectralKernelClassifier)):
        return _name_classes(graph, model, _add_scores(graph, model, inputs))
    if isinstance(model, (SpectralKernelRegressor, AutoSpectralKernelRegressor)):
        return _name_prediction(graph, model, _add_prediction(graph, model, inputs))
    if isinstance(model, SpectralFeatures):
        graph("Identity", add_features(graph, model, inputs), output="features")
        return {"features": (graph.dtype, ["n", len(model.weights_)])}
    raise AsklError(
        f"export_onnx does not support {type(model).__name__}. Give it a fitted estimator of askl, "
        "or a pipeline of encoders of askl and one."
    )


def _name_classes(graph: Graph, model: Any, scores: str) -> Outputs:
    """Name the label, the decision and, if the model has them, the probabilities."""
    classes = model.classes_
    labels = classes.astype(object) if classes.dtype.kind == "U" else classes
    winner = graph("ArgMax", scores, axis=1, keepdims=0)
    graph("Gather", graph.constant(labels), winner, output="label")
    named: Outputs = {"label": (labels.dtype, ["n"])}
    if hasattr(model, "predict_proba"):
        graph("Softmax", scores, axis=1, output="probabilities")
        named["probabilities"] = (np.float64, ["n", len(classes)])
    if not hasattr(model, "decision_function"):
        return named
    if len(classes) > 2:
        graph("Identity", scores, output="decision")
        return {**named, "decision": (np.float64, ["n", len(classes)])}
    second, first = (graph("Gather", scores, graph.constant(i), axis=1) for i in (1, 0))
    graph("Sub", second, first, output="decision")
    return {**named, "decision": (np.float64, ["n"])}


def _name_prediction(graph: Graph, model: Any, prediction: str) -> Outputs:
    """Name the prediction: a vector if the model was fitted to one."""
    member = model.members_[0] if isinstance(model, AutoSpectralModel) else model
    if member.has_one_output:
        graph("Squeeze", prediction, graph.constant([1], np.int64), output="prediction")
        return {"prediction": (np.float64, ["n"])}
    graph("Identity", prediction, output="prediction")
    return {"prediction": (np.float64, ["n", len(member.target_mean_)])}


def _add_scores(graph: Graph, model: Any, inputs: str) -> str:
    """Add the scores whose softmax is the probability of each class.

    They are the outputs of a plain model; of an automatic one, the logarithm of the weighted mean
    of its members' probabilities, divided by the temperature.
    """
    if not isinstance(model, AutoSpectralModel):
        return add_outputs(graph, model, inputs)
    parts = []
    for weight, member in zip(model.member_weights_, model.members_, strict=True):
        probabilities = graph("Softmax", add_outputs(graph, member, inputs), axis=1)
        # A member may know only some of the classes.
        share = weight * np.eye(len(model.classes_))[member.classes_]
        parts.append(graph("MatMul", probabilities, graph.constant(share)))
    mean = graph("Max", graph("Sum", *parts), graph.constant(LEAST_PROBABILITY))
    return graph("Div", graph("Log", mean), graph.constant(model.temperature_, np.float64))


def _add_prediction(graph: Graph, model: Any, inputs: str) -> str:
    """Add the predictions in the unit of the target, of shape (n, n_outputs)."""
    if isinstance(model, AutoSpectralModel):
        parts = [
            graph("Mul", _add_prediction(graph, member, inputs), graph.constant(weight))
            for weight, member in zip(model.member_weights_, model.members_, strict=True)
        ]
        return graph("Sum", *parts)
    outputs = add_outputs(graph, model, inputs)
    scaled = graph("Mul", outputs, graph.constant(model.target_scale_))
    unscaled = graph("Add", scaled, graph.constant(model.target_mean_))
    return unscaled if model.target_log_ is None else _add_decoding(graph, model, unscaled)


def _add_decoding(graph: Graph, model: Any, logs: str) -> str:
    """Add the inverse of the logarithmic scale: sinh, which ONNX lacks in double precision."""
    scale = model.target_log_
    above = graph("Max", logs, graph.constant(scale.lowest))
    within = graph("Min", above, graph.constant(scale.highest))
    up, down = graph("Exp", within), graph("Exp", graph("Neg", within))
    stretch = graph.constant(0.5 * scale.factor * scale.unit)
    return graph("Add", graph("Mul", graph("Sub", up, down), stretch), graph.constant(scale.origin))
