"""The ablation: one ingredient at a time, resumable."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks import ablation


def test_ablation(data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--quick", "--output", str(tmp_path)]
    ablation.main(options)
    store = ablation.open_store(tmp_path)
    before = store.read()
    assert before.keys() == {
        (data, variant) for data in ("segment", "space_ga") for variant in ablation.VARIANTS
    }
    errors = ablation.scores_by_data(before.values())["segment"]
    assert errors["without the exact head"] == errors["default"]  # classes have none
    # What is done is not repeated.
    lines = store.table.read_text().splitlines(keepends=True)
    kept = [line for line in lines if '"segment", "variant": "with symmetries"' not in line]
    assert len(kept) == len(lines) - 1
    store.table.write_text("".join(kept))
    ablation.main(options)
    assert store.table.read_text().splitlines(keepends=True) == lines
    assert "2 data sets" in capsys.readouterr().out


def test_what_an_earlier_version_tried_is_left_out() -> None:
    records = [
        {"data": "letter", "variant": "default", "errors": [2.0]},
        {"data": "segment", "variant": "default", "errors": [1.0]},
        {"data": "segment", "variant": "with something we gave up", "errors": [3.0]},
    ]
    scores = ablation.scores_by_data(records)
    assert list(scores) == ["segment", "letter"]
    assert "with something we gave up" not in scores["segment"]


def test_ablation_counts_and_ranks() -> None:
    variants = list(ablation.VARIANTS)
    errors = {name: [1.0 + number] for number, name in enumerate(variants)}
    even = {name: [2.0, 4.0] for name in variants}
    summary = ablation.summarize([errors, even])
    assert summary["default"]["change_percent"] == 0.0
    assert summary["default"]["mean_rank"] == (1.0 + (len(variants) + 1) / 2) / 2
    second = summary[variants[1]]
    assert second["change_percent"] == pytest.approx(100.0 * (math.sqrt(2.0) - 1.0))
    assert (second["n_worse"], second["n_better"]) == (1, 0)
