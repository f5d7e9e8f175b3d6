"""Runs: every fit in a process of its own, resumable."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.tables.cli import main
from benchmarks.tables.run import Job, open_store


def test_a_run_continues_where_it_was_and_is_compacted(
    tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--results", str(tmp_path / "results")]
    run = ["run", "--learner", "lightgbm", "--table", "churn", "--table", "airfoil", *options]
    main([*run, "--shard", "0/2"])
    main(["compact", *options])
    main(run)
    shown = capsys.readouterr()
    assert "1 of 1 fits run" in shown.err
    assert "1 of 2 fits run" in shown.err
    store = open_store(tmp_path / "results")
    records = store.read()
    assert list(records) == [Job("airfoil", "lightgbm", 0), Job("churn", "lightgbm", 0)]
    record = records[Job("churn", "lightgbm", 0)]
    assert record["errors"].keys() == {"1 - ROC AUC", "log loss"}
    assert record["machine"]["versions"]["lightgbm"]
    main([*run, "--again", "--inner"])
    assert "2 of 2 fits run" in capsys.readouterr().err
    assert len(store.read()) == 4


def test_a_failure_is_recorded_and_tried_again(
    tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["run", "--learner", "lightgbm", "--table", "diamonds", "--results", str(tmp_path)]
    main(run)
    record = open_store(tmp_path).read()[Job("diamonds", "lightgbm", 0)]
    assert record["status"] == "failed"
    assert "diamonds.parquet" in record["error"]
    main(run)
    assert capsys.readouterr().err.count("1 of 1 fits run") == 2


def test_a_mistake_of_the_user_is_printed_without_a_traceback(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="Error: The 'shard' parameter"):
        main(["run", "--shard", "2/2", "--results", str(tmp_path)])
