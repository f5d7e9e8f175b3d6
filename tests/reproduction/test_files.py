"""Files: text is replaced in one step, in a folder that is made if needed."""

from __future__ import annotations

from pathlib import Path

from reproduction.files import read_toml, write_text_atomically


def test_text_replaces_text(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    for text in ("α", "β\n"):
        write_text_atomically(path, text)
        assert path.read_text(encoding="utf-8") == text


def test_toml_is_read_in_utf_8(tmp_path: Path) -> None:
    write_text_atomically(tmp_path / "file.toml", 'name = "λ₁"')
    assert read_toml(tmp_path / "file.toml") == {"name": "λ₁"}
