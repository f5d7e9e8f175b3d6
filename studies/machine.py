"""What a measurement was made on, and with which version of what."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).parents[1]


def processor() -> str:
    """Return the model name of the processor; ``platform.processor`` is empty on many systems."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def memory_gb() -> float | None:
    """Return the size of the memory in units of 2**30 bytes, or None where it is not known."""
    try:
        n_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return None
    return round(n_bytes / 2**30, 1)


def load_average() -> float | None:
    """Return how many processes want to run, or None where that is not known.

    Above zero, other programs were running, and times by the clock are upper bounds.
    """
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def describe_machine(packages: Iterable[str]) -> dict[str, object]:
    """Describe processor, memory, system and versions; nothing heavy is imported."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_gb": memory_gb(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": versions(packages),
    }


@lru_cache
def commit() -> str:
    """Return the commit of this checkout, with "+" where the library's source differs from it.

    "unknown" outside a checkout.
    """
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("diff", "--quiet", "HEAD", "--", "src").returncode != 0
    except OSError:  # there is no git
        return "unknown"
    return "unknown" if head.returncode else head.stdout.strip() + "+" * changed


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", *arguments],
        cwd=ROOT,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
