"""``askl compare``: a row for each method of the table, and a report."""

import json

import pytest
from typer.testing import CliRunner

from askl.cli import app
from askl.learning import METHODS

SMALL = ["--splits", "2", "--components", "30", "--jobs", "1"]


def invoke(*arguments: str):
    return CliRunner().invoke(app, ["compare", *arguments])


@pytest.mark.parametrize(("data", "measure"), [("iris", "accuracy %"), ("diabetes", "RMSE")])
def test_compare_prints_a_row_for_every_method(data: str, measure: str) -> None:
    result = invoke(data, *SMALL)
    assert result.exit_code == 0, result.output
    assert measure in result.output
    for method in ("SK", "NSK", "SKL", "NSKL", "ASKL"):
        assert f" {method} " in result.output
    assert "[" not in result.output  # no markup left, nothing cut off
    assert "…" not in result.output


def test_compare_writes_a_report_and_says_where(tmp_path) -> None:
    path = tmp_path / "report.html"
    result = invoke("iris", *SMALL, "--report", str(path))
    assert result.exit_code == 0, result.output
    assert "5 methods on iris" in path.read_text(encoding="utf-8")
    assert str(path) in result.output


def test_a_row_added_to_the_methods_is_compared(monkeypatch) -> None:
    monkeypatch.setitem(METHODS, "wide", METHODS["nsk"]._replace(n_branches=3, head_norm="trace"))
    result = invoke("iris", *SMALL)
    assert result.exit_code == 0, result.output
    (line,) = (line for line in result.output.splitlines() if " WIDE " in line)
    assert "non-stationary assigned ‖W‖_* " in " ".join(line.split()) + " "


def test_an_unknown_data_set_is_an_error_that_names_the_known_ones() -> None:
    result = invoke("nowhere")
    assert result.exit_code == 1
    assert "digits" in result.output
    assert "nowhere" in result.output


def test_compare_takes_a_file(tmp_path, flowers) -> None:
    result = invoke(str(flowers[0]), "--target", "y", *SMALL, "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["data"] == "flowers.csv"
    assert set(record["methods"]) == {"sk", "nsk", "skl", "nskl", "askl"}
    assert len(record["methods"]["sk"]["scores"]) == 2


def test_compare_refuses_texts(houses) -> None:
    result = invoke(str(houses[0]), "--target", "y", *SMALL)
    assert result.exit_code == 1
    assert "Use askl fit" in result.stderr
