"""``askl datasets``: tables listed, fetched and verified."""

from __future__ import annotations

import json

import pandas as pd


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

    monkeypatch.setattr("askl.cli.tabular.example_data.datasets.fetch_openml", offline)
    message = fails("datasets", "fetch", "openml:61", "-o", path)
    assert "Network is unreachable" in message
    assert "Check the number and the network" in message


def test_openml_tables_get_their_target_as_a_column(run, tmp_path, monkeypatch):
    class Bunch:
        data = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["u", "v"])})
        target = pd.Series(["x", "y"])

    monkeypatch.setattr("askl.cli.tabular.example_data.datasets.fetch_openml", lambda **_: Bunch)
    path = tmp_path / "t.csv"
    assert run("datasets", "fetch", "openml:61", "-o", path).exit_code == 0
    assert path.read_text() == 'a,b,target\n1,"u","x"\n2,"v","y"\n'
    assert run("datasets", "verify", "openml:61", path).exit_code == 0
