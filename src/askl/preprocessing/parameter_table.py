"""Parameters of estimators, declared once as the fields of a dataclass.

Each field has a default, a constraint and a documentation. From them come ``__init__``, the checks
in ``fit`` and the Parameters section of the docstring.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, TypeVar

from askl.preprocessing.parameter_validation import Constraint, check_parameters

Kind = TypeVar("Kind", bound=type)
DOCUMENTATION_WIDTH = 96
# Fitted attributes of everything that was fitted to a table.
INPUT_ATTRIBUTES = """\
n_features_in_ : int
feature_names_in_ : ndarray of shape (n_features_in_,)
    Defined when X had string column names."""


def parameter(default: Any, constraint: Constraint, text: str) -> Any:
    """Declare a parameter as the field of a dataclass.

    Parameters
    ----------
    default : object
        Of a type that cannot be changed in place.
    constraint : Constraint
        Which values are allowed.
    text : str
        What the parameter does.

    Returns
    -------
    dataclasses.Field

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from askl.preprocessing.parameter_validation import integer
    >>> @dataclass
    ... class Parameters:
    ...     width: int = parameter(10, integer(1), "How wide.")
    >>> print(document(Parameters))
    width : int of at least 1, default=10
        How wide.
    >>> check_declared(Parameters(width=0))
    Traceback (most recent call last):
    ValueError: The 'width' parameter of Parameters must be an integer of at least 1. Got 0 instead.
    """
    return field(default=default, metadata={"constraint": constraint, "text": text})


def constraints_of(kind: Any) -> dict[str, Constraint]:
    """Return the constraints of the parameters that a class declares, by name."""
    return {item.name: item.metadata["constraint"] for item in fields(kind)}


def check_declared(owner: object) -> None:
    """Raise a ValueError that names the first parameter outside its constraint."""
    check_parameters(owner, constraints_of(owner))


def document(kind: Any) -> str:
    """Write the entries of the Parameters section of a docstring."""
    entries = []
    for item in fields(kind):
        values = _in_documentation(item.metadata["constraint"].description)
        default = f'"{item.default}"' if isinstance(item.default, str) else repr(item.default)
        text = textwrap.indent(textwrap.fill(item.metadata["text"], DOCUMENTATION_WIDTH), "    ")
        entries.append(f"{item.name} : {values}, default={default}\n{text}")
    return "\n".join(entries)


def _in_documentation(description: str) -> str:
    """Rewrite "an integer or one of ['a', 'b']" as numpydoc has it: int or {"a", "b"}."""
    short = re.sub(r"one of \[(.*?)\]", r"{\1}", description).replace("'", '"')
    short = re.sub(r"(^|or |, )an? ", r"\1", short)
    for word, name in {"integer": "int", "number": "float", "boolean": "bool"}.items():
        short = re.sub(rf"\b{word}\b", name, short)
    return short


def _heading(name: str) -> str:
    return f"\n{name}\n{'-' * len(name)}\n"


def documented(attributes: str) -> Callable[[Kind], Kind]:
    """Complete the docstring of an estimator.

    Parameters
    ----------
    attributes : str
        Entries of the Attributes section that several estimators share.

    Returns
    -------
    callable
        A decorator of classes. It writes the Parameters section from the declared parameters,
        and adds the shared attributes to those that the class documents itself.
    """

    def complete(kind: Kind) -> Kind:
        text, _, examples = inspect.cleandoc(kind.__doc__ or "").partition(_heading("Examples"))
        summary, _, own = text.partition(_heading("Attributes"))
        sections = {
            "Parameters": document(kind),
            "Attributes": f"{own}{attributes}",
            "Examples": examples,
        }
        written = (f"{_heading(name)}{entries}\n" for name, entries in sections.items() if entries)
        kind.__doc__ = summary + "".join(written)
        return kind

    return complete
