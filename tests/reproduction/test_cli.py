"""The command line: every command, and errors without a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from reproduction.cli import app, main
from reproduction.folders import Folders


def call(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def test_datasets_are_listed_and_verified() -> None:
    listed = call("datasets", "list")
    assert "satimage" in listed
    assert "OpenML 554" in listed
    assert "digits: as expected, rows in the recorded order" in call(
        "datasets", "verify", "--dataset", "digits"
    )


def test_everything_in_turn(tmp_path: Path) -> None:
    cell = ["--dataset", "diabetes", "--method", "sk", "--protocol", "smoke"]
    place = ["--results", str(tmp_path)]
    assert "1 of 1 cells tuned" in call("tune", *cell, *place)
    assert "1 of 1 trials run" in call("run", *cell, *place, "--splits", "2", "--shard", "1/2")
    assert "0 of 1 trials run" in call("run", *cell, *place, "--splits", "2", "--shard", "1/2")
    assert "1 trials moved" in call("compact", "--protocol", "smoke", *place)
    assert "0 of 1 trials run" in call("run", *cell, *place, "--splits", "2", "--shard", "1/2")
    table = call("table", "--protocol", "smoke", *place, "--format", "csv").splitlines()
    assert table[0] == "dataset,method,n_splits,mean,std,published,unit"
    assert table[1].startswith("diabetes,sk,1,")
    path = tmp_path / "new" / "table.csv"
    call("table", "--protocol", "smoke", *place, "--format", "csv", "--output", str(path))
    assert path.read_text().splitlines() == table
    status = call("status", "--protocol", "smoke", "--dataset", "diabetes", *place)
    row = next(line for line in status.splitlines() if "diabetes" in line)
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells[:6] == ["diabetes", "1/5", "1", "0", "0", "9"]


def test_figures_are_named(study: Folders) -> None:
    output = call(
        "figures", "--protocol", "smoke", "--results", str(study.results), "--format", "png"
    )
    paths = [Path(line) for line in output.splitlines()]
    assert [path.name for path in paths] == ["digits-test.png", "digits-objective.png", "ranks.png"]
    assert all(path.stat().st_size > 1000 for path in paths)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--dataset", "iris"], "There is no data set 'iris'"),
        (["run", "--method", "svm"], "There is no method 'svm'"),
        (["tune", "--protocol", "mine"], "There is no protocol 'mine'"),
        (["run", "--shard", "2/2"], "The 'shard' parameter must be i/n"),
        (["table", "--format", "html"], "There is no format 'html'"),
        (["table", "--protocol", "smoke", "--results", "nowhere"], "There are no records"),
    ],
)
def test_errors_are_one_sentence(arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        main(arguments)
