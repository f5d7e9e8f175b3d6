"""What a measurement was made on."""

from __future__ import annotations

import json
import platform
import re

from studies.machine import commit, describe_machine, versions


def test_a_machine_is_described_in_json() -> None:
    machine = json.loads(json.dumps(describe_machine(["torch", "numpy"])))
    assert machine["cores"] >= 1
    assert machine["processor"]
    assert machine["python"] == platform.python_version()
    assert list(machine["versions"]) == ["torch", "numpy"]


def test_what_is_not_installed_has_no_version() -> None:
    assert versions(["numpy", "no-such-package"]).keys() == {"numpy"}


def test_a_commit_is_named_and_marked() -> None:
    assert re.fullmatch(r"[0-9a-f]{12}\+?|unknown", commit())
