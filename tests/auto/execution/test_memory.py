"""Stored trainings: they belong to one version of the library's code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import askl
from askl.auto.execution.memory import SOURCE_PACKAGES, digest_source, open_memory, remembered

PACKAGE = Path(askl.__file__).parent
PROGRAM = """
import sys
import numpy as np
from askl import AutoSpectralKernelRegressor
X = np.random.default_rng(0).normal(size=(80, 2))
small = {"n_components": 8, "max_epochs": 1}
model = AutoSpectralKernelRegressor(
    portfolio={"one": small}, time_budget=None, max_members=1, memory=sys.argv[1], random_state=0
)
print(model.fit(X, X[:, 0] * X[:, 1]).predict(X[:5]).tolist())
"""
# Code of the library that draws other frequencies.
OTHER_CODE = """

_draw_frequencies = draw_frequencies


def draw_frequencies(*arguments, **options):
    return 2.0 * _draw_frequencies(*arguments, **options)
"""


def run(source: Path, memory: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", PROGRAM, str(memory)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout


def test_a_model_of_other_code_is_not_taken_from_the_store(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(PACKAGE, source / "askl", ignore=shutil.ignore_patterns("__pycache__"))
    before = run(source, tmp_path / "memory")
    with (source / "askl" / "spectral" / "densities.py").open("a", encoding="utf-8") as file:
        file.write(OTHER_CODE)
    stored, fresh = run(source, tmp_path / "memory"), run(source, tmp_path / "other memory")
    assert fresh != before
    assert stored == fresh


def copy_of(folder: Path) -> Path:
    for package in SOURCE_PACKAGES:
        (folder / package / "inner").mkdir(parents=True)
        (folder / package / "inner" / "module.py").write_text("one = 1\n")
    return folder


@pytest.mark.parametrize("package", SOURCE_PACKAGES)
def test_the_digest_changes_with_every_file_that_trains(package, tmp_path):
    first, other = copy_of(tmp_path / "first"), copy_of(tmp_path / "other")
    assert digest_source(first) == digest_source(other)
    (other / package / "inner" / "module.py").write_text("one = 2\n")
    digest_source.cache_clear()
    changed = digest_source(other)
    assert changed != digest_source(first)
    (other / package / "inner" / "module.py").rename(other / package / "inner" / "moved.py")
    digest_source.cache_clear()
    assert digest_source(other) != changed


def test_files_that_train_nothing_do_not_count(tmp_path):
    folder = copy_of(tmp_path)
    before = digest_source(folder)
    (folder / "insight").mkdir()
    (folder / "insight" / "plot.py").write_text("")
    digest_source.cache_clear()
    assert digest_source(folder) == before


def test_the_packages_are_there():
    assert all(any((PACKAGE / package).rglob("*.py")) for package in SOURCE_PACKAGES)


def test_without_a_store_a_job_is_the_function_itself():
    function, arguments, options = remembered(divmod, None)(7, 2)
    assert function(*arguments, **options) == (3, 1)
    assert open_memory(None) is None
