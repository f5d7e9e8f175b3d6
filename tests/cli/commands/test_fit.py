"""``askl fit``: models from tables, and errors for tables that it cannot use."""

from __future__ import annotations

import json

import numpy as np
import pytest
import rich

import askl
from askl.learning import HEAD_NORMS, LOSSES, METHODS
from askl.learning.losses import NamedLoss
from askl.spectral import ACTIVATIONS, DENSITIES

SMALL = ("--method", "askl", "--set", "n_components=20", "--set", "max_epochs=2")


def test_fit_says_what_it_did_and_what_to_do_next(run, flowers, tmp_path):
    data, _ = flowers
    model = tmp_path / "model.askl"
    result = run("fit", data, "-t", "y", "-o", model, *SMALL, "--set", "early_stopping=true")
    assert result.exit_code == 0, result.stderr
    assert "Classification of 120 rows, 2 inputs, 3 classes" in result.stderr
    assert "loss" in result.stderr
    assert "Held-out accuracy" in result.stdout
    assert f"Model: {model}" in result.stdout
    assert "Next: askl predict" in result.stdout
    fitted = askl.load(model)
    assert fitted.n_components == 20
    assert fitted.classes_.tolist() == ["blue", "green", "red"]
    assert list(tmp_path.iterdir()) == [model]


def test_the_held_out_score_of_a_logarithmic_scale_is_that_of_the_target(run, tmp_path):
    rng = np.random.default_rng(0)
    size = rng.normal(size=400)
    price = np.exp(2.0 * size + rng.normal(size=400))
    rows = "".join(f"{a:.6f},{b:.6f}\n" for a, b in zip(size, price, strict=True))
    (tmp_path / "t.csv").write_text("size,price\n" + rows)
    model, log = tmp_path / "m.askl", ("--set", "scale_targets=log", "--set", "early_stopping=true")
    options = ("--method", "askl", "--set", "n_components=50", "--set", "max_epochs=20", *log)
    result = run("fit", tmp_path / "t.csv", "-t", "price", "-o", model, *options, "--json")
    assert result.exit_code == 0, result.stderr
    shown, fitted = json.loads(result.stdout)["held_out"], askl.load(model)
    assert shown == {"R2": fitted.held_out_score_}
    of_logarithms = 1.0 + max(record.score for record in fitted.history_)
    assert of_logarithms > 0.7
    assert shown["R2"] < of_logarithms - 0.1


def test_json_is_one_object_and_quiet_is_silent(run, flowers, tmp_path):
    arguments = ("fit", flowers[0], "-t", "y", "-o", tmp_path / "m.askl", *SMALL, "-q")
    assert run(*arguments).output == ""
    result = run(*arguments, "--json")
    assert result.stderr == ""
    record = json.loads(result.stdout)
    assert record["task"] == "classification"
    assert record["n_rows"] == 120
    assert record["interrupted"] is False


def test_bars_of_later_fits_in_the_same_process_go_where_they_went(run, flowers, tmp_path):
    run("fit", flowers[0], "-t", "y", "-o", tmp_path / "m.askl", *SMALL)
    assert not rich.get_console().stderr


def test_the_same_seed_gives_the_same_file(run, flowers, tmp_path):
    contents = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        path = tmp_path / name
        result = run("fit", flowers[0], "-t", "y", "-o", path, *SMALL, "--seed", seed)
        assert result.exit_code == 0, result.stderr
        contents.append(askl.load(path).frequencies_)
    np.testing.assert_array_equal(contents[0], contents[1])
    assert not np.array_equal(contents[0], contents[2])


def test_tables_of_texts_and_gaps_get_an_encoder(houses):
    model = askl.load(houses[1])
    assert [name for name, _ in model.steps] == ["table", "model"]
    assert not {"column_kinds_", "target_name_"} & set(vars(model))


@pytest.mark.parametrize(
    ("table", "row", "options"),
    [
        (METHODS, METHODS["askl"]._replace(n_branches=3), ("--method", "own")),
        (LOSSES, NamedLoss(LOSSES["hinge"].evaluate, "classification"), ("--set", "loss=own")),
        (DENSITIES, DENSITIES["gaussian"], ("--set", "density=own")),
        (ACTIVATIONS, ACTIVATIONS["cosine"], ("--set", "activation=own")),
        (HEAD_NORMS, HEAD_NORMS["frobenius"], ("--set", "head_norm=own")),
    ],
    ids=["method", "loss", "density", "activation", "head norm"],
)
def test_a_row_added_to_a_table_can_be_chosen_at_once(
    run, flowers, tmp_path, monkeypatch, table, row, options
):
    model = tmp_path / "m.askl"
    arguments = ("fit", flowers[0], "-t", "y", "-o", model, *SMALL, *options)
    assert run(*arguments).exit_code != 0
    monkeypatch.setitem(table, "own", row)
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    assert "own" in askl.load(model).get_params().values()


def test_a_misspelt_method_is_refused_with_those_there_are(run, flowers, tmp_path):
    result = run("fit", flowers[0], "-t", "y", "-o", tmp_path / "m", "--method", "aksl")
    assert result.exit_code == 2
    words = " ".join(result.stderr.replace("│", " ").split())
    assert "'aksl' is none of auto, askl, nskl, skl, nsk, sk. Did you mean askl?" in words


def test_auto_is_the_default_and_keeps_to_its_budget(run, flowers, tmp_path):
    model = tmp_path / "m.askl"
    result = run("fit", flowers[0], "-t", "y", "-o", model, "--time-budget", "1", "--json")
    assert result.exit_code == 0, result.stderr
    record = json.loads(result.stdout)
    assert record["estimator"] == "AutoSpectralKernelClassifier"
    assert record["held_out"]
    assert run("evaluate", model, flowers[0]).exit_code == 0


def test_a_checkpoint_is_passed_on(run, flowers, tmp_path):
    kept = tmp_path / "kept.ckpt"
    kept.write_bytes(b"nothing")
    result = run("fit", flowers[0], "-t", "y", "-o", tmp_path / "m", *SMALL, "--checkpoint", kept)
    assert result.exit_code == 1
    assert "checkpoint" in result.stderr
    kept.unlink()
    result = run("fit", flowers[0], "-t", "y", "-o", tmp_path / "m", *SMALL, "--checkpoint", kept)
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("a,y\n1,2\n", (), "one row"),
        ("a,y\n1,b\n2,b\n3,b\n", (), "one class only, 'b'"),
        ("a,y\n1,0.5\n2,\n3,0.25\n", (), "missing in 1 of 3 rows, first in row 2"),
        ("a,y\n1,b\n2,\n3,c\n", (), "missing in 1 of 3 rows"),
        ("a,y\n1,b\n2,c\n", ("--task", "regression"), "not a number"),
        ("a,y\n" + "".join(f"1,name{n}\n" for n in range(300)), (), "a name rather than a label"),
        ("a,y\n1,0\n2,1\n", ("--set", "n_components=-1"), "must be an integer of at least 1"),
        ("a,y\n1,0\n2,1\ninf,1\n", (), "infinity"),
    ],
)
def test_targets_and_values_that_cannot_be_learned(fails, tmp_path, text, options, words):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert words in fails("fit", path, "-t", "y", "-o", tmp_path / "m", *SMALL, *options)
    assert list(tmp_path.iterdir()) == [path]


def test_a_target_must_be_named_and_unnamed_columns_are_left_out(run, fails, tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{n},{n % 7}.5,{n % 2}\n" for n in range(30))
    path.write_text(",a,y\n" + rows)
    assert "Name it by --target" in fails("fit", path, "-o", tmp_path / "m", *SMALL)
    result = run("fit", path, "-o", tmp_path / "m", "-t", "y", *SMALL)
    assert result.exit_code == 0, result.stderr
    assert "Left out: 1 column without a name." in result.stderr
    assert askl.load(tmp_path / "m").feature_names_in_.tolist() == ["a"]


@pytest.mark.parametrize(
    "options",
    [
        ("--method", "best"),
        ("--task", "ranking"),
        ("--set", "n_components"),
        ("--set", "n_component=3"),
        ("--method", "askl", "--time-budget", "5"),
        ("--seed", "-1"),
    ],
)
def test_misuse_exits_with_two(run, flowers, tmp_path, options):
    result = run("fit", flowers[0], "-t", "y", "-o", tmp_path / "m", *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_outputs_that_cannot_be_written_fail_before_training(fails, flowers, tmp_path):
    data = flowers[0]
    for output, words in {
        tmp_path: "not a file",
        tmp_path / "none" / "m.askl": "no folder",
        data: "would replace an input",
        "/dev/null": "not a file",
    }.items():
        assert words in fails("fit", data, "-t", "y", "-o", output)
