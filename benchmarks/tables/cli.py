"""The command line: ``python -m benchmarks.tables run | compact | table``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report import RESULTS
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


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    commands = parser.add_subparsers(required=True)
    for command, explanation in (
        (run, "fit what has no record yet"),
        (compact, "move the new records to the table that is committed"),
        (table, "print the errors of all learners"),
    ):
        sub = commands.add_parser(command.__name__, help=explanation)
        sub.set_defaults(command=command)
        sub.add_argument(
            "--results", type=Path, default=RESULTS, help="folder of the tables (%(default)s)"
        )
        if command is not compact:
            sub.add_argument("--fold", action="append", type=int, help="may be repeated (0)")
            sub.add_argument(
                "--inner", action="store_true", help="held-out training rows, to develop on"
            )
        if command is run:
            _add_run_options(sub)
    return parser


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--table", action="append", choices=tuple(TABLES), help="(all)")
    parser.add_argument(
        "--learner",
        action="append",
        choices=tuple(LEARNERS),
        help=f"({', '.join(DEFAULT_LEARNERS)})",
    )
    parser.add_argument("--again", action="store_true", help="fit again what has a record")
    parser.add_argument("--shard", default="0/1", help="part i/n of the fits, i from 0")
    parser.add_argument("--python", default=sys.executable, help="interpreter of an environment")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; print a mistake of the user as a sentence, without a traceback."""
    options = make_parser().parse_args(arguments)
    try:
        options.command(options)
    except (FileNotFoundError, ValueError) as error:
        sys.exit(f"Error: {error}")
