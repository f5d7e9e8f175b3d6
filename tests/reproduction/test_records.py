"""Records are written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from reproduction.files import write_text_atomically
from reproduction.protocol import Trial
from reproduction.records import is_current, read_record, write_record

TRIAL = Trial("smoke", "digits", "askl", 3)


def make_record(figure: float) -> dict[str, Any]:
    return {
        "trial": TRIAL._asdict(),
        "status": "done",
        "hyperparameters": {"head_penalty": 1e-10},
        "metrics": {"test": {"accuracy_percent": figure}},
    }


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = make_record(100.0 / 3.0)
    path = write_record(record, tmp_path)
    assert path == tmp_path / "records" / "smoke" / "digits" / "askl" / "3.json"
    assert read_record(TRIAL, tmp_path) == record == json.loads(path.read_text())
    assert read_record(TRIAL._replace(split=4), tmp_path) is None


def test_a_write_that_breaks_off_leaves_the_old_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_record(make_record(1.0), tmp_path)
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_record(make_record(2.0), tmp_path)
    assert read_record(TRIAL, tmp_path) == make_record(1.0)
    assert len(list(tmp_path.rglob("*.*"))) == 1


def test_figures_that_json_cannot_hold_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_record(make_record(float("nan")), tmp_path)
    assert read_record(TRIAL, tmp_path) is None


def test_a_record_of_other_settings_is_not_current() -> None:
    record = make_record(1.0)
    assert is_current(record, {"head_penalty": 1e-10})
    assert not is_current(record, {"head_penalty": 1e-9})
    assert not is_current(None, {})


def test_text_replaces_text(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    for text in ("α", "β\n"):
        write_text_atomically(path, text)
        assert path.read_text(encoding="utf-8") == text
