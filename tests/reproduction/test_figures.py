"""Figures show what the records contain, and the same records give the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from reproduction.figures import draw_curves, make_figures
from reproduction.folders import Folders
from reproduction.records import read_records


def test_a_curve_is_the_mean_over_splits() -> None:
    records = [
        {
            "trial": {"method": method},
            "history": {"iteration": [5, 10], "test": [1.0 + split, 3.0 + split]},
        }
        for method in ("askl", "sk")
        for split in (0, 2)
    ]
    axes = draw_curves(Figure().subplots(), records, "test")
    assert [line.get_label() for line in axes.lines] == ["SK", "ASKL"]
    for line in axes.lines:
        np.testing.assert_array_equal(line.get_xydata(), [[5, 2.0], [10, 4.0]])


def test_figures_are_pure_functions_of_the_records(study: Folders, tmp_path: Path) -> None:
    records = list(read_records("smoke", study))
    first = make_figures(records, tmp_path / "a", "svg")
    second = make_figures(records, tmp_path / "b", "svg")
    assert [path.name for path in first] == ["digits-test.svg", "digits-objective.svg", "ranks.svg"]
    for left, right in zip(first, second, strict=True):
        assert left.read_bytes() == right.read_bytes()
