"""``askl report``: a page, and nothing else that is left behind."""

from __future__ import annotations

import sys

import pytest


@pytest.mark.parametrize("which", ["flowers", "houses"])
def test_a_report_is_a_page(run, request, tmp_path, which):
    data, model = request.getfixturevalue(which)
    page = tmp_path / "report.html"
    result = run("report", model, data, "-o", page, "--title", "As it is")
    assert result.exit_code == 0, result.stderr
    assert "<h1>As it is</h1>" in page.read_text(encoding="utf-8")
    assert f"Report: {page}" in result.stdout
    assert list(tmp_path.iterdir()) == [page]


def test_a_report_of_an_empty_table_is_an_error(fails, flowers, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n")
    assert "no row" in fails("report", flowers[1], path, "-o", tmp_path / "r.html")


def test_a_report_without_matplotlib_says_what_to_install(fails, flowers, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = fails("report", *reversed(flowers), "-o", tmp_path / "r.html")
    assert "askl[plots]" in message
    assert list(tmp_path.iterdir()) == []
