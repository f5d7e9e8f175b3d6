"""Look for a table on which a reader fails: with another error than ``TableError``, or slowly.

Run as ``python -m fuzz.readers --seconds 60``. With atheris installed, ``--atheris`` lets it
choose the mutations by coverage; all arguments after it go to atheris.
"""

from __future__ import annotations

import argparse
import faulthandler
import gzip
import io
import json
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
from sklearn.datasets import dump_svmlight_file

from askl.cli.tabular.tables import array_blocks, named_blocks, open_table, read_table
from askl.errors import TableError

# Reading a file of a few kilobytes must not take longer.
SLOW_SECONDS = 5.0


class Outcome(NamedTuple):
    """What happened to one file: it was read, refused or failed, and the time it took."""

    kind: str
    seconds: float
    error: str = ""


def seeds() -> dict[str, bytes]:
    """Make a small valid file of every format, by its suffix."""
    table = pa.table(
        {
            "number": [1.5, None, -3.0, 4e300],
            "text": ["a", 'b, "c"', "", "ü"],
            "date": pa.array([0, 86400, None, 5], pa.timestamp("s")),
            "y": [0, 1, 1, 0],
        }
    )
    files: dict[str, io.BytesIO] = {name: io.BytesIO() for name in _BINARY}
    pa.csv.write_csv(table, files[".csv"])
    pa.parquet.write_table(table, files[".parquet"])
    pa.feather.write_feather(table, files[".feather"])
    with pa.ipc.new_stream(files[".arrow"], table.schema) as stream:
        stream.write_table(table)
    np.savez(files[".npz"], X=np.eye(3), y=np.arange(3))
    dump_svmlight_file(np.eye(3), np.arange(3), files[".svm"], zero_based=False)
    contents = {name: file.getvalue() for name, file in files.items()}
    contents[".tsv"] = contents[".csv"].replace(b",", b"\t")
    contents[".csv.gz"] = gzip.compress(contents[".csv"])
    contents[".csv.zst"] = pa.compress(contents[".csv"], codec="zstd", asbytes=True)
    return contents


_BINARY = (".csv", ".parquet", ".feather", ".arrow", ".npz", ".svm")
_TOKENS = (b",", b'"', b"\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"nan", b"1e999", b"-", b";")


def mutate(content: bytes, rng: random.Random) -> bytes:
    """Damage a file in one to four ways."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(changed) + 1)
        length = rng.choice([1, 2, 8, 64])
        action = rng.randrange(6)
        if action == 0 and changed:
            changed[place % len(changed)] ^= 1 << rng.randrange(8)
        elif action == 1:
            changed[place : place + length] = rng.randbytes(length)
        elif action == 2:
            del changed[place : place + length]
        elif action == 3:
            changed[place:place] = rng.choice(_TOKENS) * rng.choice([1, 1, 100])
        elif action == 4:
            source = rng.randrange(len(changed) + 1)
            changed[place:place] = changed[source : source + length]
        else:
            del changed[place:]
    return bytes(changed)


def read_everything(path: Path) -> None:
    """Read a file as ``askl fit`` does, and then as ``askl predict`` does."""
    table = open_table(path)
    target = None if table.names is None else (table.names or ["y"])[-1]
    block = read_table(path, target)
    if table.names is None:
        blocks = array_blocks(table, block.X.shape[1])
    else:
        kinds = {str(name): "any" for name in block.X.columns}
        blocks = named_blocks(table, kinds)
    n_rows = sum(each.X.shape[0] for each in blocks)
    if n_rows != block.X.shape[0]:
        raise AssertionError(f"{n_rows} rows in blocks, {block.X.shape[0]} at once")


def attempt(path: Path, content: bytes) -> Outcome:
    """Write a file, read it, and return what happened."""
    path.write_bytes(content)
    start = time.perf_counter()
    try:
        read_everything(path)
        kind, error = "read", ""
    except TableError:
        kind, error = "refused", ""
    except Exception as found:
        kind, error = "failed", f"{type(found).__name__}: {found}"
    seconds = time.perf_counter() - start
    if seconds > SLOW_SECONDS:
        kind, error = "failed", f"took {seconds:.1f} s"
    return Outcome(kind, seconds, error)


def fuzz(seconds: float, seed: int, kept: Path) -> dict[str, object]:
    """Mutate and read files for some seconds, count them, and keep those that fail."""
    rng, contents = random.Random(seed), seeds()
    counts: dict[str, Counter[str]] = {suffix: Counter() for suffix in contents}
    failures: Counter[str] = Counter()
    slowest, deadline = 0.0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < deadline:
            suffix = rng.choice(list(contents))
            content = mutate(contents[suffix], rng)
            if suffix == ".csv.gz" and rng.random() < 0.5:
                content = gzip.compress(mutate(contents[".csv"], rng))
            outcome = attempt(Path(folder) / f"table{suffix}", content)
            counts[suffix][outcome.kind] += 1
            slowest = max(slowest, outcome.seconds)
            if outcome.kind == "failed":
                failures[f"{suffix} {outcome.error[:200]}"] += 1
                kept.mkdir(parents=True, exist_ok=True)
                (kept / f"{sum(failures.values())}{suffix}").write_bytes(content)
    return {
        "seconds": seconds,
        "seed": seed,
        "files": sum(sum(each.values()) for each in counts.values()),
        "outcomes": {suffix: dict(each) for suffix, each in counts.items()},
        "failures": dict(failures),
        "slowest_seconds": round(slowest, 3),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def run_atheris(arguments: list[str]) -> None:
    """Let atheris choose the files; it stops at the first one that fails."""
    import atheris

    suffixes = list(seeds())
    folder = Path(tempfile.mkdtemp())

    def one(data: bytes) -> None:
        suffix = suffixes[data[0] % len(suffixes)] if data else ".csv"
        outcome = attempt(folder / f"table{suffix}", data[1:])
        if outcome.kind == "failed":
            raise RuntimeError(outcome.error)

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *arguments], one)
    atheris.Fuzz()


def main() -> None:
    faulthandler.enable()
    if "--atheris" in sys.argv:
        run_atheris(sys.argv[sys.argv.index("--atheris") + 1 :])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kept", type=Path, default=Path("build/fuzz-readers"))
    arguments = parser.parse_args()
    totals = fuzz(arguments.seconds, arguments.seed, arguments.kept)
    print(json.dumps(totals, indent=2))
    sys.exit(1 if totals["failures"] else 0)


if __name__ == "__main__":
    main()
