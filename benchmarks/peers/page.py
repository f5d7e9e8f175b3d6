"""Write docs/accuracy.md from the records, with a list of the fits that are missing."""

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

HEAD = f"""# Accuracy compared with other learners

`python -m benchmarks.peers page` writes this page from the records in
`benchmarks/results/peers.jsonl`, one for each fit. `make peers` runs the fits that are missing, in
an environment of its own. Nothing is tuned: every learner has the defaults of its library, except
for the settings that [the list of learners](#the-learners) names. The test rows of these data sets
were seen during the development of `askl`.

Random split i of a data set is the permutation of `numpy.random.default_rng(i)`: the first 80 % of
the rows are for training, the others for testing. There are {N_SPLITS} splits. Accuracy is in
percent. The root mean squared error is that of targets mapped to [0, 100] by the minimum and the
maximum of all rows. Every fit runs in a process of its own, with the same number of threads for all
learners. The process is stopped at a time limit.
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
        "## Scores\n\nMean ± standard deviation over splits; in brackets the number of splits, if "
        "it is less than for others. The best mean is bold; this is no test of significance. A "
        "dash means that there is no result.\n\n"
        + score_table(records)
        + "\n\nThe best means, to the two decimals that are shown:\n\n"
        + winner_lines(records),
        "## Ranks\n\n"
        + rank_table(records)
        + f"\n\n![Mean ranks and their critical difference](../benchmarks/results/peers/{RANKS})",
        "## Time to fit\n\nProcessor seconds and, in brackets, wall-clock seconds, which include "
        "waiting for other programs; means over splits. The fits ran on machines of which some are "
        "up to twice as fast as others: here and in the picture, compare powers of ten only.\n\n"
        + time_table(records)
        + f"\n\n![Score against time to fit](../benchmarks/results/peers/{TIMES})",
    ]


def _cost_section(records: Sequence[Record]) -> str:
    """Compare the seconds of one run, as other runs had faster or slower machines."""
    machines = ", ".join(sorted({machine_line(record) for record in records}))
    ours = [record for record in records if PEERS[record["model"]].package == "askl"]
    return (
        "## The automatic model and the two slowest peers\n\nThe records above were made in many "
        "hours, on machines that were not equally fast. These are the wall-clock seconds of one "
        "run, on the first split, with two fits at a time (`make cost` repeats the run):\n\n"
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
        f' "Late" means more than {" or ".join(f"{x:g}" for x in limits)} seconds. A learner '
        "that is late on the first split counts as late on the others."
    )
    return (
        f"{text} The table has the number of splits that are done, out of {N_SPLITS}. The splits "
        "that are neither done nor late nor failed were not run."
        f"{late if limits else ''}\n\n{markdown_table(['data', *PEERS], rows)}"
    )


def _count(counts: Counter[tuple[str, str, str]], dataset: str, model: str) -> str:
    done, late, failed = (counts[dataset, model, each] for each in ("done", "timeout", "failed"))
    text = str(done)
    text += f", {late} late" if late else ""
    return text + (f", {failed} failed" if failed else "")


def _machine_section(records: Sequence[Record]) -> str:
    """Describe the machines, each with its number of fits."""
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
            f" The load of the machine at the start of a fit was between {min(loads):.1f} and "
            f"{max(loads):.1f}; with a load above 0, wall-clock times are upper bounds."
        )
    return f"## Machine\n\n{text}"


def _commits(records: Sequence[Record]) -> str:
    names = {record.get("commit") or "unknown" for record in records}
    return ", ".join(f"`{name}`" for name in sorted(names))


def _peer_section() -> str:
    lines = [f"- `{name}`: {peer.settings} ({peer.package})" for name, peer in PEERS.items()]
    return (
        "## The learners\n\nAll have the same number of threads and the same seeds. Support vector "
        "machines are weak with their defaults, so there is also `svm-tuned`, with one fixed "
        "setting that suits these data sets. For the same reason there are 2,000 random features "
        "instead of the default of 100.\n\n" + "\n".join(lines)
    )
