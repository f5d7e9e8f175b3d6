"""Every public name is in the reference, and docstrings agree with the signatures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from doctest import SKIP, DocTestParser
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc
from torch.autograd import Function

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
MODULES = {
    "askl": "askl",
    "askl.spectral": "spectral",
    "askl.learning": "learning",
    "askl.theory": "theory",
    "askl.insight": "insight",
    "askl.insight.plots": "insight",
    "askl.interop": "interop",
    "askl.evaluation": "evaluation",
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


def docstring(thing: Any) -> ClassDoc | FunctionDoc:
    if inspect.isclass(thing):
        return ClassDoc(thing, config={"show_class_members": False})
    return FunctionDoc(thing)


def names(doc: ClassDoc | FunctionDoc, section: str) -> list[str]:
    return [name.strip().lstrip("*") for entry in doc[section] for name in entry.name.split(",")]


def documented(thing: Any) -> list[str]:
    """Parameters of a docstring; of a named tuple, whose fields they are, its attributes."""
    is_tuple = inspect.isclass(thing) and issubclass(thing, tuple)
    return names(docstring(thing), "Attributes" if is_tuple else "Parameters")


def expected(thing: Any) -> list[str]:
    """Parameters of a signature; protocols have none, and functions of torch have `forward`."""
    if getattr(thing, "_is_protocol", False):
        return []
    if inspect.isclass(thing) and issubclass(thing, Function):
        return list(inspect.signature(thing.forward).parameters)[1:]
    return [name for name in inspect.signature(thing).parameters if name != "self"]


def public(kinds: Callable[[Any], bool]) -> list[Any]:
    things = {
        f"{module}.{name}": getattr(import_module(module), name)
        for module in MODULES
        for name in import_module(module).__all__
    }
    return [pytest.param(thing, id=name) for name, thing in things.items() if kinds(thing)]


def is_callable(thing: Any) -> bool:
    return inspect.isclass(thing) or inspect.isfunction(thing)


def methods(thing: type) -> dict[str, Callable[..., Any]]:
    """Public methods of a class that this package wrote."""
    return {
        name: method
        for name, method in inspect.getmembers(thing, inspect.isroutine)
        if not name.startswith("_")
        and (getattr(method, "__module__", "") or "").startswith("askl.")
    }


@pytest.mark.parametrize("thing", public(is_callable))
def test_every_public_name_has_a_docstring_of_its_own(thing: Any) -> None:
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{thing.__name__}("), "made by NamedTuple"


@pytest.mark.parametrize("thing", public(is_callable))
def test_documented_parameters_are_those_of_the_signature(thing: Any) -> None:
    assert documented(thing) == expected(thing)


def examples(text: str) -> list[str]:
    """Lines of code of the examples of a docstring, without those that are skipped."""
    found = DocTestParser().get_examples(text)
    return [example.source for example in found if not example.options.get(SKIP)]


@pytest.mark.parametrize("thing", public(is_callable))
def test_every_public_name_has_an_example_that_runs(thing: Any) -> None:
    assert examples("\n".join(docstring(thing)["Examples"]))


@pytest.mark.parametrize("module", MODULES)
def test_every_public_constant_is_used_in_an_example(module: str) -> None:
    package = import_module(module)
    things = {name: getattr(package, name) for name in package.__all__}
    documents = [package, *(thing for thing in things.values() if is_callable(thing))]
    code = "".join(line for thing in documents for line in examples(inspect.getdoc(thing) or ""))
    constants = [name for name, thing in things.items() if not is_callable(thing)]
    assert not [name for name in constants if not re.search(rf"\b{name}\b", code)]


@pytest.mark.parametrize("thing", public(inspect.isfunction))
def test_functions_document_what_they_return(thing: Any) -> None:
    assert documents_its_result(thing)


def documents_its_result(function: Callable[..., Any]) -> bool:
    doc = FunctionDoc(function)
    annotation = inspect.signature(function).return_annotation
    return annotation in ("None", "Iterator[None]") or bool(doc["Returns"] or doc["Yields"])


@pytest.mark.parametrize("thing", public(inspect.isclass))
def test_methods_document_the_parameters_they_have(thing: Any) -> None:
    found = {name: documented(method) for name, method in methods(thing).items()}
    assert found == {name: expected(method) for name, method in methods(thing).items()}


@pytest.mark.parametrize("thing", public(inspect.isclass))
def test_methods_document_what_they_return(thing: Any) -> None:
    found = methods(thing)
    assert not [name for name in found if not documents_its_result(found[name])]
