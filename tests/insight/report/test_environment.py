"""What a report was made with."""

from __future__ import annotations

import platform
import re
from importlib.metadata import version

from askl.insight.report.environment import environment_table


def test_versions_are_those_of_the_installed_libraries():
    rows = dict(environment_table().rows)
    assert rows["Python"] == platform.python_version()
    for package in ("torch", "numpy", "scikit-learn", "matplotlib"):
        assert rows[package] == version(package)


def test_the_machine_its_memory_and_the_time_are_named():
    rows = dict(environment_table().rows)
    assert platform.machine() in rows["system"]
    megabytes = int(rows["most memory held by the process"].removesuffix(" MB").replace(",", ""))
    assert 50 < megabytes < 2**20
    assert re.match(r"20\d\d-\d\d-\d\d \d\d:\d\d", rows["written"])
