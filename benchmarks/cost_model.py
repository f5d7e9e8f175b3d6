"""How long a fit takes, estimated from its sizes, and what hosts that share a model must send.

A step's constants are fitted to ``results/speed.json``, with one thread and with two. A whole fit
also scales its inputs, drops features out, shuffles and starts: a fixed time and a factor, fitted
to ``results/scaling.json``, where each sweep is estimated from the others. Run as
``python -m benchmarks.cost_model``.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from benchmarks.problems import Shape

RESULTS = Path(__file__).parent / "results"
N_BRANCHES = 2  # of a non-stationary kernel
FLOAT_BYTES = 4


class Constants(NamedTuple):
    """Seconds of one thread, and the share of a step that more threads divide."""

    each_step: float
    each_multiplication: float
    each_cosine: float
    each_parameter: float
    parallel_share: float


def work(shape: Shape) -> tuple[float, float, float, float]:
    """Count what a step does: itself, multiplications, cosines and updates of parameters.

    Angles and the gradient of the frequencies are a product each, outputs and the two gradients
    of the head three thinner ones.
    """
    d, D, K, batch = shape
    multiplications = batch * D * (2 * N_BRANCHES * d + 3 * K)
    return 1.0, multiplications, batch * D * N_BRANCHES, D * (N_BRANCHES * d + K)


def fit_constants(records: list[dict[str, Any]]) -> Constants:
    """Fit the constants to measured steps by least squares of relative errors, none negative."""
    steps = {1: [], 2: []}
    for record in records:
        steps[record["threads"]].append((Shape(**record["shape"]), record["ours_ms"] / 1000.0))
    rows = np.array([np.array(work(shape)) / seconds for shape, seconds in steps[1]])
    scale = rows.max(axis=0)
    seconds, _ = nnls(rows / scale, np.ones(len(rows)))
    # One thread over two is 1 / (1 - share / 2) by Amdahl's law.
    alone = dict(steps[1])
    shares = [2.0 * (1.0 - both / alone[shape]) for shape, both in steps[2]]
    return Constants(*(seconds / scale), parallel_share=float(np.median(shares)))


def step_seconds(shape: Shape, constants: Constants, n_cores: int = 1) -> float:
    """Foretell the time of one step of training."""
    one_core = float(np.dot(work(shape), constants[:4]))
    return one_core * (1.0 - constants.parallel_share * (1.0 - 1.0 / n_cores))


class Overhead(NamedTuple):
    """What a fit takes beside its bare steps: seconds in all, and a factor of theirs."""

    fixed: float = 0.0
    factor: float = 1.0


def fit_seconds(
    shape: Shape,
    n_rows: int,
    n_epochs: int,
    constants: Constants,
    overhead: Overhead,
    n_cores: int = 1,
) -> float:
    """Foretell the time of a fit without an exact head."""
    n_steps = n_epochs * math.ceil(n_rows / shape.batch_size)
    return overhead.fixed + overhead.factor * n_steps * step_seconds(shape, constants, n_cores)


def sharded_bytes(shape: Shape, n_hosts: int, by: str) -> float:
    """Return the bytes each host sends in a step if hosts share a model, by a ring's sums.

    By components, the outputs are summed; by inputs, the angles of all branches are. The gradients
    of a host's own parameters need nothing more: those of the outputs, or of the angles, follow on
    every host from the sum. By rows, as ``distributed=True`` does, all gradients are summed.
    """
    d, D, K, batch = shape
    numbers = {
        "components": batch * K,
        "inputs": batch * D * N_BRANCHES,
        "rows": D * (N_BRANCHES * d + K),
    }[by]
    return 2.0 * (n_hosts - 1) / n_hosts * numbers * FLOAT_BYTES


class Fit(NamedTuple):
    """A fit that was measured, and the sweep it is of."""

    sweep: str
    value: int
    shape: Shape
    n_rows: int
    seconds: float


def measured_fits(scaling: dict[str, Any]) -> list[Fit]:
    """List the fits of a scaling study that have no exact head."""
    usual = {"features": 10, "components": 1000, "outputs": 10}
    fits = []
    for sweep in scaling["sweeps"]:
        for point in sweep["points"] if sweep["task"] != "exact head" else []:
            sizes = {"rows": sweep["rows"], **usual, sweep["varied"]: point["value"]}
            n_rows, *shape = sizes.values()
            found = Shape(*shape, 256)
            fits.append(Fit(sweep["varied"], point["value"], found, n_rows, point["seconds"]))
    return fits


def fit_overhead(fits: list[Fit], constants: Constants) -> Overhead:
    """Fit what whole fits add to their steps, by least squares of relative errors."""
    steps = [fit_seconds(each.shape, each.n_rows, 1, constants, Overhead()) for each in fits]
    seconds = np.array([each.seconds for each in fits])
    found, _ = nnls(np.column_stack([np.ones(len(fits)), steps]) / seconds[:, None], seconds**0)
    return Overhead(*map(float, found))


def foretold_over_measured(fits: list[Fit], constants: Constants) -> dict[Fit, float]:
    """Foretell every fit with the overhead of the other sweeps' fits, divided by the measured."""
    ratios = {}
    for sweep in dict.fromkeys(each.sweep for each in fits):
        overhead = fit_overhead([each for each in fits if each.sweep != sweep], constants)
        for each in fits:
            if each.sweep == sweep:
                estimated = fit_seconds(each.shape, each.n_rows, 1, constants, overhead)
                ratios[each] = estimated / each.seconds
    return ratios


def load(name: str) -> dict[str, Any]:
    """Load a committed result."""
    loaded: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def main() -> None:
    """Print the constants, the steps they were fitted to, and the fits they estimate."""
    training = load("speed")["training"]
    constants = fit_constants(training)
    for name, value in constants._asdict().items():
        print(f"{name:20} {value:.3g}")
    for record in training:
        shape, n_cores = Shape(**record["shape"]), record["threads"]
        estimated = 1000.0 * step_seconds(shape, constants, n_cores)
        print(f"{tuple(shape)!s:24} {n_cores} {estimated:7.2f} of {record['ours_ms']:7.2f} ms")
    fits = measured_fits(load("scaling"))
    print(fit_overhead(fits, constants))
    ratios = foretold_over_measured(fits, constants)
    for each, ratio in ratios.items():
        print(f"{each.sweep:12}{each.value:9}{each.seconds:9.2f} s, estimated over it {ratio:.2f}")
    errors = np.exp(np.abs(np.log(list(ratios.values()))))
    print(f"off by a factor of {np.median(errors):.2f} in the median, {errors.max():.2f} at most")


if __name__ == "__main__":
    main()
