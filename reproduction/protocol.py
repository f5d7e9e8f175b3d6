"""Protocols and trials: what is run, as data read from ``protocols.toml``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from reproduction.datasets import Row, find_row
from reproduction.files import read_toml

METHODS = ("sk", "nsk", "skl", "nskl", "askl")
LEARNED = ("skl", "nskl", "askl")


class ProtocolError(Exception):
    """A protocol, or a setting it needs, does not exist."""


class Protocol(NamedTuple):
    """One protocol: a table of ``protocols.toml``, whose comments explain them."""

    name: str
    description: str
    n_splits: int
    record_every: int
    parameters: Mapping[str, Any]
    classification: Mapping[str, Any]
    regression: Mapping[str, Any]
    search: Mapping[str, Mapping[str, Any]]
    tuning: Mapping[str, Any]
    large: Mapping[str, Mapping[str, Any]] = {}

    def fixed(self, row: Row) -> dict[str, Any]:
        """Return the parameters that are not tuned."""
        task = self.classification if row.task == "classification" else self.regression
        return {**self.parameters, **task}

    def settings(self, row: Row, tuned: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters of a trial on all training rows."""
        return {**self.fixed(row), **tuned, **self.large.get(row.name, {})}

    def searched(self, method: str) -> dict[str, Mapping[str, Any]]:
        """Return the dimensions a method is tuned along."""
        return {
            name: space
            for name, space in self.search.items()
            if method in space.get("methods", METHODS)
        }

    def digest(self) -> str:
        """Compute a digest of what tuning depends on: a changed protocol is tuned again."""
        parts = [self.parameters, self.classification, self.regression, self.search, self.tuning]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


class Trial(NamedTuple):
    """One training run of the study."""

    protocol: str
    dataset: str
    method: str
    split: int

    @property
    def work(self) -> int:
        """Return the cost up to a constant: two branches double it, as do learned frequencies."""
        return find_row(self.dataset).work * method_work(self.method)


def method_work(method: str) -> int:
    """Return the cost of a method relative to SK's."""
    return (1 if method in ("sk", "skl") else 2) * (2 if method in LEARNED else 1)


@lru_cache
def protocols() -> dict[str, Protocol]:
    """Read all protocols."""
    tables = read_toml(Path(__file__).parent / "protocols.toml")
    common = tables.pop("common")
    for entry in tables.values():
        entry |= {part: merge(common[part], entry[part]) for part in common}
    return {name: Protocol(name, **entry) for name, entry in tables.items()}


def merge(common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Put the parameters of a protocol over the common ones; `none` lists those that are None."""
    merged: dict[str, Any] = {}
    for table in (common, own):
        merged |= dict.fromkeys(table.get("none", ())) | dict(table)
    merged.pop("none", None)
    return merged


def find_protocol(name: str) -> Protocol:
    """Return a protocol, or list the names there are."""
    if name not in protocols():
        raise ProtocolError(
            f"There is no protocol {name!r}. Choose from: {', '.join(protocols())}."
        )
    return protocols()[name]


def check_methods(methods: Iterable[str]) -> None:
    """Raise where a method is not one of the five."""
    for method in methods:
        if method not in METHODS:
            raise ProtocolError(
                f"There is no method {method!r}. Choose from: {', '.join(METHODS)}."
            )


def plan(
    protocol: str, datasets: Iterable[str], methods: Iterable[str], splits: Iterable[int]
) -> list[Trial]:
    """List trials, cheap data sets first, and all methods of a split before the next split.

    A run that is stopped early has then compared the methods on the same splits.
    """
    ordered = sorted(datasets, key=lambda name: find_row(name).work)
    return [
        Trial(protocol, dataset, method, number)
        for dataset in ordered
        for number in splits
        for method in methods
    ]
