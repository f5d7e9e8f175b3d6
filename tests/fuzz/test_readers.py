"""The fuzzing program itself, for a moment."""

import random

from fuzz.readers import fuzz, mutate, read_everything, seeds


def test_whole_files_are_read_and_damaged_ones_refused(tmp_path):
    for suffix, content in seeds().items():
        path = tmp_path / f"table{suffix}"
        path.write_bytes(content)
        read_everything(path)
    totals = fuzz(1.0, seed=1, kept=tmp_path / "kept")
    assert totals["failures"] == {}
    assert totals["files"] > 20


def test_mutations_change_files():
    rng = random.Random(0)
    content = seeds()[".csv"]
    assert sum(mutate(content, rng) != content for _ in range(100)) > 90
