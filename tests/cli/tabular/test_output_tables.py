"""Output tables: complete under their name, or not there."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from askl.cli.tabular.output_tables import WRITERS, open_output
from askl.errors import AsklError

READERS = {
    ".csv": pd.read_csv,
    ".parquet": pd.read_parquet,
    ".arrow": pd.read_feather,
    ".feather": pd.read_feather,
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_blocks_are_joined(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    with open_output(path) as write:
        write({"x": np.array([1.5, 2.5]), 'a, "b"': np.array(["u", 'v, "w"'])})
        write({"x": np.array([3.5]), 'a, "b"': np.array(["ü"])})
        assert not path.exists()
    found = READERS[suffix](path)
    assert found["x"].tolist() == [1.5, 2.5, 3.5]
    assert found['a, "b"'].tolist() == ["u", 'v, "w"', "ü"]


def test_a_failure_leaves_no_file(tmp_path):
    with suppress(RuntimeError), open_output(tmp_path / "t.csv") as write:
        write({"x": np.zeros(2)})
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_other_suffixes_are_refused():
    with (
        pytest.raises(AsklError, match=r"should end in one of \.csv, \.parquet"),
        open_output(Path("t.xlsx")),
    ):
        pass


def test_standard_output_is_csv(capfdbinary):
    with open_output(Path("-"), quotes=False) as write:
        write({"x": np.array([1, 2])})
    assert capfdbinary.readouterr().out == b"x\n1\n2\n"
