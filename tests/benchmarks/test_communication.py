"""What hosts that share a model send."""

from __future__ import annotations

from benchmarks.communication import sharded_bytes
from benchmarks.problems import Shape


def test_hosts_send_what_they_sum_in_a_ring() -> None:
    shape = Shape(3, 5, 2, 7)
    assert sharded_bytes(shape, 1, "components") == 0.0
    assert sharded_bytes(shape, 2, "components") == 7 * 2 * 4
    assert sharded_bytes(shape, 2, "inputs") == 7 * 5 * 2 * 4
    assert sharded_bytes(shape, 2, "rows") == 5 * (2 * 3 + 2) * 4
    assert sharded_bytes(shape, 4, "rows") == 1.5 * sharded_bytes(shape, 2, "rows")
