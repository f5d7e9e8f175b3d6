"""Small tables and models for the command line, made by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from askl.cli import app

Run = Callable[..., Any]
SMALL = ("--method", "askl", "--set", "n_components=30", "--set", "max_epochs=5")


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="session")
def run() -> Run:
    return invoke


@pytest.fixture
def fails() -> Run:
    """Run a command that must fail with 1, one error on stderr, and nothing on stdout."""

    def failing(*arguments: object) -> str:
        result = invoke(*arguments)
        assert result.exit_code == 1, (result.stdout, result.stderr)
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        lines = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
        assert len(lines) == 1, result.stderr
        assert len(lines[0]) < 700
        return lines[0]

    return failing


def fitted(folder: Path, name: str, text: str, *options: str) -> tuple[Path, Path]:
    """Write a table, fit a small model to it, and return both paths."""
    data, model = folder / f"{name}.csv", folder / f"{name}.askl"
    data.write_text(text, encoding="utf-8")
    result = invoke("fit", data, "-o", model, "-t", "y", *SMALL, *options)
    assert result.exit_code == 0, result.stderr
    return data, model


@pytest.fixture(scope="session")
def flowers(tmp_path_factory) -> tuple[Path, Path]:
    """Three named classes told by two numbers."""
    rng = np.random.default_rng(0)
    rows = ["a,b,y"]
    for position in range(120):
        center = position % 3
        a, b = rng.normal(center, 0.3, size=2)
        rows.append(f"{a:.4f},{b:.4f},{('red', 'green', 'blue')[center]}")
    return fitted(tmp_path_factory.mktemp("flowers"), "flowers", "\n".join(rows) + "\n")


@pytest.fixture(scope="session")
def houses(tmp_path_factory) -> tuple[Path, Path]:
    """A number to predict from a number, a text, a date and what is missing of them."""
    rng = np.random.default_rng(0)
    rows = ["size,city,built,y"]
    for position in range(150):
        size, city = rng.uniform(20, 200), ("Rome", "Paris, old", "")[position % 3]
        shown = "" if position % 11 == 0 else f"{size:.2f}"
        price = 2.0 * size + 50.0 * (position % 3) + rng.normal()
        rows.append(f'{shown},"{city}",{1950 + position % 70}-03-01,{price:.3f}')
    return fitted(tmp_path_factory.mktemp("houses"), "houses", "\n".join(rows) + "\n")
