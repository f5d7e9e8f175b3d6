"""The command line: ``python -m benchmarks.peers run | compact | table | figures | page``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.commands import Commands, add_shard, make_parser, run_command
from benchmarks.peers.jobs import DATASETS, plan
from benchmarks.peers.models import PEERS
from benchmarks.peers.records import STUDIES, open_store, read_records
from benchmarks.peers.run import Limits, run_all
from benchmarks.peers.tables import FORMATS
from studies.shards import take_shard
from studies.store import Store


def _store(options: argparse.Namespace, study: str | None = None) -> Store:
    return open_store(study or options.study, options.results)


def run(options: argparse.Namespace) -> None:
    jobs = plan(options.dataset or DATASETS, options.model or PEERS, options.splits)
    mine = take_shard(jobs, options.shard)
    limits = Limits(options.time_limit, options.threads, options.memory_limit)
    n_run = run_all(mine, limits, _store(options), retry=options.retry)
    print(f"{n_run} of {len(mine)} fits run, the others were before.", file=sys.stderr)


def compact(options: argparse.Namespace) -> None:
    store = _store(options)
    print(f"{store.compact()} records moved to {store.table}.")


def table(options: argparse.Namespace) -> None:
    print(FORMATS[options.format](read_records(_store(options))), end="")


def figures(options: argparse.Namespace) -> None:
    from benchmarks.peers.figures import draw_figures

    for path in draw_figures(read_records(_store(options)), options.results / options.study):
        print(path)


def page(options: argparse.Namespace) -> None:
    from benchmarks.peers.page import PAGE, write_page

    path = options.output or PAGE
    text = write_page(*(read_records(_store(options, study)) for study in STUDIES))
    path.write_text(text, encoding="utf-8")
    print(path)


COMMANDS: Commands = {
    run: "fit what has no record yet",
    compact: "move the new records to the table that is committed",
    table: "print scores and ranks",
    figures: "draw ranks, and scores against time",
    page: "write docs/accuracy.md",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command."""
    parser, parsers = make_parser("benchmarks.peers", __doc__, COMMANDS)
    for sub in parsers.values():
        sub.add_argument("--study", choices=STUDIES, default="peers", help="(%(default)s)")
    _add_run_options(parsers["run"])
    parsers["table"].add_argument("--format", choices=tuple(FORMATS), default="markdown")
    parsers["page"].add_argument("--output", type=Path, help="the page (docs/accuracy.md)")
    run_command(parser, arguments)


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    repeat: dict[str, Any] = {"action": "append", "metavar": "NAME"}
    parser.add_argument("--dataset", choices=DATASETS, help="may be repeated (all)", **repeat)
    parser.add_argument("--model", choices=PEERS, help="may be repeated (all)", **repeat)
    parser.add_argument("--splits", type=int, default=5, help="number of splits (%(default)s)")
    parser.add_argument(
        "--time-limit", type=float, default=600.0, help="seconds of each process (%(default)s)"
    )
    parser.add_argument(
        "--memory-limit", type=float, help="gigabytes each process may allocate (no limit)"
    )
    parser.add_argument("--threads", type=int, default=1, help="of each fit (%(default)s)")
    parser.add_argument(
        "--retry", action="store_true", help="repeat what failed or ran out of time"
    )
    add_shard(parser)
