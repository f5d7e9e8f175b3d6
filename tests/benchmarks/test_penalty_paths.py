"""The study of penalties: rows, records, choices, tables and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from askl import SpectralKernelClassifier
from benchmarks import penalty_paths
from benchmarks.data import Split, protocol_split
from benchmarks.penalty_paths import Learning
from benchmarks.penalty_plots import plot_feature_paths, plot_head_paths
from benchmarks.penalty_tables import (
    choose,
    chosen_value,
    feature_table,
    head_table,
    names_of,
    twice_chosen_loss,
)
from benchmarks.tables.data import load_fold

ROOT = Path(__file__).parents[2]
PNG = b"\x89PNG"
SETTINGS = {**penalty_paths.SETTINGS, "n_components": 10}


def make_rows(n_rows: int = 60) -> Split:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * n_rows, 3)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(np.int64)
    return Split(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


def make_record(**fields: Any) -> dict[str, Any]:
    return {
        **{"data": "churn", "split": 0, "method": "askl", "epochs": 8, "feature_strength": 0.0},
        **{"head_norm": "trace", "n_outputs": 2, "feature_norm": 0.5, "trained_head": [0.9, 0.7]},
        **{"strength": [1.0, 0.1, 0.01], "log_loss": [[0.7, 0.7], [0.3, 0.5], [0.4, 0.4]]},
        **{"trace_norm": [0.0, 1.0, 2.0], "rank": [0, 1, 1], "bound": [0.0, 0.1, 0.2]},
        **fields,
    }


def make_records() -> list[dict[str, Any]]:
    return [
        make_record(**learning._asdict(), data=data, head_norm=norm, n_outputs=n_outputs)
        for data, n_outputs in (("letters", 3), ("churn", 2))
        for learning in penalty_paths.LEARNINGS
        for norm in learning.head_norms
    ]


def test_test_rows_are_never_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tables").mkdir()
    frame = pd.DataFrame({"row": np.arange(90.0), "target": np.arange(90) % 2})
    frame.to_parquet(tmp_path / "tables" / "churn.parquet")
    np.savez(tmp_path / "satimage.npz", X=np.arange(90.0)[:, None], y=np.arange(90) % 2)
    monkeypatch.setenv("ASKL_DATA", str(tmp_path))
    tests = {"churn": load_fold("churn", 0).X_test, "satimage": protocol_split("satimage").X_test}
    for name, test in tests.items():
        rows = [penalty_paths.load_rows(name, split) for split in (0, 1)]
        for split in rows:
            train, judge, unseen = (
                set(np.ravel(X).tolist()) for X in (split.X_train, split.X_test, test)
            )
            assert len(train) + len(judge) + len(unseen) == 90
            assert len(train | judge | unseen) == 90
        assert set(np.ravel(rows[0].X_test)) != set(np.ravel(rows[1].X_test))


def test_all_models_of_a_split_begin_with_the_same_frequencies() -> None:
    rows, settings = make_rows(), {**SETTINGS, "learning_rate": 1e-12}
    drawn = penalty_paths.learn(rows, penalty_paths.ASSIGNED, SETTINGS)
    for learning in (Learning("nskl", 1, 0.0), Learning("askl", 1, 0.3)):
        model = penalty_paths.learn(rows, learning, settings)
        np.testing.assert_allclose(model.frequencies_, drawn.frequencies_, atol=1e-6)


def test_the_strength_of_the_features_is_relative_to_the_null_model() -> None:
    rows = make_rows()
    features = penalty_paths.learn(rows, penalty_paths.ASSIGNED, SETTINGS).transform(rows.X_train)
    model = penalty_paths.learn(rows, Learning("askl", 1, 0.3), SETTINGS)
    norm = float(np.square(features).sum(axis=1).mean())
    assert model.feature_penalty == pytest.approx(0.3 * np.log(2.0) / norm, rel=1e-5)
    assert penalty_paths.learn(rows, Learning("askl", 1, 0.0), SETTINGS).feature_penalty == 0.0


def test_a_record_is_a_path_from_the_null_model() -> None:
    rows = make_rows()
    trace, frobenius = sorted(
        penalty_paths.measure(rows, penalty_paths.ASSIGNED, SETTINGS),
        key=lambda record: str(record["head_norm"]),
        reverse=True,
    )
    assert trace["log_loss"][0] == pytest.approx([np.log(2.0)] * 2, rel=1e-4)
    assert trace["trace_norm"] == sorted(trace["trace_norm"])
    assert trace["trace_norm"] == pytest.approx(frobenius["trace_norm"], rel=1e-3)  # two classes
    assert trace["rank"] == [0] + [1] * 24
    scale = np.sqrt(2.0 * trace["feature_norm"] / 60)  # sqrt(K / n · mean ‖φ‖²)
    assert trace["bound"] == pytest.approx(scale * np.array(trace["trace_norm"]), rel=1e-3)


def test_losses_of_both_halves() -> None:
    model = SpectralKernelClassifier(n_components=5, random_state=0)
    rows = make_rows()
    model.fit(rows.X_train, rows.y_train)
    features, targets = torch.from_numpy(model.transform(rows.X_test)), rows.y_test
    values = -np.log(model.predict_proba(rows.X_test)[np.arange(len(targets)), targets])
    halves = penalty_paths.losses(
        features, torch.from_numpy(model.weights_), torch.from_numpy(targets)
    )
    assert halves == pytest.approx([values[::2].mean(), values[1::2].mean()], rel=1e-4)


def test_each_half_is_judged_by_the_choice_of_the_other() -> None:
    choice = choose([[0.7, 0.7], [0.3, 0.5], [0.4, 0.4]])
    assert choice.points == (1, 2)
    assert choice.log_loss == pytest.approx((0.5 + 0.4) / 2)
    assert chosen_value([make_record()], "trace_norm") == 1.5


def test_tables() -> None:
    records = make_records()
    assert names_of(records) == ["churn", "letters"]
    rows = head_table(records).splitlines()
    assert len(rows) == 2 + 2 * 3
    assert rows[3] == ("| churn | 8 epochs | 0.8000 | 0.4000 | 0.4500 | 0.4500 | 0.01 to 0.1 |")
    header, _, first, second, *_ = feature_table(records).splitlines()
    assert header.count("λ₂ = ") == len(penalty_paths.FEATURE_STRENGTHS)
    assert first.split(" | ")[:4] == ["| churn", "8 epochs", "solved", "0.4500"]
    assert second.split(" | ")[:4] == ["| churn", "8 epochs", "trained", "0.8000"]


def test_both_strengths_are_chosen_by_the_other_half() -> None:
    weak, strong = (
        make_record(feature_strength=strength, log_loss=losses)
        for strength, losses in ((0.0, [[0.7, 0.7], [0.4, 0.5]]), (1.0, [[0.3, 0.8], [0.6, 0.2]]))
    )
    assert twice_chosen_loss([weak, strong]) == pytest.approx((0.8 + 0.6) / 2)
    heads = [{**weak, "trained_head": [0.6, 0.5]}, {**strong, "trained_head": [0.4, 0.7]}]
    assert twice_chosen_loss(heads, "trained") == pytest.approx((0.7 + 0.6) / 2)
    other = [{**each, "split": 1, "log_loss": [[0.1, 0.1]]} for each in (weak, strong)]
    assert twice_chosen_loss([weak, strong, *other]) == pytest.approx((0.7 + 0.1) / 2)


def test_pictures(tmp_path: Path) -> None:
    for draw in (plot_head_paths, plot_feature_paths):
        draw(make_records(), tmp_path / "figure.png")
        assert (tmp_path / "figure.png").read_bytes().startswith(PNG)


def test_a_run_continues(
    data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--quick", "--output", str(tmp_path), "satimage"]
    penalty_paths.main(options)
    table = penalty_paths.open_store(tmp_path).table
    whole = table.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in whole if '"method": "nsk",' not in line]
    assert len(whole) - len(kept) == 2
    table.write_text("".join(kept), encoding="utf-8")
    (tmp_path / "penalty_paths_head.png").unlink()
    penalty_paths.main(options)
    assert table.read_text(encoding="utf-8").splitlines(keepends=True) == whole
    assert (tmp_path / "penalty_paths_head.png").exists()
    assert "| satimage | 30 epochs |" in capsys.readouterr().out


def test_the_page_has_the_table_of_the_records() -> None:
    records = [*penalty_paths.open_store().read().values()]
    page = (ROOT / "docs" / "guide" / "penalties.md").read_text(encoding="utf-8")
    assert head_table(records) in page
    measured = {(each["data"], each["split"]) for each in records}
    assert measured == {(name, split) for name in penalty_paths.DATA for split in (0, 1)}
