"""Choices that are the rows of a table."""

from __future__ import annotations

import pytest
import typer

from askl.cli.choices import check_method, method_names
from askl.learning import METHODS


def test_the_methods_are_those_of_the_table_and_auto(monkeypatch):
    assert set(method_names()) == {"auto", *METHODS}
    monkeypatch.setitem(METHODS, "own", METHODS["sk"])
    assert check_method("own") == "own"
    assert "own" in method_names()


@pytest.mark.parametrize(("name", "hint"), [("nskll", "Did you mean nskl?"), ("forest", "sk.")])
def test_other_names_are_refused(name, hint):
    with pytest.raises(typer.BadParameter, match=f"'{name}' is none of auto, ") as caught:
        check_method(name)
    assert str(caught.value).endswith(hint)
