"""The jobs of the study, cheap ones first."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from benchmarks.peers.models import PEERS

# What it takes to start a process and to import a library in it.
START_SECONDS = 3.0


class Size(NamedTuple):
    """The size of a data set, so that jobs can be ordered without reading it."""

    rows: int
    columns: int


DATASETS = {
    "segment": Size(2310, 19),
    "satimage": Size(6435, 36),
    "usps": Size(9298, 256),
    "pendigits": Size(10992, 16),
    "letter": Size(20000, 16),
    "poker": Size(25010, 10),
    "shuttle": Size(58000, 9),
    "mnist": Size(70000, 784),
    "abalone": Size(4177, 8),
    "space_ga": Size(3107, 6),
    "cpusmall": Size(8192, 12),
    "cadata": Size(20640, 8),
}


class Job(NamedTuple):
    """One fit: a data set, a model and the number of a split."""

    dataset: str
    model: str
    split: int


def size(dataset: str) -> float:
    """Return rows times the root of columns: the cost of most peers grows in this way."""
    rows, columns = DATASETS[dataset]
    return rows * math.sqrt(columns)


def expected_seconds(job: Job, time_limit: float) -> float:
    """Estimate how long a job takes, to order the jobs and to show the time left."""
    return min(START_SECONDS + PEERS[job.model].cost * size(job.dataset) / 1e4, time_limit)


def plan(datasets: Iterable[str], models: Iterable[str], n_splits: int) -> list[Job]:
    """List all jobs, the cheap ones first.

    The order does not depend on which jobs are done, so that shards never overlap.
    """
    jobs = {Job(*names) for names in product(datasets, models, range(n_splits))}
    return sorted(jobs, key=lambda job: (expected_seconds(job, math.inf), job))
