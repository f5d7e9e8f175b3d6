"""Write docs/accuracy.md from the records, with a list of what they lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.figures import RANKS, TIMES
from benchmarks.peers.jobs import DATASETS
from benchmarks.peers.models import PEERS
from benchmarks.peers.tables import (
    cost_table,
    rank_table,
    score_table,
    time_table,
    winner_lines,
)
from benchmarks.report import machine_line, markdown_table
from studies.store import Record

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
N_SPLITS = 5

HEAD = f"""# How accurate beside other learners

Every figure on this page is written by `python -m benchmarks.peers page` from the records in
`benchmarks/results/peers.jsonl`, one for each fit; `make peers` makes those that are missing, in an
environment of its own. Nothing is tuned: every learner is at its library's defaults, save for
what the list of them says.

Of each data set, random split i is the permutation of `numpy.random.default_rng(i)`: its first
80 % of the rows train, the others test; there are {N_SPLITS} splits. Accuracy is in percent; the
root mean squared error is of targets mapped to [0, 100] by the least and greatest of all rows.
Every fit runs in a process of its own, with the same number of threads for all, and is stopped at
a limit of seconds that counts the whole process.
"""


def write_page(records: Sequence[Record], cost_records: Sequence[Record] = ()) -> str:
    """Write the whole page; costs are compared by the records of one run."""
    sections = [HEAD, _missing_section(records)]
    if any(record["status"] == "done" for record in records):
        sections += [_machine_section(records), *_result_sections(records)]
    if cost_records:
        sections.append(_cost_section(cost_records))
    sections.append(_peer_section())
    return "\n\n".join(section.strip() for section in sections) + "\n"


def _result_sections(records: Sequence[Record]) -> list[str]:
    return [
        "## Scores\n\nMean ± standard deviation over splits, with the number of splits in "
        "brackets where it is less than for others; the best in bold, which says nothing of "
        "significance; a dash where there is no result.\n\n"
        + score_table(records)
        + "\n\nWho has the best mean, as shown:\n\n"
        + winner_lines(records),
        "## Ranks\n\n"
        + rank_table(records)
        + f"\n\n![Mean ranks and their critical difference](../benchmarks/results/peers/{RANKS})",
        "## Time to fit\n\nSeconds of processor and, in brackets, by the clock, which counts "
        "waiting for other programs too; means over splits, whatever machine they ran on. One may "
        "be twice as fast as another: here and in the picture, look at powers of ten.\n\n"
        + time_table(records)
        + f"\n\n![Score against time to fit](../benchmarks/results/peers/{TIMES})",
    ]


def _cost_section(records: Sequence[Record]) -> str:
    """Compare seconds of one run: those of other hours are of a faster or a slower machine."""
    machines = ", ".join(sorted({machine_line(record) for record in records}))
    ours = [record for record in records if PEERS[record["model"]].package == "askl"]
    return (
        "## The automatic model beside the two slowest peers\n\nThe records above are of many "
        "hours, on machines that were not equally fast. Seconds by the clock of one run, on the "
        "first split and with two fits at a time (`make cost` measures them anew):\n\n"
        f"{cost_table(records)}\n\n{machines} Commit of askl: {_commits(ours)}."
    )


def _missing_section(records: Sequence[Record]) -> str:
    """Count the fits of every model on every data set that are done, late or failed."""
    n_done = sum(record["status"] == "done" for record in records)
    n_all = len(PEERS) * len(DATASETS) * N_SPLITS
    text = f"## What is missing\n\n{n_done} of {n_all} fits are done."
    if n_done == n_all:
        return text
    counts = Counter((r["dataset"], r["model"], r["status"]) for r in records)
    rows = [[name, *(_count(counts, name, model) for model in PEERS)] for name in DATASETS]
    limits = sorted({record["time_limit"] for record in records if record["status"] == "timeout"})
    late = (
        f" Late are those that ran out of {' or '.join(f'{x:g}' for x in limits)} seconds; who is "
        "late on the first split is taken to be late on the others."
    )
    return (
        f"{text} Below are the splits done, out of {N_SPLITS}; what is neither done nor late nor "
        f"failed was not run.{late if limits else ''}\n\n{markdown_table(['data', *PEERS], rows)}"
    )


def _count(counts: Counter[tuple[str, str, str]], dataset: str, model: str) -> str:
    done, late, failed = (counts[dataset, model, each] for each in ("done", "timeout", "failed"))
    text = str(done)
    text += f", {late} late" if late else ""
    return text + (f", {failed} failed" if failed else "")


def _machine_section(records: Sequence[Record]) -> str:
    """Describe what the fits ran on: once for all of them that agree."""
    done = [record for record in records if record["status"] == "done"]
    lines = Counter(machine_line(record) for record in done)
    ours = [record for record in done if PEERS[record["model"]].package == "askl"]
    threads = ", ".join(str(count) for count in sorted({record["threads"] for record in done}))
    loads = [record["load_at_start"] for record in done]
    text = "\n\n".join(
        line if len(lines) == 1 else f"{count} fits: {line}" for line, count in lines.items()
    )
    text += f"\n\nThreads of each fit: {threads}." + (
        f" Commits of askl: {_commits(ours)}." if ours else ""
    )
    if None not in loads:
        text += (
            f" The load of the machine when a fit began was between {min(loads):.1f} and "
            f"{max(loads):.1f}; above 0, times by the clock are upper bounds."
        )
    return f"## Machine\n\n{text}"


def _commits(records: Sequence[Record]) -> str:
    names = {record.get("commit") or "unknown" for record in records}
    return ", ".join(f"`{name}`" for name in sorted(names))


def _peer_section() -> str:
    lines = [f"- `{name}`: {peer.settings} ({peer.package})" for name, peer in PEERS.items()]
    return (
        "## The learners\n\nThreads and seeds are set alike for all. `svm-tuned` is there lest "
        "the defaults of support vector machines make them look weak; random features are 2,000 "
        "and not the default 100 for the same reason.\n\n" + "\n".join(lines)
    )
