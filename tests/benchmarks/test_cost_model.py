"""The cost model: exact on costs that follow it, and about right on the measured ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.cost_model import (
    Constants,
    Fit,
    Overhead,
    fit_constants,
    fit_overhead,
    fit_seconds,
    foretold_over_measured,
    load,
    main,
    measured_fits,
    sharded_bytes,
    step_seconds,
)
from benchmarks.problems import Shape

CONSTANTS = Constants(1e-4, 1e-11, 2e-9, 1e-9, 0.8)
SHAPES = [
    Shape(784, 2000, 10, 32),
    Shape(784, 2000, 10, 256),
    Shape(16, 2000, 26, 32),
    Shape(16, 500, 1, 256),
    Shape(8, 100, 1, 16),
]


def test_constants_are_recovered_from_costs_that_follow_them() -> None:
    records = [
        {
            "shape": shape._asdict(),
            "threads": threads,
            "ours_ms": 1000.0 * step_seconds(shape, CONSTANTS, threads),
        }
        for shape in SHAPES
        for threads in (1, 2)
    ]
    np.testing.assert_allclose(fit_constants(records), CONSTANTS, rtol=1e-6)


def test_the_overhead_is_recovered_and_foretells_other_sweeps() -> None:
    overhead = Overhead(0.2, 3.0)
    fits = [
        Fit(sweep, rows, SHAPES[0], rows, fit_seconds(SHAPES[0], rows, 1, CONSTANTS, overhead))
        for sweep, rows in (("a", 1000), ("a", 9000), ("b", 500), ("b", 70_000))
    ]
    assert fit_overhead(fits, CONSTANTS) == pytest.approx(overhead)
    assert list(foretold_over_measured(fits, CONSTANTS).values()) == pytest.approx([1.0] * 4)


def test_epochs_multiply_and_cores_divide() -> None:
    def seconds(n_epochs: int, n_cores: int) -> float:
        return fit_seconds(SHAPES[0], 1000, n_epochs, CONSTANTS, Overhead(), n_cores)

    assert seconds(6, 1) == pytest.approx(6 * seconds(1, 1))
    assert seconds(1, 2) == pytest.approx(0.6 * seconds(1, 1))
    assert seconds(1, 10**9) == pytest.approx(0.2 * seconds(1, 1))


def test_hosts_send_what_they_sum_in_a_ring() -> None:
    shape = Shape(3, 5, 2, 7)
    assert sharded_bytes(shape, 1, "components") == 0.0
    assert sharded_bytes(shape, 2, "components") == 7 * 2 * 4
    assert sharded_bytes(shape, 2, "inputs") == 7 * 5 * 2 * 4
    assert sharded_bytes(shape, 2, "rows") == 5 * (2 * 3 + 2) * 4
    assert sharded_bytes(shape, 4, "rows") == 1.5 * sharded_bytes(shape, 2, "rows")


def test_measured_times_are_foretold() -> None:
    """Steps within a tenth on one thread; fits, measured on a busy machine, far less well."""
    training = load("speed")["training"]
    constants = fit_constants(training)
    assert all(value > 0.0 for value in constants)
    for record in training:
        estimated = 1000.0 * step_seconds(Shape(**record["shape"]), constants, record["threads"])
        most = 0.1 if record["threads"] == 1 else 0.3
        assert abs(estimated / record["ours_ms"] - 1.0) < most
    ratios = foretold_over_measured(measured_fits(load("scaling")), constants).values()
    factors = [math.exp(abs(math.log(ratio))) for ratio in ratios]
    assert np.median(factors) < 1.6
    assert max(factors) < 5.0


def test_it_prints_its_error(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    assert "off by a factor of" in capsys.readouterr().out
