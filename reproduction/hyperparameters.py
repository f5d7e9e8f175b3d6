"""Tuned hyperparameters: one file for each protocol and data set, a table for each method."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from reproduction.files import read_toml, write_text_atomically
from reproduction.folders import Folders
from reproduction.protocol import METHODS, ProtocolError, find_protocol

HEADER = "# Written by `python -m reproduction tune`. Delete a table to have it tuned again.\n"


def read_tuned(protocol: str, dataset: str, folders: Folders) -> dict[str, Any]:
    """Read the tables of all methods tuned so far, by the protocol as it is now."""
    path = folders.tuned(protocol, dataset)
    if not path.exists():
        return {}
    tables = read_toml(path)
    digest = find_protocol(protocol).digest()
    return {name: table for name, table in tables.items() if table["protocol"] == digest}


def tuned_parameters(protocol: str, dataset: str, method: str, folders: Folders) -> dict[str, Any]:
    """Return the parameters a method was tuned to, or explain how to tune them."""
    tables = read_tuned(protocol, dataset, folders)
    if method not in tables:
        raise ProtocolError(
            f"{method} on {dataset} has not been tuned by the {protocol!r} protocol as it is now. "
            f"Run `python -m reproduction tune --protocol {protocol} --dataset {dataset}` first."
        )
    parameters: dict[str, Any] = tables[method]["parameters"]
    return parameters


def write_tuned(protocol: str, dataset: str, folders: Folders, tables: Mapping[str, Any]) -> None:
    """Write the tables of a data set, methods in the paper's order."""
    text = HEADER
    for name in METHODS:
        if name in tables:
            lines = (f"{key} = {_format(value)}\n" for key, value in tables[name].items())
            text += f"\n[{name}]\n" + "".join(lines)
    write_text_atomically(folders.tuned(protocol, dataset), text)


def _format(value: Any) -> str:
    """Format a value in TOML, tables in one line; strings and numbers are the same in JSON."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_format(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value)
