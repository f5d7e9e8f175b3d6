"""Every public name is in the reference, and what is documented is what there is."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
MODULES = {
    "askl": "askl",
    "askl.spectral": "spectral",
    "askl.learning": "learning",
    "askl.theory": "theory",
    "askl.insight": "insight",
    "askl.insight.plots": "insight",
    "askl.interop": "interop",
}


def listed(page: str, module: str) -> list[str]:
    """Names of a module on a page of the reference, by autosummary or by hand."""
    found, current = [], ""
    for line in (REFERENCE / f"{page}.rst").read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule::"):
            current = line.split()[-1]
        match = re.fullmatch(r"   (\w+)|\.\. py:data:: (\w+)", line)
        if match and current == module:
            found.append(match[1] or match[2])
    return found


@pytest.mark.parametrize("module", MODULES)
def test_the_reference_lists_the_public_names_and_no_others(module: str) -> None:
    assert sorted(listed(MODULES[module], module)) == sorted(import_module(module).__all__)


def documented(thing: Any) -> list[str]:
    """Parameters of a docstring; of a named tuple, whose fields they are, its attributes."""
    is_class = inspect.isclass(thing)
    doc = ClassDoc(thing, config={"show_class_members": False}) if is_class else FunctionDoc(thing)
    section = "Attributes" if is_class and issubclass(thing, tuple) else "Parameters"
    return [name.strip().lstrip("*") for entry in doc[section] for name in entry.name.split(",")]


def public(kinds: Callable[[Any], bool]) -> list[Any]:
    things = [
        getattr(import_module(module), name)
        for module in MODULES
        for name in import_module(module).__all__
    ]
    return [thing for thing in things if kinds(thing)]


def is_callable(thing: Any) -> bool:
    return inspect.isclass(thing) or inspect.isfunction(thing)


@pytest.mark.parametrize("thing", public(is_callable), ids=lambda thing: thing.__name__)
def test_every_public_name_has_a_docstring_of_its_own(thing: Any) -> None:
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{thing.__name__}("), "made by NamedTuple"


@pytest.mark.parametrize(
    "thing",
    [thing for thing in public(is_callable) if documented(thing)],
    ids=lambda thing: thing.__name__,
)
def test_documented_parameters_are_those_of_the_signature(thing: Any) -> None:
    assert documented(thing) == list(inspect.signature(thing).parameters)


@pytest.mark.parametrize("thing", public(inspect.isclass), ids=lambda thing: thing.__name__)
def test_methods_document_the_parameters_they_have(thing: Any) -> None:
    wrong = {}
    for name, method in inspect.getmembers(thing, inspect.isfunction):
        if name.startswith("_") or not method.__module__.startswith("askl."):
            continue
        parameters = documented(method)
        expected = [key for key in inspect.signature(method).parameters if key != "self"]
        if parameters and parameters != expected:
            wrong[name] = (parameters, expected)
    assert not wrong
