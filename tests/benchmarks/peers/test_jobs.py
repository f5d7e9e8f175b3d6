"""Jobs: all pairs, the cheap ones first."""

from __future__ import annotations

import math

from benchmarks.peers.jobs import DATASETS, Job, plan, size
from benchmarks.peers.models import PEERS


def test_jobs_are_all_pairs_with_the_cheap_first() -> None:
    jobs = plan(DATASETS, PEERS, 5)
    assert len(jobs) == len(set(jobs)) == 12 * 13 * 5
    assert jobs[0].model == "rff"
    assert jobs[-1] == Job("mnist", "realmlp", 4)
    assert size("segment") == 2310 * math.sqrt(19)
