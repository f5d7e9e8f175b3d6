"""Searches in several processes share a study on a PostgreSQL server, and outlive one of them."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import optuna
import pytest
from optuna.trial import TrialState

from tests.scale.conftest import Processes, output_of, wait_for

psycopg = pytest.importorskip(
    "psycopg", reason="needs a driver of PostgreSQL: pip install 'askl[postgresql]'"
)
USER = "askl"


def find_programs() -> Path:
    """Return the folder of PostgreSQL's programs, or skip the test."""
    folders = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/opt").glob("*/postgresql*/bin")]
    path = os.pathsep.join([os.environ["PATH"], *map(str, folders)])
    found = shutil.which("initdb", path=path)
    if found is None:
        pytest.skip("PostgreSQL's initdb is neither on the PATH nor in /usr/lib/postgresql")
    return Path(found).resolve().parent


def owner() -> str | None:
    """Return who the server runs as: it refuses to be root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in known), None)


@pytest.fixture
def server() -> Iterator[str]:
    """The address of an empty database on a server of its own, reached by a socket in a folder."""
    programs, user = find_programs(), owner()
    # Not pytest's folder, which only its own user may enter; and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="askl"))
    if user is not None:
        shutil.chown(folder, user)
    data, trust = folder / "data", ("-U", USER, "--auth=trust", "--no-sync")
    initdb = [str(programs / "initdb"), "-D", str(data), *trust]
    subprocess.run(initdb, user=user, cwd=folder, check=True, capture_output=True)
    options = ("-c", "listen_addresses=", "-c", "fsync=off")
    command = [str(programs / "postgres"), "-D", str(data), "-k", str(folder), *options]
    with subprocess.Popen(command, user=user, cwd=folder, stderr=subprocess.DEVNULL) as process:
        ready = [str(programs / "pg_isready"), "-q", "-h", str(folder)]
        wait_for(lambda: subprocess.run(ready, check=False).returncode == 0, "the server")
        try:
            yield f"postgresql+psycopg://{USER}@/postgres?host={folder}"
        finally:
            process.send_signal(signal.SIGINT)  # after SIGTERM it would wait for its clients
    shutil.rmtree(folder)


def n_running(folder: str) -> int:
    """Count the trials that are being judged; none before there is a table of them."""
    with psycopg.connect(host=folder, user=USER, dbname="postgres") as connection:
        try:
            query = "SELECT count(*) FROM trials WHERE state = 'RUNNING'"
            return connection.execute(query).fetchone()[0]
        except psycopg.errors.UndefinedTable:
            return 0


@pytest.mark.slow
def test_two_processes_share_a_study_and_one_is_killed(
    server: str, processes: Processes, table: Path, tmp_path: Path
) -> None:
    options = ("-t", "y", "--trials", 8, "--set", "n_components=2000", "--study", server, "-q")
    first, second = (
        processes.start("askl", "tune", table, "-o", tmp_path / name, *options)
        for name in ("first", "second")
    )

    folder = server.partition("host=")[2]

    def both_at_work() -> bool:
        ended = [each.communicate() for each in (first, second) if each.poll() is not None]
        assert ended == [], "neither should end before the other begins"
        return n_running(folder) == 2

    wait_for(both_at_work, "a trial of each process")
    second.kill()
    output_of(first)
    storage = optuna.storages.RDBStorage(server)
    trials = optuna.load_study(study_name="askl", storage=storage).trials
    storage.engine.dispose()
    complete = [trial for trial in trials if trial.state is TrialState.COMPLETE]
    assert len(complete) == 8
    assert len({trial.params["learning_rate"] for trial in complete}) == 8
    # The trial of the killed process remains, and no process waits for it.
    assert len(trials) <= 9
    assert (tmp_path / "first").exists()
    assert not (tmp_path / "second").exists()
