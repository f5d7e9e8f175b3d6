"""The table of versions, machine and memory with which a report was made."""

from __future__ import annotations

import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version

from askl.insight.report.page import Table

PACKAGES = ("askl", "torch", "numpy", "scipy", "scikit-learn", "matplotlib")


def environment_table() -> Table:
    """List the versions of the libraries, the machine, and the most memory the process had."""
    rows = [["Python", platform.python_version()]]
    for package in PACKAGES:
        try:
            rows.append([package, version(package)])
        except PackageNotFoundError:
            rows.append([package, "not installed"])
    rows.append(["system", f"{platform.system()} {platform.machine()}"])
    rows.append(["most memory held by the process", _peak_memory()])
    rows.append(["written", time.strftime("%Y-%m-%d %H:%M %Z")])
    return Table(["", ""], rows)


def _peak_memory() -> str:
    if sys.platform == "win32":
        return "not measured"
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in kilobytes, macOS in bytes.
    megabytes = peak / (2**20 if sys.platform == "darwin" else 2**10)
    return f"{megabytes:,.0f} MB"
