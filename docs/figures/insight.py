"""Measure what docs/insight.md shows: bounds during training, densities, and k(x, x).

Run ``python docs/figures/insight.py`` with the folder of data sets in ``ASKL_DATA``. It writes one
figure for each data set and ``records.json``, and prints the tables of the page from those records
(``--tables`` prints them without measuring again).
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import spearmanr

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.insight.plots import (
    KernelDiagonalDisplay,
    MarginalDensityDisplay,
    SpectralDensityDisplay,
    house_style,
)
from askl.theory import BoundRecorder, bounds, summarize_spectrum

OUT = Path(__file__).parent / "insight"
SETS = ("segment", "satimage", "pendigits", "letter", "abalone", "space_ga", "cpusmall", "cadata")
MAX_ROWS = 8000
N_SPLITS = 3
# 0.1 is the largest value of the paper's grid; smaller ones change less.
PENALTY = 0.1
VARIANTS: dict[str, dict[str, Any]] = {
    "no penalty": {"head_penalty": 0.0, "feature_penalty": 0.0},
    "‖W‖_*": {"head_penalty": PENALTY, "feature_penalty": 0.0},
    "‖φ‖²": {"head_penalty": 0.0, "feature_penalty": PENALTY},
    "both": {"head_penalty": PENALTY, "feature_penalty": PENALTY},
    "SK": {"method": "sk"},
    "NSK": {"method": "nsk"},
    "SKL": {"method": "skl"},
    "NSKL": {"method": "nskl"},
}
PENALISED = ("no penalty", "‖W‖_*", "‖φ‖²", "both")
# Fixed here, so that a change of defaults does not change the page. As in the paper there is no
# dropout, and the head is that of the last step rather than an exact one.
SETTINGS: dict[str, Any] = {
    "n_components": 500,
    "density": "sparse",
    "frequency_scale": 1.0,
    "scale_inputs": "robust",
    "learning_rate": 0.005,
    "head_learning_rate": 0.05,
    "max_epochs": 20,
    "dropout": 0.0,
    "refit_head": False,
}


def split(folder: Path, name: str, seed: int) -> tuple[Any, Any, Any, Any]:
    """Return the training and test rows of one random 80/20 split."""
    with np.load(folder / f"{name}.npz") as data:
        X, y = data["X"], data["y"]
    order = np.random.default_rng(seed).permutation(len(y))
    edge = int(0.8 * len(y))
    train, test = order[:edge][:MAX_ROWS], order[edge:]
    return X[train], y[train], X[test], y[test]


def measure(model: Any, recorder: BoundRecorder, X_test: Any, y_test: Any) -> dict[str, float]:
    """Return the numbers of one fit."""
    last, result = recorder.points[-1], bounds(model, recorder.X, n_draws=5)
    spectrum = summarize_spectrum(model, X_test)
    if hasattr(model, "classes_"):
        error = 1.0 - model.score(X_test, y_test)
    else:
        error = float(np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2)) / np.ptp(y_test))
    return {
        "trace_norm": result.trace_norm,
        "mean_square": result.trace / result.n_samples,
        "closed_form": result.closed_form_trace / result.n_samples,
        "monte_carlo": result.monte_carlo.value,
        "feature_form": result.feature_form,
        "trivial_form": result.trivial_form,
        "train_loss": last.train_loss,
        "test_loss": last.test_loss,
        "gap": last.gap,
        "error_percent": 100.0 * error,
        "effective": spectrum.effective,
        "off_diagonal": spectrum.off_diagonal_share,
        "moved": spectrum.median_moved,
        "diagonal_mean": spectrum.diagonal_mean,
        "diagonal_deviation": spectrum.diagonal_deviation,
    }


def fit_all(rows: tuple[Any, ...], seed: int) -> tuple[dict[str, Any], dict[str, BoundRecorder]]:
    """Fit every variant on the same rows from the same seed."""
    X, y, X_test, y_test = rows
    kind = SpectralKernelClassifier if y.dtype.kind == "i" else SpectralKernelRegressor
    models, recorders = {}, {}
    for name, parameters in VARIANTS.items():
        recorders[name] = BoundRecorder(X, y, X_test, y_test)
        models[name] = kind(
            **SETTINGS, **parameters, callback=recorders[name], random_state=seed
        ).fit(X, y)
    return models, recorders


def draw(name: str, models: dict[str, Any], recorders: dict[str, BoundRecorder], X: Any) -> None:
    """Draw the six panels of one data set."""
    with house_style():
        figure = Figure(figsize=(10.5, 5.6))
        axes = figure.subplots(2, 3)
        draw_curve(axes[0, 0], recorders, "complexity", "complexity bound")
        draw_curve(axes[0, 1], recorders, "gap", "generalisation gap")
        shown = {key: models[key] for key in ("SK", "NSK", "SKL", "NSKL", "both")}
        KernelDiagonalDisplay.from_estimators(shown, X, ax=axes[0, 2])
        SpectralDensityDisplay.from_estimator(models["NSKL"], before=True, ax=axes[1, 0])
        SpectralDensityDisplay.from_estimator(models["NSKL"], ax=axes[1, 1])
        MarginalDensityDisplay.from_estimator(models["NSKL"], ax=axes[1, 2])
        axes[0, 2].set_title("spread of k(x, x)")
        axes[1, 0].set_title("density as drawn")
        axes[1, 1].set_title("density learned (NSKL)")
        axes[1, 2].set_title("marginal (NSKL)")
        figure.suptitle(name)
        figure.savefig(OUT / f"{name}.png", dpi=80)


def draw_curve(ax: Any, recorders: dict[str, BoundRecorder], key: str, title: str) -> None:
    """Draw one number during training, with and without the penalties."""
    for variant in PENALISED:
        points = recorders[variant].points
        iterations = [point.iteration for point in points]
        ax.plot(iterations, [getattr(point, key) for point in points], label=variant)
    ax.set(xlabel="iteration", title=title)
    ax.legend(fontsize="small")


def run(folder: Path, sets: list[str]) -> None:
    """Measure and draw all data sets, and keep the records of other data sets."""
    target = OUT / "records.json"
    records = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    for name in sets:
        records[name] = []
        for seed in range(N_SPLITS):
            started = time.perf_counter()
            rows = split(folder, name, seed)
            models, recorders = fit_all(rows, seed)
            records[name].append(
                {key: measure(models[key], recorders[key], *rows[2:]) for key in VARIANTS}
            )
            if seed == 0:
                draw(name, models, recorders, rows[2])
            print(f"{name}, split {seed}: {time.perf_counter() - started:.0f} s", flush=True)
        target.write_text(json.dumps(records, indent=1, ensure_ascii=False), encoding="utf-8")


def mean(splits: list[dict[str, Any]], variant: str, key: str) -> float:
    """Average one number over splits."""
    return float(np.mean([record[variant][key] for record in splits]))


COLUMNS = {
    "trace_norm": "‖W‖_*",
    "mean_square": "mean ‖φ‖²",
    "feature_form": "bound",
    "monte_carlo": "Monte Carlo",
    "gap": "gap",
    "error_percent": "test error %",
}


def changes(records: dict[str, Any], first: str, second: str) -> str:
    """Compare two variants by their means over splits, with a line for each data set."""
    lines = ["| data | " + " | ".join(COLUMNS.values()) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name, splits in records.items():
        cells = [
            f"{mean(splits, first, key):.3g} → {mean(splits, second, key):.3g}" for key in COLUMNS
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def agreement(records: dict[str, Any]) -> str:
    """Compute how well the bound orders the variants of each data set by their gap."""
    lines = [
        "| data | rank correlation of bound and gap | of bound and test error |",
        "|---|---|---|",
    ]
    for name, splits in records.items():
        bound = [mean(splits, variant, "feature_form") for variant in VARIANTS]
        cells = [
            spearmanr(bound, [mean(splits, variant, key) for variant in VARIANTS]).statistic
            for key in ("gap", "error_percent")
        ]
        lines.append(f"| {name} | " + " | ".join(f"{cell:+.2f}" for cell in cells) + " |")
    return "\n".join(lines)


def print_tables() -> None:
    """Print the tables of the page."""
    records = json.loads((OUT / "records.json").read_text(encoding="utf-8"))
    for first, second in (("no penalty", "both"), ("SK", "NSK"), ("SKL", "NSKL"), ("SK", "SKL")):
        print(f"{first} → {second}", changes(records, first, second), sep="\n\n", end="\n\n")
    print(agreement(records))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure and draw what docs/insight.md shows.")
    parser.add_argument("--data", type=Path, default=os.environ.get("ASKL_DATA"))
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--tables", action="store_true", help="print the tables and stop")
    arguments = parser.parse_args()
    if not arguments.tables:
        if arguments.data is None:
            parser.error("name the folder of data sets with --data or in ASKL_DATA")
        run(Path(arguments.data), arguments.sets)
    print_tables()


if __name__ == "__main__":
    main()
