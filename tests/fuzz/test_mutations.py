from __future__ import annotations

import resource
import time
import tracemalloc
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest
from sklearn.exceptions import InconsistentVersionWarning

import askl
from askl.errors import ModelFileError
from askl.persistence import read_header
from fuzz.mutations import mutations, seal, sealed
from tests.models import regressor


class Totals(NamedTuple):
    """What became of mutated files, and the most memory that Python took to load one."""

    refused: int
    loaded: int
    peak: int


def survive(path: Path, content: bytes, *, count: int, seed: int) -> Totals:
    """Load mutated files: each is refused as a ModelFileError, or is a model."""
    refused = loaded = peak = 0
    for mutation in mutations(content, count=count, seed=seed):
        path.write_bytes(mutation.content)
        tracemalloc.start()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InconsistentVersionWarning)
                model = askl.load(path)
        except ModelFileError:
            refused += 1
        else:
            assert mutation.sealed, f"{mutation.name} went unnoticed"
            assert hasattr(model, "get_params")
            loaded += 1
        peak = max(peak, tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return Totals(refused, loaded, peak)


def test_mutated_files_are_refused_or_are_models(path, content):
    totals = survive(path, content, count=300, seed=0)
    assert totals.refused + totals.loaded == 300
    assert totals.refused > 200


@pytest.mark.slow
def test_ten_thousand_mutated_files_need_little_memory(path, numbers, capsys):
    X, y = numbers
    model = regressor(n_components=300, max_epochs=2, scale_inputs="robust+quantile").fit(X, y)
    content = askl.save(model, path).read_bytes()
    started, resident = time.perf_counter(), peak_resident()
    totals = survive(path, content, count=10_000, seed=1)
    seconds, grown = time.perf_counter() - started, peak_resident() - resident
    with capsys.disabled():
        print(f"\n{totals}, file of {len(content)} bytes, {seconds:.0f} s, {grown} bytes resident")
    assert totals.refused + totals.loaded == 10_000
    assert totals.peak < 2 * len(content)  # torch has another size of the file
    assert grown < 2**26  # all of it: the mutations' own memory, torch's and the allocator's
    assert seconds < 1800.0


def peak_resident() -> int:
    """The most memory this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_a_forged_file_has_the_right_checksum(path, content):
    assert seal(content) == content
    path.write_bytes(sealed(content, lambda header: {**header, "kind": "Other"}))
    assert askl.load(path).n_features_in_ == 3
    assert read_header(path)["kind"] == "Other"


def test_mutations_of_a_seed_are_the_same_and_all_differ_from_the_file(content):
    first, second = (list(mutations(content, count=22, seed=3)) for _ in range(2))
    assert first == second
    assert all(mutation.content != content for mutation in first)
    assert {mutation.sealed for mutation in first} == {True, False}
