from __future__ import annotations

from dataclasses import dataclass

import pytest

from askl.preprocessing.parameter_table import (
    check_declared,
    constraints_of,
    document,
    documented,
    parameter,
)
from askl.preprocessing.parameter_validation import AUTO, BOOLEAN, NONE, integer, one_of, real


@dataclass
class Parameters:
    kind: str = parameter("b", one_of(["b", "a"]) | AUTO, "Which of them. " * 10)
    share: float | None = parameter(None, real(0.0) | NONE, "Of the whole.")
    verbose: bool = parameter(False, BOOLEAN | integer(0), "Tell more.")


def test_documentation_has_a_type_a_default_and_wrapped_text():
    lines = document(Parameters).splitlines()
    assert lines[0] == 'kind : {"a", "b"} or "auto", default="b"'
    assert "".join(lines[1:3]).split() == ("Which of them. " * 10).split()
    assert all(line.startswith("    ") and len(line) <= 100 for line in lines[1:3])
    assert lines[3:] == [
        "share : float of at least 0 or None, default=None",
        "    Of the whole.",
        "verbose : bool or int of at least 0, default=False",
        "    Tell more.",
    ]


def test_subclasses_have_the_parameters_of_their_parents_and_their_own():
    @dataclass
    class More(Parameters):
        width: int = parameter(1, integer(1), "How wide.")

    assert list(constraints_of(More)) == ["kind", "share", "verbose", "width"]
    assert list(constraints_of(Parameters)) == ["kind", "share", "verbose"]
    check_declared(More())
    with pytest.raises(ValueError, match="'share' parameter of More must be a number of at least"):
        check_declared(More(share=-1.0, width=0))


@pytest.mark.parametrize("own", ["", "Attributes\n    ----------\n    own_ : int\n\n    "])
def test_sections_are_put_in_order(own):
    def make():
        pass

    make.__doc__ = f"""Do things.

    In two paragraphs.

    {own}Examples
    --------
    >>> 1 + 1
    2
    """
    kind = documented("shared_ : float\n    Of all.")(
        dataclass(type("Kind", (Parameters,), {"__doc__": make.__doc__}))
    )
    assert kind.__doc__ == (
        "Do things.\n\nIn two paragraphs.\n\nParameters\n----------\n"
        + document(Parameters)
        + "\n\nAttributes\n----------\n"
        + ("own_ : int\n" if own else "")
        + "shared_ : float\n    Of all.\n\nExamples\n--------\n>>> 1 + 1\n2\n"
    )
