"""One trial: what is trained on, and how it is measured."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

from reproduction.datasets import Dataset, find_row, load
from reproduction.evaluate import TargetScale, make_estimator, measure
from reproduction.protocol import find_protocol
from reproduction.splits import Split, split


def test_targets_are_scaled_by_training_rows_only() -> None:
    dataset = load("diabetes")
    train, test = split(len(dataset.y), 0)
    scale = TargetScale.of(dataset.row, dataset.y[train])
    mapped = scale.apply(dataset.y)
    assert mapped[train].min() == 0.0
    assert mapped[train].max() == 100.0
    dollars = scale._replace(
        row=dataset.row._replace(extra_unit={"name": "hundreds", "size": 100.0})
    )
    metrics = dollars.metrics(mapped[test], mapped[test] + 1.0)
    assert metrics["rmse_0_to_100"] == pytest.approx(1.0)
    width = np.ptp(dataset.y[train])
    assert metrics["hundreds"] == pytest.approx(width / 100.0 / 100.0)


def test_the_unit_of_errors_is_the_range_of_the_training_targets() -> None:
    row = find_row("diabetes")
    # The training targets are from 0 to 50, so that a difference of one is two units.
    dataset = Dataset(row, np.zeros((4, 1)), np.array([0.0, 50.0, 25.0, 500.0]), "none")
    measured = measure(DummyRegressor(), dataset, Split(np.array([0, 1, 2]), np.array([3])))
    assert measured.metrics["test"] == {"rmse_0_to_100": pytest.approx(2.0 * (500.0 - 25.0))}


@pytest.mark.parametrize("protocol", ["corrected", "paper"])
@pytest.mark.parametrize("name", ["digits", "diabetes"])
def test_test_rows_change_nothing_in_training(name: str, protocol: str) -> None:
    dataset, row, found = load(name), find_row(name), find_protocol(protocol)
    rows = split(len(dataset.y), 0)
    X, y = dataset.X.copy(), dataset.y.copy()
    X[rows.test], y[rows.test] = 1e3, {"classification": 0, "regression": 1e4}[row.task]
    small = {"n_components": 16, "max_epochs": 2, "batch_size": 256, "frequency_scale": 0.5}
    as_it_is, changed = (
        measure(make_estimator(row, "askl", found.fixed(row) | small, seed=0), data, rows).metrics
        for data in (dataset, dataset._replace(X=X, y=y))
    )
    assert as_it_is["train"] == changed["train"]
    assert as_it_is["test"] != changed["test"]
