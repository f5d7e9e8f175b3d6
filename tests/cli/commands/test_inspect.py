"""``askl inspect``: the header of a model file, as a table and as JSON."""

from __future__ import annotations

import json


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


def test_long_values_are_shortened_for_people_and_whole_in_json(run, tmp_path):
    names = ",".join(f"column{number}" for number in range(60))
    rows = "".join(",".join(str(n * c % 7) for c in range(60)) + f",{n % 2}\n" for n in range(40))
    (tmp_path / "t.csv").write_text(f"{names},y\n{rows}")
    model = tmp_path / "m.askl"
    options = ("--method", "sk", "--set", "n_components=5")
    assert run("fit", tmp_path / "t.csv", "-t", "y", "-o", model, *options).exit_code == 0
    shown = run("inspect", model).stdout
    assert "column59" not in shown
    assert "parameters.n_components" in shown
    header = json.loads(run("inspect", model, "--json").stdout)
    assert header["features"]["names"][-1] == "column59"
    assert header["extra"]["target"] == "y"
