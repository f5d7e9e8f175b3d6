"""What a program was run on."""

from __future__ import annotations

from collections.abc import Iterable

from studies import machine

PACKAGES = ("askl", "torch", "numpy", "scipy", "scikit-learn", "lightgbm")


def describe_machine(packages: Iterable[str] = PACKAGES) -> dict[str, object]:
    """Describe processor, memory, system, versions, and the load when the program began."""
    return {**machine.describe_machine(packages), "load_at_start": machine.load_average()}
