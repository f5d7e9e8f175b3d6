"""The page about speed: written from the saved results."""

from __future__ import annotations

from benchmarks.page import PAGE, write_page


def test_the_page_is_that_of_the_committed_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_page()
