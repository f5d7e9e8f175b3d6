"""The columns that a model takes, found by name or by position."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from askl.cli.console import Screen
from askl.cli.models.inputs import blocks_for, choose_target, with_target
from askl.cli.models.saved_model import SavedModel, load_model
from askl.cli.tabular.tables import Block, open_table
from askl.errors import AsklError, TableError
from tests.models import classifier


@pytest.fixture
def saved(flowers) -> SavedModel:
    return load_model(Screen(quiet=True), flowers[1])


def table_of(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    return open_table(tmp_path / "t.csv")


def test_columns_come_in_the_order_of_the_fit_and_others_are_named(saved, tmp_path, capsys):
    table = table_of(tmp_path, "c,b,y,a\n0,1,red,2\n0,3,blue,4\n")
    (block,) = blocks_for(Screen(), saved, table, "y")
    assert list(block.X.columns) == ["a", "b"]
    assert block.X["a"].tolist() == [2.0, 4.0]
    assert block.y.tolist() == ["red", "blue"]
    assert "does not use: 'c'." in capsys.readouterr().err


def test_long_lists_of_ignored_columns_are_cut(saved, tmp_path, capsys):
    names = [f"c{number}" for number in range(8)]
    table = table_of(tmp_path, ",".join(["a", "b", *names]) + "\n" + "1," * 9 + "1\n")
    list(blocks_for(Screen(), saved, table))
    assert "'c4' and 3 more." in " ".join(capsys.readouterr().err.split())


def test_all_missing_columns_are_counted(saved, tmp_path):
    with pytest.raises(TableError, match=r"no column 'a'.* 1 more are missing: 'b'"):
        list(blocks_for(Screen(), saved, table_of(tmp_path, "c\n1\n")))


def test_a_model_of_arrays_takes_all_columns_but_the_target(classes, tmp_path):
    X, y = classes
    saved = SavedModel(classifier(max_epochs=1).fit(X, y), {}, None)
    table = table_of(tmp_path, "y,u,v,w\n1,2,3,4\n")
    (block,) = blocks_for(Screen(quiet=True), saved, table, "y")
    np.testing.assert_array_equal(block.X, [[2.0, 3.0, 4.0]])
    with pytest.raises(TableError, match="fitted to 3 columns without names"):
        list(blocks_for(Screen(quiet=True), saved, table))


def test_arrays_get_the_names_of_the_fit(saved, tmp_path):
    np.savez(tmp_path / "t.npz", X=np.array([[1.0, 2.0]]))
    (block,) = blocks_for(Screen(), saved, open_table(tmp_path / "t.npz"))
    assert isinstance(block.X, pd.DataFrame)
    assert list(block.X.columns) == ["a", "b"]


def test_the_target_is_the_named_one_or_that_of_the_fit(saved, tmp_path):
    table = table_of(tmp_path, "a,b,y\n1,2,red\n")
    assert choose_target(saved, table, None) == "y"
    assert choose_target(saved, table, "z") == "z"
    with pytest.raises(AsklError, match="Name it by --target"):
        choose_target(saved._replace(target=None), table, None)
    np.savez(tmp_path / "t.npz", X=np.zeros((1, 2)))
    assert choose_target(saved, open_table(tmp_path / "t.npz"), "z") is None


@pytest.mark.parametrize("kind", [pd.DataFrame, np.asarray])
def test_rows_without_a_target_are_left_out(kind, saved, tmp_path):
    table = table_of(tmp_path, "a\n1\n")
    block = with_target(Block(kind([[1.0], [2.0]]), np.array([np.nan, 5.0])), table)
    assert np.asarray(block.X).tolist() == [[2.0]]
    assert block.y.tolist() == [5.0]
    with pytest.raises(TableError, match="no array y"):
        with_target(Block(np.zeros((1, 1)), None), table)
