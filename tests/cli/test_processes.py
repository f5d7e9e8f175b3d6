"""The command as a process: pipes that break, signals, missing libraries, exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import askl

ASKL = (sys.executable, "-m", "askl")
# Python ends by the signal itself where it interrupted an import; a shell shows 130 for both.
INTERRUPTED = (130, -signal.SIGINT)
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def start(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*ASKL, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        **options,
    )


def test_a_broken_pipe_ends_in_silence(flowers, tmp_path):
    data = tmp_path / "many.csv"
    header, *rows = flowers[0].read_text().splitlines(keepends=True)
    data.write_text(header + "".join(rows) * 2000)
    with start("predict", flowers[1], data, "-o", "-", "-q") as process:
        assert process.stdout.readline() == b"prediction\n"
        process.stdout.close()
        assert process.wait(60) == 1
        assert process.stderr.read() == b""


def interrupt_once(sign: Path, process: subprocess.Popen[bytes]) -> bytes:
    """Send SIGINT once a sign of work is there; return all of stderr."""
    deadline = time.monotonic() + 120.0
    while not sign.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert b"Traceback" not in said
    return said


def test_interrupting_a_training_keeps_the_model_so_far(flowers, tmp_path):
    model, kept = tmp_path / "m.askl", tmp_path / "kept"
    options = ("--method", "askl", "--set", "max_epochs=1000000", "--set", "checkpoint_every=1")
    process = start("fit", flowers[0], "-t", "y", "-o", model, *options, "--checkpoint", kept)
    assert b"interrupted" in interrupt_once(kept, process)
    assert process.returncode in INTERRUPTED
    assert model.exists()
    assert kept.exists()


def test_interrupting_a_search_ends_it_and_writes_nothing(flowers, tmp_path):
    model, kept = tmp_path / "m.askl", tmp_path / "kept"
    options = ("--time-budget", "500", "--set", "max_members=1000", "--checkpoint", kept)
    process = start("fit", flowers[0], "-t", "y", "-o", model, *options)
    interrupt_once(kept, process)
    assert process.returncode in INTERRUPTED
    assert list(tmp_path.iterdir()) == [kept]


def test_a_killed_prediction_leaves_no_output_under_its_name(flowers, tmp_path):
    data, output = tmp_path / "many.csv", tmp_path / "out.csv"
    header, *rows = flowers[0].read_text().splitlines(keepends=True)
    data.write_text(header + "".join(rows) * 20000)
    process = start("predict", flowers[1], data, "-o", output)
    deadline = time.monotonic() + 60.0
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    assert not output.exists()


WITHOUT = """
import sys
from importlib.machinery import PathFinder
class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        hidden = name.split(".")[0] in {"pyarrow", "optuna", "pandas", "polars", "onnx"}
        return None if hidden else PathFinder.find_spec(name, path, target)
sys.meta_path = [Without if finder is PathFinder else finder for finder in sys.meta_path]
from askl.cli import main
main()
"""


def test_without_the_extras_the_rest_works(tmp_path):
    """A command that needs a library names what to install; the others work."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", WITHOUT, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)

    compared = run("compare", "iris", "--splits", 1, "--components", 5, "--jobs", 1)
    assert compared.returncode == 0, compared.stderr
    (tmp_path / "t.csv").write_text("a,y\n1,2\n")
    fitted = run("fit", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "m.askl")
    assert fitted.returncode == 1
    assert fitted.stderr == (
        "Error: This needs pyarrow, which is not installed. "
        "Install it with: pip install 'askl[arrow]'\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code"), [(("--help",), 0), (("inspect", "nothing.askl"), 1), (("nonsense",), 2)]
)
def test_exit_codes(tmp_path: Path, arguments, code):
    process = start(*arguments, cwd=tmp_path)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert b"Traceback" not in said


def share(n_processes: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command in several processes that torchrun starts."""
    together = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={n_processes}"]
    environment = {**ENVIRONMENT, "GLOO_SOCKET_IFNAME": "lo"}
    command = [sys.executable, *together, "-m", "askl", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)


def test_processes_that_torchrun_starts_share_a_fit(flowers, tmp_path, run):
    arguments = ("fit", flowers[0], "-t", "y", "--method", "askl", "--set", "n_components=30")
    together = share(2, *arguments, "-o", tmp_path / "together.askl")
    assert together.returncode == 0, together.stderr
    assert together.stdout.count("Fitted SpectralKernelClassifier") == 1
    assert run(*arguments, "-o", tmp_path / "alone.askl").exit_code == 0
    one, other = (askl.load(tmp_path / f"{name}.askl") for name in ("together", "alone"))
    assert not one.distributed
    np.testing.assert_allclose(one.frequencies_, other.frequencies_, rtol=1e-3, atol=1e-5)


def test_torchrun_needs_one_fit_to_share(flowers, tmp_path, run, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    result = run("fit", flowers[0], "-t", "y", "-o", tmp_path / "m.askl")
    assert result.exit_code == 2
    assert "--method askl" in result.stderr
