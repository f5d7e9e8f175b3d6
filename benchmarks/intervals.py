"""Predictive intervals of the default regressor against an exact Gaussian process.

On the first split of each data set: the share of test rows in a 90 % interval, and the mean
negative log predictive density. The Gaussian process (scikit-learn's, RBF plus white noise, with
maximised marginal likelihood) is trained on a random sample of the training rows; ours on the same
sample, and on all training rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from askl import SpectralKernelRegressor
from benchmarks.data import Array, protocol_split
from benchmarks.machine import describe_machine
from benchmarks.report import (
    argument_parser,
    figure,
    make_table,
    output_folder,
    save,
    show_progress,
)

DATA = ("space_ga", "abalone", "cpusmall")
NORMAL_90 = 1.6448536269514722


def gaussian_process() -> Any:
    kernel = ConstantKernel() * RBF() + WhiteKernel()
    return make_pipeline(
        StandardScaler(), GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
    )


def judge(predicted: tuple[Array, Array], truth: Array) -> dict[str, float]:
    """Compute coverage of the 90 % interval, log density and error of means and deviations."""
    mean, deviation = predicted
    standardized = (truth - mean) / deviation
    densities = 0.5 * np.log(2.0 * np.pi * deviation**2) + 0.5 * standardized**2
    return {
        "coverage_percent": 100.0 * float(np.mean(np.abs(standardized) <= NORMAL_90)),
        "negative_log_density": float(np.mean(densities)),
        "rmse": float(np.sqrt(np.mean((truth - mean) ** 2))),
    }


def measure(name: str, n_rows: int, parameters: dict[str, Any]) -> dict[str, Any]:
    split = protocol_split(name)
    chosen = np.random.default_rng(0).permutation(len(split.X_train))[:n_rows]
    sample = split.X_train[chosen], split.y_train[chosen]
    ours = SpectralKernelRegressor(random_state=0, **parameters)
    fits: dict[str, Any] = {
        "gaussian process": gaussian_process().fit(*sample),
        "ours, same rows": clone(ours).fit(*sample),
        "ours, all rows": ours.fit(split.X_train, split.y_train),
    }
    return {
        "data": name,
        "n_rows": len(chosen),
        "models": {
            model: judge(fitted.predict(split.X_test, return_std=True), split.y_test)
            for model, fitted in fits.items()
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--rows", type=int, default=2000, help="of the sample (2000)")
    options = parser.parse_args(arguments)
    n_rows = 100 if options.quick else options.rows
    parameters: dict[str, Any] = {"n_components": 50, "max_epochs": 2} if options.quick else {}
    names = DATA[:1] if options.quick else DATA
    records = [measure(name, n_rows, parameters) for name in show_progress(names, "Fitting")]
    table = make_table("90 % intervals", ["data", "model", "covered %", "-log density", "RMSE"])
    for record in records:
        for model, row in record["models"].items():
            table.add_row(record["data"], model, *(figure(value) for value in row.values()))
    Console().print(table)
    results = {"machine": describe_machine(), "quick": options.quick, "records": records}
    save(output_folder(options), "intervals", results)


if __name__ == "__main__":
    main()
