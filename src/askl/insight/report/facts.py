"""The tables of a report: the data, the model, its spectrum, its bounds, the machine."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from askl._typing import Array
from askl.insight.members import has_density, relevance_of
from askl.insight.plots.display import input_names
from askl.insight.report.page import Table
from askl.insight.report.scores import Score
from askl.insight.rows import columns_of, some_rows, take_rows
from askl.theory import Bounds, summarize_spectrum

MAX_INPUTS = 30
MAX_CLASSES = 30


def number(value: float) -> str:
    """Write a number with four digits, and a dash for NaN."""
    return "—" if math.isnan(value) else f"{value:.4g}"


def interval(score: Score) -> str:
    """Write a score with its interval."""
    return f"{number(score.value)} [{number(score.low)}, {number(score.high)}]"


def score_table(scores: list[Score]) -> Table:
    """List scores with their intervals."""
    rows = [
        [
            f"{score.name} {'↑' if score.larger_is_better else '↓'}",
            number(score.value),
            f"{number(score.low)} to {number(score.high)}",
        ]
        for score in scores
    ]
    return Table(["score", "value", "95 % interval"], rows)


def target_table(model: Any, y: Array) -> Table:
    """Describe the targets: the rows of each class, or quantiles of numbers."""
    if hasattr(model, "classes_"):
        labels, counts = np.unique(y, return_counts=True)
        order = np.argsort(-counts, kind="stable")[:MAX_CLASSES]
        rows = [
            [str(labels[i]), str(counts[i]), f"{100.0 * counts[i] / len(y):.1f} %"] for i in order
        ]
        return Table(["class", "rows", "share"], rows)
    header = ["target", "least", "lower quartile", "median", "upper quartile", "greatest", "mean"]
    columns = y.reshape(len(y), -1).T
    rows = [
        [
            f"output {position}" if len(columns) > 1 else "y",
            *(number(q) for q in np.quantile(column, [0.0, 0.25, 0.5, 0.75, 1.0])),
            number(column.mean()),
        ]
        for position, column in enumerate(columns[:MAX_CLASSES])
    ]
    return Table(header, rows)


def input_table(model: Any, X: Any, names: Sequence[str] | None) -> Table:
    """Describe the inputs, the most relevant first."""
    columns = columns_of(take_rows(X, some_rows(X.shape[0], 20_000)))
    names, shares = input_names(model, names), relevance_of(model)
    rows = []
    for position in np.argsort(-shares, kind="stable")[:MAX_INPUTS]:
        column = columns[position]
        rows.append(
            [
                names[position],
                *_statistics(column),
                str(len(np.unique(column))),
                f"{100.0 * shares[position]:.1f} %",
            ]
        )
    header = ["input", "least", "median", "greatest", "mean", "deviation", "distinct", "relevance"]
    return Table(header, rows)


def _statistics(column: Array) -> list[str]:
    """Summarise a column; text and dates have a range at most."""
    if column.dtype.kind == "M":
        known = np.sort(column[~np.isnat(column)]).astype("datetime64[D]")
        middle = (
            [str(known[place]) for place in (0, len(known) // 2, -1)] if len(known) else [""] * 3
        )
        return [*middle, "", ""]
    known = column[~np.isnan(column)] if column.dtype.kind == "f" else np.array([])
    if not len(known):
        return [""] * 5
    numbers = [known.min(), np.median(known), known.max(), known.mean(), known.std()]
    return [number(value) for value in numbers]


def describe_data(model: Any, X: Any, y: Array) -> str:
    """Describe the rows in a phrase."""
    kind = "sparse " if issparse(X) else ""
    names = f"{X.shape[0]:,} rows of {X.shape[1]:,} {kind}inputs"
    if hasattr(model, "classes_"):
        return f"{names}, {len(model.classes_)} classes"
    n_outputs = 1 if y.ndim == 1 else y.shape[1]
    return f"{names}, {n_outputs} number{'s' if n_outputs > 1 else ''} to predict"


def describe_model(model: Any) -> str:
    """Describe a plain model in a phrase."""
    loss = model.resolve_loss().replace("_", " ")
    return (
        f"{type(model).__name__}, method {model.method.upper()}: {_describe_kernel(model)}, "
        f"{loss} loss"
    )


def _describe_kernel(model: Any) -> str:
    method = model.resolve_method()
    kernel = "stationary" if method.n_branches == 1 else "non-stationary"
    density = "learned" if method.learn_frequencies else "assigned"
    layers = " → ".join(str(frequencies.shape[2]) for frequencies, _ in model.layers_)
    units = "frequencies" if has_density(model) else f"{model.activation_} units"
    return f"a {kernel} kernel of {layers} {density} {units}"


def describe_ensemble(model: Any) -> str:
    """Describe an automatic model in a phrase."""
    encoded = f"{model.n_features_in_:,} columns, {len(model.encoded_names()):,} as encoded"
    return f"{type(model).__name__}: {len(model.members_)} members on {encoded}"


def member_table(model: Any) -> Table:
    """List the members of an automatic model, the heaviest first."""
    rows = [
        [
            str(place),
            f"{model.member_weights_[place]:.3f}",
            _describe_kernel(model.members_[place]),
            model.members_[place].scale_inputs,
            str(model.members_[place].n_iter_),
        ]
        for place in np.argsort(-model.member_weights_, kind="stable")
    ]
    return Table(["member", "weight", "kernel", "scaling of inputs", "epochs"], rows)


def parameter_table(model: Any) -> Table:
    """List all parameters, those set by the user marked."""
    defaults = type(model)().get_params(deep=False)
    rows = []
    for name, value in sorted(model.get_params(deep=False).items()):
        shown = type(value).__name__ if callable(value) else repr(value)
        changed = value is not defaults[name] and value != defaults[name]
        rows.append([name, shown, "set" if changed else "default"])
    return Table(["parameter", "value", ""], rows)


def bound_rows(result: Bounds) -> list[tuple[str, str, str]]:
    """List the numbers of a bound: what it is, its value, its formula."""
    mean, closed = (
        number(trace / result.n_samples) for trace in (result.trace, result.closed_form_trace)
    )
    estimate, error = result.monte_carlo
    sure = f"probability {1.0 - result.delta:g}"
    return [
        ("trace norm B of the head", number(result.trace_norm), "‖W‖_*"),
        ("mean squared norm of features", mean, "Σ‖φ(x_i)‖² / n"),
        ("the same in closed form", closed, "Σ ½[cos((ω_j − ω'_j)ᵀx_i) + 1] / (nD)"),
        (
            "complexity R̂, by Monte Carlo",
            f"{number(estimate)} ± {error:.1g}",
            "(B/n) E‖Σ φ(x_i) ε_iᵀ‖₂",
        ),
        ("R̂ ≤, from features", number(result.feature_form), "(B/n) √(K Σ‖φ(x_i)‖²)"),
        ("R̂ ≤, trivial", number(result.trivial_form), "B √(K/n) · sup‖φ‖"),
        ("R̂ ≤, closed form", number(result.closed_form), "exact for ψ, on average for φ"),
        ("Lipschitz constant L", number(result.constants.lipschitz), "of the loss, in the 2-norm"),
        ("largest loss M", number(result.constants.largest), "on the ball"),
        (
            f"generalisation gap ≤, {sure}",
            number(result.generalization_gap),
            "2√2 L R̂ + 3 M √(log(2/δ) / 2n)",
        ),
        (
            f"excess risk ≤, {sure}",
            number(result.excess_risk),
            "4√2 L R̂ + 4 M √(log(3/δ) / 2n)",
        ),
    ]


def spectrum_rows(model: Any, X: Any) -> list[tuple[str, str]]:
    """List the properties of the learned density, each with its value."""
    summary = summarize_spectrum(model, take_rows(X, some_rows(X.shape[0], 2000)))
    names = (
        "frequencies (pairs of them for two branches)",
        "effective number of frequencies",
        "distance moved by a frequency, median",
        "distance moved by a frequency, greatest",
        "share of the density off its diagonal",
        "mean of k(x, x)",
        "deviation of k(x, x)",
    )
    return [(name, number(value)) for name, value in zip(names, summary, strict=True)]


def seconds_to_predict(model: Any, X: Any) -> float:
    """Measure the seconds of predicting all rows."""
    started = time.perf_counter()
    model.predict(X)
    return time.perf_counter() - started


def megabytes(model: Any) -> str:
    """Write the size of the fitted arrays, of an automatic model those of all members."""
    models = getattr(model, "members_", [model])
    n_bytes = sum(
        sum(frequencies.nbytes + phases.nbytes for frequencies, phases in each.layers_)
        + each.weights_.nbytes
        for each in models
    )
    return f"{n_bytes / 2**20:.2f} MB"
