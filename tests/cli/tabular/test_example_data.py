"""Data sets to try things on."""

from __future__ import annotations

import pytest

from askl.cli.tabular.example_data import EMBEDDED, load_embedded, load_frame, same_rows
from askl.errors import AsklError


@pytest.mark.parametrize("name", EMBEDDED)
def test_every_embedded_data_set_has_its_target_last(name):
    frame = load_frame(name)
    assert list(frame.columns)[-1] == "target"
    assert len(frame) == len(load_embedded(name)().target)


def test_unknown_names_are_refused():
    with pytest.raises(AsklError, match=r"no data set 'mnist'\. Choose one of digits"):
        load_frame("mnist")
    with pytest.raises(AsklError, match="named by its number"):
        load_frame("openml:iris")


def test_tables_are_compared_by_value():
    frame = load_frame("iris")
    other = frame.copy()
    assert same_rows(frame, other.astype({"target": str}))
    other.loc[7, "target"] += 1
    assert not same_rows(frame, other)
    assert not same_rows(frame, frame.iloc[:-1])
