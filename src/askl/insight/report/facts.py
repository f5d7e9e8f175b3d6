"""What a report says in tables: the data, the model, its spectrum, its bounds, the machine."""

from __future__ import annotations

import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing

from askl._typing import Array
from askl.insight.plots.display import input_names, some_rows
from askl.insight.plots.slices import dense
from askl.insight.report.page import Table
from askl.insight.report.scores import Score
from askl.theory import Bounds, summarize_spectrum

MAX_INPUTS = 30
MAX_CLASSES = 30
PACKAGES = ("askl", "torch", "numpy", "scipy", "scikit-learn", "matplotlib")


def number(value: float) -> str:
    """Write a number with four digits."""
    return f"{value:.4g}"


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
    """Describe the targets: how many rows each class has, or quantiles."""
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


def input_table(model: Any, X: Any) -> Table:
    """Describe the inputs, the most relevant first."""
    sample = dense(_safe_indexing(X, some_rows(X.shape[0], 20_000)))
    names, relevance = input_names(model), model.feature_relevance_
    shares = relevance / max(float(relevance.sum()), 1e-300)
    rows = []
    for position in np.argsort(-shares, kind="stable")[:MAX_INPUTS]:
        column = sample[:, position]
        numbers = [column.min(), np.median(column), column.max(), column.mean(), column.std()]
        rows.append(
            [
                names[position],
                *(number(value) for value in numbers),
                str(len(np.unique(column))),
                f"{100.0 * shares[position]:.1f} %",
            ]
        )
    header = ["input", "least", "median", "greatest", "mean", "deviation", "distinct", "relevance"]
    return Table(header, rows)


def describe_data(model: Any, X: Any, y: Array) -> str:
    """Say in a sentence what the rows are."""
    kind = "sparse" if issparse(X) else "dense"
    names = f"{X.shape[0]:,} rows of {X.shape[1]:,} {kind} inputs"
    if hasattr(model, "classes_"):
        return f"{names}, {len(model.classes_)} classes"
    n_outputs = 1 if y.ndim == 1 else y.shape[1]
    return f"{names}, {n_outputs} number{'s' if n_outputs > 1 else ''} to predict"


def describe_model(model: Any) -> str:
    """Say in a sentence what was fitted."""
    method = model.resolve_method()
    kernel = "stationary" if method.n_branches == 1 else "non-stationary"
    density = "learned" if method.learn_frequencies else "assigned"
    layers = " → ".join(str(frequencies.shape[2]) for frequencies, _ in model.layers_)
    return (
        f"{type(model).__name__}, method {model.method.upper()}: a {kernel} spectral kernel of "
        f"{layers} {density} frequencies, {model.resolve_loss()} loss"
    )


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
    """List what there is to say of the learned density: what it is, and its value."""
    summary = summarize_spectrum(model, _safe_indexing(X, some_rows(X.shape[0], 2000)))
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
    """Measure how long a prediction takes for all rows."""
    started = time.perf_counter()
    model.predict(X)
    return time.perf_counter() - started


def model_bytes(model: Any) -> int:
    """Count the bytes of the fitted arrays."""
    return int(sum(w.nbytes + b.nbytes for w, b in model.layers_) + model.weights_.nbytes)


def environment_table() -> Table:
    """List the versions of what matters, the machine, and the most memory the process had."""
    rows = [["Python", platform.python_version()]]
    for package in PACKAGES:
        try:
            rows.append([package, version(package)])
        except PackageNotFoundError:
            rows.append([package, "not installed"])
    rows.append(["system", f"{platform.system()} {platform.machine()}"])
    rows.append(["most memory held by the process", _peak_memory()])
    rows.append(["written", time.strftime("%Y-%m-%d %H:%M %Z")])
    return Table(["", ""], rows)


def _peak_memory() -> str:
    if sys.platform == "win32":
        return "not measured"
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in kilobytes, macOS in bytes.
    megabytes = peak / (2**20 if sys.platform == "darwin" else 2**10)
    return f"{megabytes:,.0f} MB"
