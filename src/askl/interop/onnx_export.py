"""Fitted models as ONNX files, for programs without Python."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from askl.auto.base import AutoSpectralModel
from askl.auto.calibration import LEAST_PROBABILITY
from askl.auto.models import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
from askl.discovery.neighbours import NeighbourEncoder
from askl.discovery.spreads import SpreadEncoder
from askl.errors import AsklError
from askl.estimators.base import SpectralModel
from askl.estimators.classifier import SpectralKernelClassifier
from askl.estimators.features import SpectralFeatures
from askl.estimators.regressor import SpectralKernelRegressor
from askl.interop.onnx_graph import Graph, add_scaling
from askl.persistence.model_file import write_model
from askl.preprocessing.table_encoder import TableEncoder
from askl.spectral import Layer
from askl.spectral.features import unit_variance

# The type and the shape of every output by its name.
Outputs: TypeAlias = dict[str, tuple[Any, list[Any]]]

OPSET = 17
IR_VERSION = 8
# What each activation is in ONNX; the paired map is two, side by side.
OPERATORS = {
    "cosine": ("Cos",),
    "paired": ("Cos", "Sin"),
    "relu": ("Relu",),
    "sigmoid": ("Sigmoid",),
}


def export_onnx(model: Any, path: Any, *, dtype: Any = np.float64) -> Path:
    """Write a fitted model, its input scaling included, as an ONNX file.

    The graph takes ``X``, float64 of shape (n, n_features) for any n. A classifier's gives
    ``label``, ``decision`` and, for log loss, ``probabilities``; a regressor's ``prediction``;
    a transformer's ``features``.

    Parameters
    ----------
    model : fitted estimator
        One of askl's, also behind a :class:`TableEncoder` whose columns are all numbers: missing
        values, as NaN, are then filled in by the graph.
    path : str or Path
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        In which the layers compute. float64 leaves the rounding of askl's own float32 as the
        only difference; float32 rounds a second time, and is several times as fast.

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
    graph = Graph(dtype)
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    inputs = "X"
    for step in steps[:-1]:
        inputs = _add_table(graph, step, inputs)
    outputs = _add_model(graph, steps[-1], inputs)
    return write_model(path, _serialize(graph, model, outputs))


def _serialize(graph: Graph, model: Any, outputs: Outputs) -> bytes:
    """Give the graph its types, dynamic in the number of rows, and check it."""
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


def _add_table(graph: Graph, table: Any, inputs: str) -> str:
    """Add what a table encoder does to numbers: fill in medians, and mark where."""
    if not isinstance(table, TableEncoder):
        raise AsklError(
            f"export_onnx knows no {type(table).__name__}. Export the model behind it by itself, "
            "and do its part in the program that runs the model."
        )
    others = [i for i, kind in enumerate(table.kinds_) if kind != "number"]
    if others:
        raise AsklError(
            f"Columns {others} of the table are no numbers, which ONNX has no part for. Export "
            "the model behind the table encoder by itself, and give it TableEncoder.transform(X)."
        )
    missing = graph("IsNaN", inputs)
    imputer = table.imputer_
    filled = graph("Where", missing, graph.constant(imputer.statistics_, np.float64), inputs)
    marked = graph.constant(imputer.indicator_.features_, np.int64)
    marks = graph.cast(graph("Gather", missing, marked, axis=1), np.float64)
    return graph("Concat", filled, marks, axis=1)


def _add_neighbours(graph: Graph, encoder: NeighbourEncoder, inputs: str) -> str:
    """Append the mean target of the nearest places: all distances, and the least of them."""
    scaled = graph.cast(add_scaling(graph, encoder.scaling_, inputs), np.float64)
    columns = [inputs]
    around = zip(encoder.groups_, encoder.places_, encoder.targets_, encoder.counts_, strict=True)
    for group, places, targets, counts in around:
        squares = []
        for position, column in enumerate(group):
            here = graph("Gather", scaled, graph.constant([column], np.int64), axis=1)
            there = graph.constant(places[None, :, position], np.float64)
            difference = graph("Sub", here, there)
            squares.append(graph("Mul", difference, difference))
        n_nearest = min(encoder.n_nearest(group) + 1, len(places))
        negative = graph("Neg", graph("Sum", *squares))
        least, nearest = graph.top(negative, n_nearest)
        distances = graph("Sqrt", graph("Neg", least))
        last = graph("Gather", distances, graph.constant([n_nearest - 1], np.int64), axis=1)
        falling = graph("Sub", graph.constant(1.0), graph("Div", distances, last))
        numbers = graph("Gather", graph.constant(counts, np.float64), nearest)
        weights = graph("Mul", numbers, falling)
        total = graph("ReduceSum", weights, graph.constant([1], np.int64), keepdims=1)
        shares = graph("Unsqueeze", graph("Div", weights, total), graph.constant([1], np.int64))
        means = graph("MatMul", shares, graph("Gather", graph.constant(targets), nearest))
        rounded = graph.cast(graph.cast(means, np.float32), np.float64)
        columns.append(graph("Squeeze", rounded, graph.constant([1], np.int64)))
    return graph("Concat", *columns, axis=1)


def _add_spreads(graph: Graph, encoder: SpreadEncoder, inputs: str) -> str:
    """Append the means and the standard deviations of columns of one kind."""
    scaled = graph.cast(add_scaling(graph, encoder.scaling_, inputs), np.float64)
    across = graph.constant([1], np.int64)
    means, spreads = [], []
    for group in encoder.groups_:
        size = graph.constant(float(len(group)))
        part = graph("Gather", scaled, graph.constant(group, np.int64), axis=1)
        means.append(graph("Div", graph("ReduceSum", part, across, keepdims=1), size))
        apart = graph("Sub", part, means[-1])
        square = graph("ReduceSum", graph("Mul", apart, apart), across, keepdims=1)
        spreads.append(graph("Sqrt", graph("Div", square, size)))
    new = graph.cast(graph("Concat", *means, *spreads, axis=1), np.float32)
    return graph("Concat", inputs, graph.cast(new, np.float64), axis=1)


def _add_model(graph: Graph, model: Any, inputs: str) -> Outputs:
    """Add a model, and return its named outputs with their types and shapes."""
    if isinstance(model, AutoSpectralModel):
        inputs = _add_encoders(graph, model, inputs)
    if isinstance(model, (SpectralKernelClassifier, AutoSpectralKernelClassifier)):
        return _name_classes(graph, model, _add_scores(graph, model, inputs))
    if isinstance(model, (SpectralKernelRegressor, AutoSpectralKernelRegressor)):
        return _name_prediction(graph, model, _add_prediction(graph, model, inputs))
    if isinstance(model, SpectralFeatures):
        graph("Identity", _add_features(graph, model, inputs), output="features")
        return {"features": (graph.dtype, ["n", len(model.weights_)])}
    raise AsklError(
        f"export_onnx knows no {type(model).__name__}. Give it a fitted estimator of askl, or a "
        "pipeline of a TableEncoder and one."
    )


def _add_encoders(graph: Graph, model: AutoSpectralModel, inputs: str) -> str:
    """Add what an automatic model does to a table before its members see it."""
    if model.table_ is not None:
        inputs = _add_table(graph, model.table_, inputs)
    if model.neighbours_ is not None:
        inputs = _add_neighbours(graph, model.neighbours_, inputs)
    if model.spreads_ is not None:
        inputs = _add_spreads(graph, model.spreads_, inputs)
    return inputs


def _name_classes(graph: Graph, model: Any, scores: str) -> Outputs:
    """Name the winning label, its probabilities where there are any, and the decision."""
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
    """Name the prediction, one-dimensional for one target."""
    member = model.members_[0] if isinstance(model, AutoSpectralModel) else model
    if member._one_output:
        graph("Squeeze", prediction, graph.constant([1], np.int64), output="prediction")
        return {"prediction": (np.float64, ["n"])}
    graph("Identity", prediction, output="prediction")
    return {"prediction": (np.float64, ["n", len(member.target_mean_)])}


def _add_scores(graph: Graph, model: Any, inputs: str) -> str:
    """Add what the softmax makes probabilities of: outputs, or the sharpened mean of members'."""
    if not isinstance(model, AutoSpectralModel):
        return _add_outputs(graph, model, inputs)
    parts = []
    for weight, member in zip(model.member_weights_, model.members_, strict=True):
        probabilities = graph("Softmax", _add_outputs(graph, member, inputs), axis=1)
        # A member may know some of the classes only.
        share = weight * np.eye(len(model.classes_))[member.classes_]
        parts.append(graph("MatMul", probabilities, graph.constant(share)))
    mean = graph("Max", graph("Sum", *parts), graph.constant(LEAST_PROBABILITY))
    return graph("Div", graph("Log", mean), graph.constant(model.temperature_, np.float64))


def _add_prediction(graph: Graph, model: Any, inputs: str) -> str:
    """Add outputs in the user's unit, (n, n_outputs), or the weighted mean of members'."""
    if isinstance(model, AutoSpectralModel):
        parts = [
            graph("Mul", _add_prediction(graph, member, inputs), graph.constant(weight))
            for weight, member in zip(model.member_weights_, model.members_, strict=True)
        ]
        return graph("Sum", *parts)
    outputs = _add_outputs(graph, model, inputs)
    scaled = graph("Mul", outputs, graph.constant(model.target_scale_))
    unscaled = graph("Add", scaled, graph.constant(model.target_mean_))
    return unscaled if model.target_log_ is None else _exponential(graph, model, unscaled)


def _exponential(graph: Graph, model: Any, logs: str) -> str:
    """Add the way back from a logarithmic scale; sinh is not there in double precision."""
    scale = model.target_log_
    within = graph("Max", graph("Min", logs, graph.constant(scale.highest)),
                   graph.constant(scale.lowest))  # fmt: skip
    up, down = graph("Exp", within), graph("Exp", graph("Neg", within))
    stretch = graph.constant(0.5 * scale.factor * scale.unit)
    return graph("Add", graph("Mul", graph("Sub", up, down), stretch), graph.constant(scale.origin))


def _add_outputs(graph: Graph, model: SpectralModel, inputs: str) -> str:
    features = _add_features(graph, model, inputs)
    outputs = graph("MatMul", features, graph.number(model.weights_))
    return graph.cast(outputs, np.float64)


def _add_features(graph: Graph, model: SpectralModel, inputs: str) -> str:
    """Add φ(x) of all layers, each after the first beside the inputs."""
    scaled = graph.cast(add_scaling(graph, model.scaling_, inputs), graph.dtype)
    *below, last = model.fitted_model.model.layers
    hidden = scaled
    for layer in below:
        unit = graph.constant(unit_variance(layer), graph.dtype)
        features = graph("Mul", _add_layer(graph, layer, hidden), unit)
        hidden = graph("Concat", features, scaled, axis=1)
    return _add_layer(graph, last, hidden)


def _add_layer(graph: Graph, layer: Layer, inputs: str) -> str:
    branches = zip(layer.frequencies.cpu().numpy(), layer.phases.cpu().numpy(), strict=True)
    angles = [
        graph("Add", graph("MatMul", inputs, graph.number(frequencies)), graph.number(phases))
        for frequencies, phases in branches
    ]
    sums = [
        graph("Sum", *(_activate(graph, operator, angle) for angle in angles))
        for operator in OPERATORS[layer.activation]
    ]
    features = graph("Concat", *sums, axis=1) if len(sums) > 1 else sums[0]
    return graph("Mul", features, graph.constant(layer.scale, graph.dtype))


def _activate(graph: Graph, operator: str, angles: str) -> str:
    """Add an activation. In double precision a cosine is a sine: more runtimes have that one."""
    if operator == "Cos" and graph.dtype == np.float64:
        return graph("Sin", graph("Add", angles, graph.constant(np.pi / 2)))
    return graph(operator, angles)
