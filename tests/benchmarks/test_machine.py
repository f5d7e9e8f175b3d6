"""What a program was run on."""

from __future__ import annotations

import json

from benchmarks.machine import PACKAGES, describe_machine


def test_machine_is_described_with_its_load() -> None:
    machine = json.loads(json.dumps(describe_machine()))
    assert machine["load_at_start"] is None or machine["load_at_start"] >= 0.0
    assert {"askl", "torch", "numpy", "scikit-learn"} <= machine["versions"].keys() <= {*PACKAGES}
