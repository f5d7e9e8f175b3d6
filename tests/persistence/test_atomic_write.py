"""Files written in one step, beside other writers, after their death, and on a full disk."""

from __future__ import annotations

import errno
import os
import random
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from askl.persistence.atomic_write import replacing, write_atomic
from tests.persistence import savers
from tests.persistence.limits import files_limited_to


def write_by_path(path, content):
    with replacing(path) as temporary:
        temporary.write_bytes(content)


both_writers = pytest.mark.parametrize("write", [write_atomic, write_by_path])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.txt"


@contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def start(*arguments):
    command = [sys.executable, savers.__file__, *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, text=True, **pipes)
    return process, process.stdout.readline().strip()


def kill(process):
    process.kill()
    process.communicate()


@both_writers
def test_a_file_is_written_and_replaced(write, path):
    for content in (b"first", b"", b"the second one"):
        write(path, content)
        assert path.read_bytes() == content
        assert list(path.parent.iterdir()) == [path]


@both_writers
def test_a_name_may_be_as_long_as_names_may_be(write, tmp_path):
    path = tmp_path / ("n" * 251 + ".txt")
    write(path, b"content")
    assert path.read_bytes() == b"content"


def test_temporary_names_differ_and_keep_the_ending(path):
    with replacing(path) as first, replacing(path) as second:
        assert first != second
        assert first.parent == path.parent
        assert first.suffix == ".txt"
        assert first.name.startswith(".")


@both_writers
def test_a_new_file_has_the_permissions_of_the_umask(write, path):
    with umask(0o027):
        write(path, b"content")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@both_writers
@pytest.mark.parametrize("permissions", [0o600, 0o664, 0o444])
def test_permissions_of_the_file_that_is_replaced_are_kept(write, permissions, path):
    path.touch()
    path.chmod(permissions)
    with umask(0o077):
        write(path, b"content")
    assert stat.S_IMODE(path.stat().st_mode) == permissions
    assert path.read_bytes() == b"content"


def test_a_private_file_is_never_open_to_others(path):
    path.touch(0o600)
    with umask(0o000), replacing(path) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600


@both_writers
def test_links_pipes_and_folders_are_refused(write, tmp_path):
    kept = tmp_path / "kept"
    kept.write_bytes(b"content")
    (tmp_path / "link").symlink_to(kept)
    (tmp_path / "dangling").symlink_to(tmp_path / "absent")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.iterdir())
    for name, reason in {
        "link": "a symbolic link",
        "dangling": "a symbolic link",
        "pipe": "a pipe",
        "folder": "Is a directory",
    }.items():
        with pytest.raises(OSError, match=reason):
            write(tmp_path / name, b"other")
    assert kept.read_bytes() == b"content"
    assert sorted(tmp_path.iterdir()) == before


@both_writers
def test_a_full_disk_leaves_what_was_there(write, path):
    write(path, b"before")
    with files_limited_to(1000), pytest.raises(OSError, match="File too large") as raised:
        write(path, bytes(10_000))
    assert raised.value.errno == errno.EFBIG
    assert path.read_bytes() == b"before"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_of_the_writer_leaves_what_was_there(error, path):
    path.write_bytes(b"before")

    def fail():
        with replacing(path) as temporary:
            temporary.write_bytes(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_bytes() == b"before"
    assert list(path.parent.iterdir()) == [path]


@both_writers
def test_content_is_on_the_disk_before_the_name_and_the_name_before_the_end(
    write, path, monkeypatch
):
    steps = []
    flush, rename = os.fsync, os.replace

    def fsync(descriptor):
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        steps.append((f"flush {kind}", os.fstat(descriptor).st_size if kind == "file" else None))
        flush(descriptor)

    def replace(source, target):
        steps.append(("rename", None))
        rename(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    write(path, b"content")
    assert steps == [("flush file", 7), ("rename", None), ("flush folder", None)]


def test_what_a_dead_process_left_is_removed_and_what_a_living_one_writes_is_not(path):
    dead, left = start(path)
    living, used = start(path)
    kill(dead)
    host = Path(left).name.split("-")[2]
    other_host = path.with_name(Path(left).name.replace(host, "0" * len(host)))
    own = [path.with_name(name) for name in (".askl-tmp-notes", "askl-tmp.txt", ".file.txt")]
    for other in (*own, other_host):
        other.touch()
    assert Path(left).exists()
    write_atomic(path, b"content")
    assert sorted(path.parent.iterdir()) == sorted([path, Path(used), *own, other_host])
    kill(living)
    write_atomic(path, b"content")
    assert sorted(path.parent.iterdir()) == sorted([path, *own, other_host])


def test_threads_may_write_the_same_file(path):
    contents = [savers.make_content(50_000) for _ in range(4)]
    errors = []

    def write(content):
        try:
            for _ in range(20):
                write_atomic(path, content)
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert not path.exists() or path.read_bytes() in contents
    assert errors == []
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("n_rounds", [15, pytest.param(1000, marks=pytest.mark.slow)])
def test_of_two_savers_one_is_killed_again_and_again(n_rounds, path):
    moments = random.Random(0)
    survivor, _ = start(path, 300_000)
    for _ in range(n_rounds):
        victim, _ = start(path, 300_000)
        deadline = time.monotonic() + moments.uniform(0.0, 0.02)
        while time.monotonic() < deadline:
            assert savers.is_complete(path.read_bytes())
        kill(victim)
        assert savers.is_complete(path.read_bytes())
    _, errors = survivor.communicate()  # closes its standard input
    assert (survivor.returncode, errors) == (0, "")
    assert savers.is_complete(path.read_bytes())
    write_atomic(path, b"content")
    assert list(path.parent.iterdir()) == [path]
