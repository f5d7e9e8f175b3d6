"""``askl predict``: the model's own predictions, by column name, written in one step."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import askl
from askl.cli.commands.predict import write_predictions
from askl.cli.console import Screen
from askl.cli.models.predictions import choose_outputs
from askl.cli.models.saved_model import load_model
from askl.cli.tabular.limits import Limits
from askl.errors import TableError


def test_predictions_are_the_models_own(run, flowers, tmp_path):
    data, model = flowers
    frame = pd.read_csv(data)
    expected = askl.load(model).predict_proba(frame[["a", "b"]])
    for suffix, read in {
        ".csv": pd.read_csv,
        ".parquet": pd.read_parquet,
        ".feather": pd.read_feather,
        ".arrow": pd.read_feather,
    }.items():
        output = tmp_path / f"out{suffix}"
        result = run("predict", model, data, "-o", output, "--probabilities")
        assert result.exit_code == 0, result.stderr
        assert "does not use: 'y'" in result.stderr
        assert "120 predictions" in result.stdout
        found = read(output)
        names = ["prediction", "probability_blue", "probability_green", "probability_red"]
        assert list(found.columns) == names
        np.testing.assert_allclose(found[names[1:]], expected, rtol=1e-12)
        assert (found["prediction"] == frame["y"]).mean() > 0.8
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out.arrow",
        "out.csv",
        "out.feather",
        "out.parquet",
    ]


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_columns_are_matched_by_name_in_any_order(run, houses, tmp_path, data):
    table, model = houses
    frame = pd.read_csv(table, dtype={"city": str})
    expected = run("predict", model, table, "-o", "-", "-q").stdout
    extra = data.draw(st.lists(st.sampled_from(["z", "ä", "size2"]), unique=True))
    for name in extra:
        frame[name] = "junk"
    order = data.draw(st.permutations(list(frame.columns)))
    frame[order].to_csv(tmp_path / "t.csv", index=False)
    result = run("predict", model, tmp_path / "t.csv", "-o", "-")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == expected


def test_intervals_hold_their_predictions(run, houses, tmp_path):
    data, model = houses
    output = tmp_path / "out.csv"
    result = run("predict", model, data, "-o", output, "--intervals", "0.9", "--json")
    assert json.loads(result.stdout) == {"output": str(output), "n_rows": 150}
    found = pd.read_csv(output)
    assert (found["lower"] < found["prediction"]).all()
    assert (found["prediction"] < found["upper"]).all()


def test_labels_that_need_quotes_get_them(run, tmp_path):
    rows = "".join(f'{n},"{"a, b" if n % 2 else "c"}"\n' for n in range(40))
    data, model = tmp_path / "t.csv", tmp_path / "m"
    data.write_text("x,y\n" + rows)
    run("fit", data, "-t", "y", "-o", model, "--method", "sk", "--set", "n_components=5")
    run("predict", model, data, "-o", tmp_path / "out.csv", "--probabilities")
    found = pd.read_csv(tmp_path / "out.csv")
    assert list(found.columns) == ["prediction", "probability_a, b", "probability_c"]
    assert set(found["prediction"]) <= {"a, b", "c"}


def test_a_missing_column_is_named_with_those_like_it(fails, flowers, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,bb\n1,2\n")
    message = fails("predict", flowers[1], path, "-o", tmp_path / "out.csv")
    assert "no column 'b'" in message
    assert "'bb'" in message
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n", "no rows"),
        ("a,b\n1,2\n3\n", "Expected 2 columns"),
        ("a,b\n1,x\n", "should hold a number"),
        ("a,b\n1,\n", "NaN"),
        ("a,b,b\n1,2,3\n", "more than one column 'b'"),
    ],
)
def test_rows_that_cannot_be_predicted_leave_no_output(fails, flowers, tmp_path, text, words):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert words in fails("predict", flowers[1], path, "-o", tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_halfway_keeps_what_was_there(flowers, tmp_path):
    path, output = tmp_path / "t.csv", tmp_path / "out.csv"
    path.write_text("a,b\n" + "1,2\n" * 100 + "1,x\n")
    output.write_text("before")
    saved, limits = load_model(Screen(), flowers[1]), Limits(line_bytes=64)
    outputs = choose_outputs(saved.model, probabilities=False, intervals=None)
    with pytest.raises(TableError, match="x"):
        write_predictions(Screen(quiet=True), saved, path, output, outputs, limits=limits)
    assert output.read_text() == "before"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.csv", "t.csv"]


def test_blocks_give_what_the_whole_gives(flowers, tmp_path):
    data, model = flowers
    saved, contents = load_model(Screen(), model), []
    outputs = choose_outputs(saved.model, probabilities=False, intervals=None)
    for limits in (Limits(), Limits(block_rows=7)):
        output = tmp_path / "out.csv"
        n_rows = write_predictions(Screen(quiet=True), saved, data, output, outputs, limits=limits)
        assert n_rows == 120
        contents.append(output.read_text())
    assert contents[0] == contents[1]


def test_what_a_model_cannot_give(run, fails, flowers, houses, tmp_path):
    out = tmp_path / "out.csv"
    assert "for regression" in fails(
        "predict", flowers[1], flowers[0], "-o", out, "--intervals", 0.9
    )
    assert "for classification" in fails(
        "predict", houses[1], houses[0], "-o", out, "--probabilities"
    )
    assert "should end in" in fails("predict", flowers[1], flowers[0], "-o", tmp_path / "out.xlsx")
    assert "not a model file" in fails("predict", flowers[0], flowers[0], "-o", out)
    assert "no file" in fails("predict", tmp_path / "none", flowers[0], "-o", out)
    for options in (("--intervals", "1.5"), ("-o", "-", "--json")):
        assert run("predict", flowers[1], flowers[0], "-o", out, *options).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_models_of_arrays_take_columns_by_position(run, fails, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    np.savez(tmp_path / "t.npz", X=X, y=(X[:, 0] > 0).astype(int))
    pd.DataFrame(X, columns=["u", "v", "w"]).to_csv(tmp_path / "t.csv", index=False)
    pd.DataFrame(X[:, :2]).to_csv(tmp_path / "short.csv", index=False)
    model = tmp_path / "m.askl"
    assert run("fit", tmp_path / "t.npz", "-o", model, "--method", "sk").exit_code == 0
    by_array = run("predict", model, tmp_path / "t.npz", "-o", "-", "-q")
    by_name = run("predict", model, tmp_path / "t.csv", "-o", "-", "-q")
    assert by_array.exit_code == 0, by_array.stderr
    assert by_array.stdout == by_name.stdout
    assert "columns without names" in fails("predict", model, tmp_path / "short.csv", "-o", "-")


def test_numbers_may_come_as_other_types(run, houses, tmp_path):
    """A model fitted to a CSV file takes dictionaries, decimals, booleans and time zones."""
    table = pa.table(
        {
            "built": pa.array([0, 86400], pa.timestamp("s", tz="Europe/Rome")),
            "city": pa.array(["Rome", "Oslo"]).dictionary_encode(),
            "size": pa.array([True, None]),
        }
    )
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    result = run("predict", houses[1], tmp_path / "t.parquet", "-o", "-", "-q")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 3
