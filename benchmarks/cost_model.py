"""What trainings cost, and the constants of the cost model that fit them best.

The automatic models estimate the seconds of a training from its sizes (``askl.auto``). This
program measures short trainings, fits the constants to them by least squares of relative errors,
and compares the estimates of the shipped constants, which are those of another machine. Run as
``python -m benchmarks.cost_model``; with ``--fit`` nothing is measured: the committed trainings
are fitted again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from scipy.optimize import nnls

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.auto import CostConstants, Work, count_work, estimate_seconds
from benchmarks.machine import describe_machine
from benchmarks.report import (
    RESULTS,
    argument_parser,
    figure,
    make_table,
    output_folder,
    save,
    show_progress,
)


class Data(NamedTuple):
    """Sizes of random data; of one output the task is regression."""

    n_samples: int
    n_features: int
    n_outputs: int


DATA = (
    Data(500, 5, 2),
    Data(2000, 8, 1),
    Data(2000, 784, 10),
    Data(4000, 16, 26),
    Data(6000, 21, 1),
    Data(8000, 36, 6),
)
STACKED = {"hidden_components": (256,), "n_components": 256, "n_branches": 1}
PARAMETERS: tuple[dict[str, Any], ...] = (
    {"n_components": 700},
    {"n_components": 500, "n_branches": 1, "batch_size": 32},
    {"n_components": 2000, "batch_size": 256},
    {"n_components": 500, "scale_inputs": "robust+quantile", "batch_size": 64},
    {"n_components": 500, "scale_inputs": "bins", "batch_size": 128},
    {"n_components": 500, "weigh_inputs": True},
    {**STACKED, "batch_size": 32},
    {**STACKED, "scale_inputs": "robust+quantile", "dropout": 0.3, "batch_size": 128},
    {**STACKED, "hidden_components": (512,), "n_components": 512, "batch_size": 64},
)
# Every second pair: each size meets about half of the parameters, and the other way round.
CASES = tuple(
    (data, parameters)
    for i, data in enumerate(DATA)
    for j, parameters in enumerate(PARAMETERS)
    if (i + j) % 2 == 0
)
QUICK_CASES = tuple((DATA[0], parameters) for parameters in PARAMETERS)
MAX_EPOCHS = 3
PASSES = 3
QUANTILES = (0.05, 0.5, 0.95)


def measure(data: Data, parameters: dict[str, Any]) -> dict[str, Any]:
    """Train on random rows; return the sizes and the processor seconds."""
    random = np.random.default_rng(0)
    X = random.normal(size=(data.n_samples, data.n_features))
    y = random.normal(size=data.n_samples)
    if data.n_outputs > 1:
        y = random.integers(data.n_outputs, size=data.n_samples)
    model = make_estimator(data, parameters)
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    n_inputs = int(model.frequencies_.shape[1])
    sizes = {**data._asdict(), "n_inputs": n_inputs, "parameters": parameters}
    return {**sizes, "seconds": round(seconds, 4)}


def measure_all(cases: Sequence[tuple[Data, dict[str, Any]]], passes: int) -> list[dict[str, Any]]:
    """Measure every case once in each pass, and keep the least: a busy minute spoils one pass."""
    measure(*cases[0])  # the first fit of a process is slower
    rounds = [
        [measure(*case) for case in show_progress(cases, f"Pass {number} of {passes}")]
        for number in range(1, passes + 1)
    ]
    return [min(each, key=lambda one: one["seconds"]) for each in zip(*rounds, strict=True)]


def make_estimator(data: Data, parameters: dict[str, Any]) -> Any:
    kind = SpectralKernelClassifier if data.n_outputs > 1 else SpectralKernelRegressor
    own = {name: tuple(v) if isinstance(v, list) else v for name, v in parameters.items()}
    return kind(max_epochs=MAX_EPOCHS, n_threads=1, random_state=0, **own)


def sizes_of(training: dict[str, Any]) -> tuple[Any, int, int, int]:
    """Return the estimator of a recorded training, and the sizes that decide its cost."""
    data = Data(*(training[name] for name in Data._fields))
    model = make_estimator(data, training["parameters"])
    return model, data.n_samples, training["n_inputs"], data.n_outputs


def fit_constants(works: Sequence[Work], seconds: Sequence[float]) -> CostConstants:
    """Fit the constants by least squares of relative errors, none negative."""
    relative = np.array(works) / np.array(seconds)[:, None]
    scale = relative.max(axis=0)
    found, _ = nnls(relative / scale, np.ones(len(relative)))
    return CostConstants(*(found / scale).tolist())


def fit_record(trainings: Sequence[dict[str, Any]]) -> CostConstants:
    """Fit the constants to recorded trainings."""
    works = [count_work(*sizes_of(training)) for training in trainings]
    return fit_constants(works, [training["seconds"] for training in trainings])


def ratios(trainings: Sequence[dict[str, Any]], constants: CostConstants) -> dict[str, float]:
    """Return quantiles of estimated seconds over measured ones."""
    found = [
        estimate_seconds(*sizes_of(training), constants) / training["seconds"]
        for training in trainings
    ]
    levels = np.quantile(found, QUANTILES).tolist()
    return dict(zip(map(str, QUANTILES), levels, strict=True))


def load(path: Path = RESULTS / "cost_model.json") -> dict[str, Any]:
    """Load the committed record."""
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def print_tables(results: dict[str, Any]) -> None:
    constants = make_table("Seconds each", ["constants", *CostConstants._fields])
    quality = make_table("Estimated seconds by measured", ["constants", *map(str, QUANTILES)])
    named = {"shipped": CostConstants(), "fitted": CostConstants(**results["constants"])}
    for name, each in named.items():
        constants.add_row(name, *(f"{value:.3g}" for value in each))
        quality.add_row(name, *(figure(value) for value in results["ratios"][name].values()))
    console = Console()
    console.print(constants)
    console.print(quality)


def summarise(trainings: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the fitted constants, and how well they and the shipped ones estimate."""
    fitted = fit_record(trainings)
    named = {"shipped": CostConstants(), "fitted": fitted}
    return {
        "constants": fitted._asdict(),
        "ratios": {name: ratios(trainings, each) for name, each in named.items()},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--fit", action="store_true", help="fit to the committed record only")
    options = parser.parse_args(arguments)
    if options.fit:
        print_tables(summarise(load()["trainings"]))
        return
    cases = QUICK_CASES if options.quick else CASES
    machine = describe_machine()
    trainings = measure_all(cases, 1 if options.quick else PASSES)
    results = {"machine": machine, "quick": options.quick, "trainings": trainings}
    results |= summarise(trainings)
    print_tables(results)
    save(output_folder(options), "cost_model", results)


if __name__ == "__main__":
    main()
