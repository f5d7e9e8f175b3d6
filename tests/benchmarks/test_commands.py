"""Command lines of the studies: every command has its function and the common options."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks.commands import add_shard, make_parser, run_command
from benchmarks.report import RESULTS


def test_a_command_is_the_function_of_its_name(tmp_path: Path) -> None:
    calls: list[argparse.Namespace] = []

    def show(options: argparse.Namespace) -> None:
        calls.append(options)

    parser, parsers = make_parser("benchmarks.study", "A study.", {show: "show it"})
    add_shard(parsers["show"])
    run_command(parser, ["show"])
    run_command(parser, ["show", "--results", str(tmp_path), "--shard", "1/2"])
    assert [options.results for options in calls] == [RESULTS, tmp_path]
    assert [options.shard for options in calls] == ["0/1", "1/2"]


def test_only_mistakes_of_the_user_are_sentences() -> None:
    def mistake(options: argparse.Namespace) -> None:
        raise ValueError("The 'shard' parameter is wrong.")

    def error(options: argparse.Namespace) -> None:
        raise RuntimeError("A bug.")

    parser, _ = make_parser("benchmarks.study", None, {mistake: "", error: ""})
    with pytest.raises(SystemExit, match=r"Error: The 'shard' parameter is wrong\."):
        run_command(parser, ["mistake"])
    with pytest.raises(RuntimeError, match="A bug"):
        run_command(parser, ["error"])
