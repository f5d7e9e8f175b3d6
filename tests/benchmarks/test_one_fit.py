"""One fit in this process, measured."""

from __future__ import annotations

import json

import pytest

from benchmarks import one_fit


@pytest.mark.parametrize("task", one_fit.TASKS)
def test_one_fit(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--rows=200", "--components=20", "--outputs=2", "--repeats=1"]
    one_fit.main(["--predict", f"--task={task}", *sizes])
    measured = json.loads(capsys.readouterr().out)
    assert measured["seconds"] > 0.0
    assert measured["data_mb"] > 0.0
