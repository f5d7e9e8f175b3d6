"""Diagrams: everything that is ranked is named, and the same ranks give the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from studies.diagrams import draw_ranks, save_figure

MEANS = {"sk": 4.5, "nsk": 4.0, "skl": 3.0, "nskl": 2.0, "askl": 1.5}


def test_the_diagram_names_all_methods_and_joins_those_alike() -> None:
    (axes,) = draw_ranks(MEANS, 12, highlight="askl").axes
    texts = {text.get_text(): text for text in axes.texts}
    for name, rank in MEANS.items():
        assert f"{name}  {rank:.2f}" in texts
    assert texts["askl  1.50"].get_weight() == "bold"
    assert texts["nskl  2.00"].get_weight() == "normal"
    assert "critical difference 1.76" in texts
    bars = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 3]
    ends = [(round(first + 0.04, 6), round(last - 0.04, 6)) for first, last in bars]
    assert ends == [(1.5, 3.0), (3.0, 4.5)]


def test_a_difference_wider_than_the_axis_is_cut() -> None:
    (axes,) = draw_ranks(MEANS, 1, highlight="askl").axes
    assert any(text.get_text().endswith(" (cut)") for text in axes.texts)


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_same_figure_has_the_same_bytes(ending: str, tmp_path: Path) -> None:
    paths = [
        save_figure(draw_ranks(MEANS, 12, highlight="askl"), tmp_path / name / f"ranks.{ending}")
        for name in ("a", "b")
    ]
    assert paths[0].read_bytes() == paths[1].read_bytes()
