"""``askl evaluate``: the scores of a model on a table, and labels that it has not seen."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import askl


def test_evaluate_scores_the_model_on_the_target_of_its_fit(run, flowers, houses):
    data, model = flowers
    record = json.loads(run("evaluate", model, data, "--json").stdout)
    frame = pd.read_csv(data)
    fitted = askl.load(model)
    assert record["n_rows"] == 120
    assert record["scores"]["accuracy"] == pytest.approx(
        fitted.score(frame[["a", "b"]], frame["y"])
    )
    result = run("evaluate", *reversed(houses))
    assert result.exit_code == 0, result.stderr
    for name in ("RMSE", "MAE", "R2", "coverage 90"):
        assert name in result.stdout


def test_unseen_labels_count_as_misses_and_gaps_do_not_count(run, flowers, tmp_path):
    data, model = flowers
    frame = pd.read_csv(data)
    frame.loc[:9, "y"] = "purple"
    frame.loc[10:14, "y"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run("evaluate", model, tmp_path / "t.csv", "--json")
    assert result.exit_code == 0, result.stderr
    assert "10 rows have labels that the model has not seen ('purple')" in result.stderr
    assert "5 rows without a target" in result.stderr
    record = json.loads(result.stdout)
    assert record["n_rows"] == 115
    assert record["scores"]["accuracy"] <= 105 / 115


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("a,b,y\n1,2,pink\n", (), "none of the labels"),
        ("a,b,y\n1,2,\n", (), "no row with a target"),
        ("a,b,y\n", (), "no row with a target"),
        ("a,b\n1,2\n", (), "no column 'y'"),
        ("a,b,y\n1,2,red\n", ("-t", "yy"), "no column 'yy'"),
        ("a,b,y\n1,2,2020-01-01\n", (), "none of the labels"),
    ],
)
def test_tables_that_cannot_be_scored(fails, flowers, tmp_path, text, options, words):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert words in fails("evaluate", flowers[1], path, *options)


@pytest.mark.parametrize("labels", [[True, False], [3, 7], [0.5, 1.5]])
def test_labels_of_every_type_find_themselves(run, tmp_path, labels):
    rng = np.random.default_rng(0)
    position = np.arange(60) % 2
    frame = pd.DataFrame(
        {"a": position + 0.1 * rng.normal(size=60), "y": np.array(labels)[position]}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = tmp_path / "m"
    options = ("--method", "askl", "--set", "n_components=20", "--task", "classification")
    fit = run("fit", tmp_path / "t.csv", "-t", "y", "-o", model, *options)
    assert fit.exit_code in (0, 1)
    if fit.exit_code == 0:
        record = json.loads(run("evaluate", model, tmp_path / "t.csv", "--json").stdout)
        assert record["scores"]["accuracy"] > 0.9
    else:
        assert "Unknown label type" in fit.stderr
        assert labels == [0.5, 1.5]


def test_arrays_bring_their_own_target(run, fails, tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2))
    np.savez(tmp_path / "t.npz", X=X, y=X @ [1.0, 2.0])
    np.savez(tmp_path / "bare.npz", X=X)
    model = tmp_path / "m"
    run("fit", tmp_path / "t.npz", "-o", model, "--method", "sk", "--set", "n_components=20")
    record = json.loads(run("evaluate", model, tmp_path / "t.npz", "--json").stdout)
    assert record["scores"]["R2"] > 0.5
    assert "no array y" in fails("evaluate", model, tmp_path / "bare.npz")
