"""Files checked before the work starts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from askl.cli.files import check_destination, check_file, require
from askl.errors import AsklError, TableError


def test_a_library_that_is_missing_is_named_with_its_extra():
    assert require("json", "none").loads("1") == 1
    with pytest.raises(AsklError, match=r"needs nowhere, .* pip install 'askl\[maps\]'"):
        require("nowhere.inside", "maps")


def test_only_regular_files_with_content_are_read(tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "full").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    check_file(tmp_path / "full")
    for name, words in {
        "none": "There is no file",
        "": "is a folder",
        "pipe": "not a regular file",
        "empty": "is empty",
    }.items():
        with pytest.raises(TableError, match=words):
            check_file(tmp_path / name)


def test_outputs_must_be_writable_and_no_input(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("x")
    (tmp_path / "link").symlink_to(source)
    check_destination(tmp_path / "out.csv", source)
    check_destination(Path("-"), source)
    for output, words in {
        tmp_path: "not a file that can be replaced",
        tmp_path / "link": "not a file that can be replaced",
        tmp_path / "none" / "out.csv": "no folder",
        source: "would replace an input",
    }.items():
        with pytest.raises(AsklError, match=words):
            check_destination(output, source)
