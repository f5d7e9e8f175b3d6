"""Figures of results: every record has its panel, with what was measured in it."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.plots import draw_curves, draw_scaling


def make_record(name: str, measure: str) -> dict[str, Any]:
    points = [{"seconds": 1.0, "score": 80.0}, {"seconds": 2.0, "score": 90.0}]
    peers = [
        {"name": "LightGBM", "seconds": 3.0, "score": 88.0},
        {"name": "RBF-SVM", "skipped": "too slow"},
    ]
    return {
        "data": name, "measure": measure, "paper": 85.0,
        "ours": points, "reference": points, "peers": peers,
    }  # fmt: skip


def test_every_data_set_has_a_panel_with_curves_peers_and_the_published_score() -> None:
    records = [make_record("letter", "accuracy"), make_record("cpusmall", "rmse")] * 2
    figure = draw_curves(records)
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert [panel.get_title() for panel in panels] == [record["data"] for record in records]
    assert len(figure.axes) == 6  # two rows of three
    labels = [line.get_label() for line in panels[0].lines]
    assert labels == ["ours", "reference", "LightGBM", "ASKL, as published"]
    assert panels[1].get_ylabel() == "test RMSE"
    assert panels[1].get_yscale() == "log"


def test_the_line_of_a_sweep_has_its_slope() -> None:
    points = [
        {"value": value, "seconds": 2.0 * value, "over_data_mb": 5.0} for value in (1, 10, 100)
    ]
    sweep = {"task": "classification", "varied": "rows", "slope": 1.0, "points": points}
    above, below = draw_scaling([sweep]).axes
    assert above.lines[1].get_ydata() == pytest.approx([2.0, 20.0, 200.0])
    assert below.get_xlabel() == "rows"
