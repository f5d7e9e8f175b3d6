"""What there is to fit, cheap jobs first."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from benchmarks.peers.models import PEERS

# To start a process, and to import a library in it.
START_SECONDS = 3.0


class Table(NamedTuple):
    """The size of a data set, known beforehand so that jobs can be ordered without reading it."""

    rows: int
    columns: int


DATASETS = {
    "segment": Table(2310, 19),
    "satimage": Table(6435, 36),
    "usps": Table(9298, 256),
    "pendigits": Table(10992, 16),
    "letter": Table(20000, 16),
    "poker": Table(25010, 10),
    "shuttle": Table(58000, 9),
    "mnist": Table(70000, 784),
    "abalone": Table(4177, 8),
    "space_ga": Table(3107, 6),
    "cpusmall": Table(8192, 12),
    "cadata": Table(20640, 8),
}


class Job(NamedTuple):
    """One fit: a data set, a model and the number of a split."""

    dataset: str
    model: str
    split: int


def size(dataset: str) -> float:
    """Rows times the root of columns, as which the cost of most of the peers grows."""
    table = DATASETS[dataset]
    return table.rows * math.sqrt(table.columns)


def expected_seconds(job: Job, time_limit: float) -> float:
    """Roughly how long a job takes, to order the jobs and to estimate the time left."""
    return min(START_SECONDS + PEERS[job.model].cost * size(job.dataset) / 1e4, time_limit)


def plan(datasets: Iterable[str], models: Iterable[str], n_splits: int) -> list[Job]:
    """List all jobs, the cheap first.

    The order does not depend on what is done, so that shards never overlap.
    """
    jobs = {Job(*names) for names in product(datasets, models, range(n_splits))}
    return sorted(jobs, key=lambda job: (expected_seconds(job, math.inf), job))
