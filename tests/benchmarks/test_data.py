"""The reader of data sets and its splits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.data import Split, load, protocol_split


def test_missing_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASKL_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="ASKL_DATA must name the folder"):
        load("letter")


def test_missing_file_names_the_folder(data_folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=str(data_folder)):
        load("nowhere")


def test_labels_are_recoded(data_folder: Path) -> None:
    _, y = load("segment")
    assert set(y) == {0, 1, 2}


def test_targets_span_hundred_over_all_rows(data_folder: Path) -> None:
    _, y = load("space_ga")
    assert (y.min(), y.max()) == (0.0, 100.0)


def test_bytes_become_fractions(data_folder: Path) -> None:
    X, _ = load("mnist")
    assert X.dtype == np.float32
    assert X.max() == 1.0


def test_split_is_the_permutation_of_its_number(data_folder: Path) -> None:
    X, y = load("segment")
    split = protocol_split("segment", 3)
    order = np.random.default_rng(3).permutation(300)
    np.testing.assert_array_equal(np.concatenate([split.X_train, split.X_test]), X[order])
    np.testing.assert_array_equal(split.y_test, y[order[240:]])


def test_scores() -> None:
    X = np.zeros((2, 1))
    classes = Split(X, np.array([0, 1]), X, np.array([0, 1]))
    numbers = Split(X, np.array([0.0, 1.0]), X, np.array([0.0, 1.0]))
    assert classes.score(np.array([0, 0])) == 50.0
    assert numbers.score(np.array([3.0, 5.0])) == pytest.approx(np.sqrt((9 + 16) / 2))
