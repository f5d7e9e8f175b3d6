"""Declared constraints on estimator parameters, checked in ``fit``."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np


class Constraint(NamedTuple):
    """A test of one value, and a description of the values that pass it."""

    accepts: Callable[[Any], bool]
    describe: Callable[[], str]

    @property
    def description(self) -> str:
        """What passes, from the tables as they are now."""
        return self.describe()

    def __or__(self, other: Constraint) -> Constraint:
        """Accept what either accepts."""
        return Constraint(
            lambda value: self.accepts(value) or other.accepts(value),
            lambda: f"{self.description} or {other.description}",
        )


def integer(low: int) -> Constraint:
    """Accept integers of at least ``low``."""
    return Constraint(
        lambda value: _is_number(value, Integral) and value >= low,
        lambda: f"an integer of at least {low}",
    )


def real(low: float, high: float = math.inf, *, above: bool = False) -> Constraint:
    """Accept finite numbers of at least ``low``, or ``above`` it, and below ``high``."""
    bound = "above" if above else "of at least"
    upper = "" if math.isinf(high) else f" and below {high:g}"
    return Constraint(
        lambda value: (
            _is_number(value, Real)
            and math.isfinite(value)
            and (low < value if above else low <= value)
            and (value < high or math.isinf(high))
        ),
        lambda: f"a number {bound} {low:g}{upper}",
    )


def share() -> Constraint:
    """Accept numbers above 0 and at most 1."""
    return Constraint(
        lambda value: _is_number(value, Real) and 0.0 < value <= 1.0,
        lambda: "a number above 0 and at most 1",
    )


def one_of(names: Collection[str]) -> Constraint:
    """Accept names in a collection; in that of a table also names that are added later."""
    return Constraint(
        lambda value: isinstance(value, str) and value in names, lambda: f"one of {sorted(names)}"
    )


def instance(kind: type | tuple[type, ...], description: str) -> Constraint:
    """Accept instances of a type."""
    return Constraint(lambda value: isinstance(value, kind), lambda: description)


NONE = Constraint(lambda value: value is None, lambda: "None")
AUTO = Constraint(lambda value: isinstance(value, str) and value == "auto", lambda: "'auto'")
BOOLEAN = instance(bool, "a boolean")
CALLABLE = Constraint(callable, lambda: "a callable")
RANDOM_STATE = (
    instance((int, np.integer, np.random.RandomState), "an integer, a RandomState") | NONE
)
INTEGERS = Constraint(
    lambda value: (
        isinstance(value, (tuple, list))
        and all(_is_number(width, Integral) and width >= 1 for width in value)
    ),
    lambda: "a tuple of positive integers",
)
ORDERS = Constraint(
    lambda value: (
        isinstance(value, (tuple, list))
        and all(
            isinstance(order, (tuple, list)) and all(_is_number(taken, Integral) for taken in order)
            for order in value
        )
    ),
    lambda: "a tuple of orders of the columns, each a tuple of their numbers",
)


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def check_parameters(owner: object, constraints: Mapping[str, Constraint]) -> None:
    """Raise a ValueError that names the first parameter outside its constraint."""
    for name, constraint in constraints.items():
        value = getattr(owner, name)
        if not constraint.accepts(value):
            raise ValueError(
                f"The {name!r} parameter of {type(owner).__name__} must be "
                f"{constraint.description}. Got {value!r} instead."
            )
