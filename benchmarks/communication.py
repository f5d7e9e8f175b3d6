"""What hosts that share one model must send in a step of training."""

from __future__ import annotations

from benchmarks.problems import Shape

N_BRANCHES = 2  # of a non-stationary kernel
FLOAT_BYTES = 4


def sharded_bytes(shape: Shape, n_hosts: int, by: str) -> float:
    """Return the bytes that each host sends in a step, in a ring's all-reduce.

    By components, the outputs are summed; by inputs, the angles of all branches are. The gradients
    of a host's own parameters need nothing more: those of the outputs, or of the angles, follow on
    every host from the sum. By rows all gradients are summed.
    """
    d, D, K, batch = shape
    numbers = {
        "components": batch * K,
        "inputs": batch * D * N_BRANCHES,
        "rows": D * (N_BRANCHES * d + K),
    }[by]
    return 2.0 * (n_hosts - 1) / n_hosts * numbers * FLOAT_BYTES
