"""``askl report``, ``inspect``, ``export`` and ``datasets``."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest

import askl


@pytest.mark.parametrize("which", ["flowers", "houses"])
def test_a_report_is_a_page(run, request, tmp_path, which):
    data, model = request.getfixturevalue(which)
    page = tmp_path / "report.html"
    result = run("report", model, data, "-o", page, "--title", "As it is")
    assert result.exit_code == 0, result.stderr
    assert "<h1>As it is</h1>" in page.read_text(encoding="utf-8")
    assert f"Report: {page}" in result.stdout
    assert list(tmp_path.iterdir()) == [page]


def test_a_report_of_an_empty_table_is_an_error(fails, flowers, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n")
    assert "no row" in fails("report", flowers[1], path, "-o", tmp_path / "r.html")


def test_a_report_without_matplotlib_says_what_to_install(fails, flowers, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = fails("report", *reversed(flowers), "-o", tmp_path / "r.html")
    assert "askl[plots]" in message
    assert list(tmp_path.iterdir()) == []


def test_inspect_reads_the_header_only(run, fails, flowers, tmp_path):
    header = json.loads(run("inspect", flowers[1], "--json").stdout)
    assert header["kind"] == "SpectralKernelClassifier"
    assert header["features"]["names"] == ["a", "b"]
    cut = tmp_path / "cut.askl"
    cut.write_bytes(flowers[1].read_bytes()[:-100])
    result = run("inspect", cut)
    assert result.exit_code == 0
    assert "blue, green, red" in result.stdout
    assert "damaged" in fails("evaluate", cut, flowers[0])
    assert "not a model file" in fails("inspect", flowers[0])
    assert "folder" in fails("inspect", tmp_path)


def test_an_exported_model_predicts_the_same(run, flowers, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    path = tmp_path / "model.onnx"
    result = run("export", flowers[1], path)
    assert result.exit_code == 0, result.stderr
    assert list(tmp_path.iterdir()) == [path]
    session = onnxruntime.InferenceSession(path)
    X = pd.read_csv(flowers[0])[["a", "b"]]
    outputs = session.run(None, {session.get_inputs()[0].name: X.to_numpy(np.float64)})
    np.testing.assert_allclose(outputs[1], askl.load(flowers[1]).predict_proba(X), atol=1e-4)


def test_datasets_are_listed_fetched_and_verified(run, fails, tmp_path):
    assert json.loads(run("datasets", "list", "--json").stdout)["iris"]["rows"] == 150
    for suffix in (".csv", ".parquet"):
        path = tmp_path / f"wine{suffix}"
        assert run("datasets", "fetch", "wine", "-o", path).exit_code == 0
        assert "holds wine, 178 rows" in run("datasets", "verify", "wine", path).stdout
        assert "columns of iris" in fails("datasets", "verify", "iris", path)
    text = (tmp_path / "wine.csv").read_text()
    (tmp_path / "wine.csv").write_text(text.replace("14.23", "14.24", 1))
    assert "differs from wine" in fails("datasets", "verify", "wine", tmp_path / "wine.csv")
    (tmp_path / "wine.csv").write_text("\n".join(text.splitlines()[:-1]))
    assert "wine" in fails("datasets", "verify", "wine", tmp_path / "wine.csv")


def test_data_sets_that_cannot_be_had(fails, tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    assert "Choose one of digits" in fails("datasets", "fetch", "nowhere", "-o", path)
    assert "by its number" in fails("datasets", "fetch", "openml:iris", "-o", path)

    def offline(**_):
        raise OSError("Network is unreachable")

    monkeypatch.setattr("askl.cli.commands.datasets.embedded.fetch_openml", offline)
    message = fails("datasets", "fetch", "openml:61", "-o", path)
    assert "Network is unreachable" in message
    assert "Check the number and the network" in message


def test_openml_tables_get_their_target_as_a_column(run, tmp_path, monkeypatch):
    class Bunch:
        data = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["u", "v"])})
        target = pd.Series(["x", "y"])

    monkeypatch.setattr("askl.cli.commands.datasets.embedded.fetch_openml", lambda **_: Bunch)
    path = tmp_path / "t.csv"
    assert run("datasets", "fetch", "openml:61", "-o", path).exit_code == 0
    assert path.read_text() == 'a,b,target\n1,"u","x"\n2,"v","y"\n'
    assert run("datasets", "verify", "openml:61", path).exit_code == 0


@pytest.mark.parametrize(
    "command",
    [
        "fit",
        "predict",
        "evaluate",
        "compare",
        "tune",
        "report",
        "inspect",
        "export",
        "datasets fetch",
    ],
)
def test_every_command_has_examples_in_its_help(run, command):
    result = run(*command.split(), "--help")
    assert result.exit_code == 0
    assert "Examples:" in result.stdout
    assert f"askl {command}" in result.stdout


def test_what_nobody_foresaw_is_no_traceback(fails, flowers, monkeypatch):
    def broken(path):
        raise RuntimeError("the first line\nthe second line")

    monkeypatch.setattr("askl.cli.commands.describe.read_header", broken)
    message = fails("inspect", flowers[1])
    assert message == "Error: RuntimeError: the first line. Set ASKL_DEBUG=1 to see where."
