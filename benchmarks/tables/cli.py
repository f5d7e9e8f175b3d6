"""The command line: ``python -m benchmarks.tables run | compact | table``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.commands import Commands, add_shard, make_parser, run_command
from benchmarks.tables.data import TABLES
from benchmarks.tables.learners import LEARNERS
from benchmarks.tables.page import to_markdown
from benchmarks.tables.run import Job, open_store, run_all
from studies.shards import take_shard

DEFAULT_LEARNERS = ("askl-auto", "askl", "catboost", "lightgbm")


def run(options: argparse.Namespace) -> None:
    jobs = [
        Job(table, learner, fold, options.inner)
        for table in options.table or TABLES
        for fold in options.fold or [0]
        for learner in options.learner or DEFAULT_LEARNERS
    ]
    mine = take_shard(jobs, options.shard)
    n_run = run_all(mine, open_store(options.results), options.python, again=options.again)
    print(f"{n_run} of {len(mine)} fits run, the others were before.", file=sys.stderr)


def compact(options: argparse.Namespace) -> None:
    store = open_store(options.results)
    print(f"{store.compact()} records moved to {store.table}.")


def table(options: argparse.Namespace) -> None:
    records = open_store(options.results).read()
    print(to_markdown(records, options.fold or [0], inner=options.inner))


COMMANDS: Commands = {
    run: "fit what has no record yet",
    compact: "move the new records to the table that is committed",
    table: "print the errors of all learners",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command."""
    parser, parsers = make_parser("benchmarks.tables", __doc__, COMMANDS)
    for sub in (parsers["run"], parsers["table"]):
        sub.add_argument("--fold", action="append", type=int, help="may be repeated (0)")
        sub.add_argument(
            "--inner", action="store_true", help="held-out training rows, to develop on"
        )
    _add_run_options(parsers["run"])
    run_command(parser, arguments)


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    learners: dict[str, Any] = {
        "choices": tuple(LEARNERS),
        "help": f"({', '.join(DEFAULT_LEARNERS)})",
    }
    parser.add_argument("--table", action="append", choices=tuple(TABLES), help="(all)")
    parser.add_argument("--learner", action="append", **learners)
    parser.add_argument("--again", action="store_true", help="fit again what has a record")
    parser.add_argument("--python", default=sys.executable, help="interpreter of an environment")
    add_shard(parser)
