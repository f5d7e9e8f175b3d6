"""What the fits predict, as digests and a few values, and how it compares with the record."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from tests.same_bits.automatic import AUTOMATIC
from tests.same_bits.plain import PLAIN, Outputs
from tests.same_bits.stages import STAGES

PATH = Path(__file__).with_name("record.json")
FITS: dict[str, Callable[[], Outputs]] = {**PLAIN, **STAGES, **AUTOMATIC}
N_VALUES = 8
# Other processors and libraries round otherwise. With the instruction sets of 2008 and of 2013 in
# place of AVX-512, the values moved by 8e-6 of their deviation at most; with learning rates that
# are one per cent higher, by 3e-4 at least; with another seed, by 0.07 at least. The automatic
# models choose by what is nearly equal, and so are compared to the bit or not at all.
TOLERANCE = 1e-4
LIBRARIES = ("numpy", "scipy", "scikit-learn", "torch")


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch, BLAS and OpenMP use one thread: sums do not depend on how rows are shared."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(limits=1):
            yield
    finally:
        torch.set_num_threads(before)


def processor() -> str:
    """Name the processor; its family and model too, since names such as "AMD EPYC" are many's."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    facts = {
        key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)
    }
    name = facts.get("model name", platform.processor())
    return f"{name}, family {facts.get('cpu family')}, model {facts.get('model')}"


def machine() -> dict[str, str]:
    """Describe what bits depend on: the processor, its instructions, and the libraries."""
    return {
        "processor": processor(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "C library": " ".join(platform.libc_ver()),
        **{name: version(name) for name in LIBRARIES},
    }


def digest(array: Any) -> str:
    """Compute the SHA-256 of an array's bytes, type and shape; of labels, that of their text."""
    array = np.asarray(array)
    if array.dtype.kind in "OU":
        content = json.dumps(array.tolist())
        return hashlib.sha256(content.encode()).hexdigest()
    head = f"{array.dtype.str} {array.shape} ".encode()
    return hashlib.sha256(head + np.ascontiguousarray(array).tobytes()).hexdigest()


def summarize(outputs: Outputs) -> dict[str, Any]:
    """Return the first values of the first output, and a digest of every output."""
    first = np.ravel(next(iter(outputs.values())))[:N_VALUES]
    return {
        "values": first.astype(np.float64).tolist(),
        "digests": {name: digest(array) for name, array in outputs.items()},
    }


def run(name: str) -> dict[str, Any]:
    """Fit and predict, and return what is to be compared."""
    with one_thread():
        return summarize(FITS[name]())


@cache
def read() -> dict[str, Any]:
    record: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return record


def write(fits: dict[str, dict[str, Any]]) -> None:
    """Write the record, a line for each fit, so that a change shows which ones changed."""
    head = json.dumps(machine(), indent=2).replace("\n", "\n  ")
    lines = [f"    {json.dumps(name)}: {json.dumps(entry)}" for name, entry in fits.items()]
    text = ",\n".join(lines)
    PATH.write_text(f'{{\n  "machine": {head},\n  "fits": {{\n{text}\n  }}\n}}\n', encoding="utf-8")


def comparable() -> list[str]:
    """Name the fits that can be compared with the record on this machine."""
    return [*PLAIN, *STAGES] if other_machine() else list(FITS)


def other_machine() -> dict[str, tuple[str, str]]:
    """Return what is not as where the record was made: (there, here)."""
    there, here = read()["machine"], machine()
    return {
        key: (there.get(key, ""), here.get(key, ""))
        for key in {**there, **here}
        if there.get(key) != here.get(key)
    }


def changed_outputs(found: dict[str, Any], recorded: dict[str, Any]) -> list[str]:
    """Name the outputs that are not the recorded ones to the bit."""
    there, here = recorded["digests"], found["digests"]
    return [name for name in {**there, **here} if there.get(name) != here.get(name)]


def distance(found: dict[str, Any], recorded: dict[str, Any]) -> float:
    """Return the largest difference of the first values, in units of their deviation."""
    there, here = np.array(recorded["values"]), np.array(found["values"])
    return float(np.abs(here - there).max() / there.std())


def differs(found: dict[str, Any], recorded: dict[str, Any], *, to_the_bit: bool) -> str:
    """Describe how predictions differ from the recorded ones; empty if they do not."""
    if to_the_bit:
        changed = changed_outputs(found, recorded)
        return f"other bits: {', '.join(changed)}" if changed else ""
    far = distance(found, recorded)
    return "" if far <= TOLERANCE else f"{far:.1e} deviations away from the record"
