"""Write the record of what the fits predict, or compare with it."""

from __future__ import annotations

import sys
import time

from tests.same_bits import __doc__ as usage
from tests.same_bits.record import (
    FITS,
    changed_outputs,
    distance,
    other_machine,
    read,
    run,
    write,
)


def record() -> None:
    """Run all fits and write a new record."""
    started = time.process_time()
    write({name: run(name) for name in FITS})
    print(f"{len(FITS)} fits, {time.process_time() - started:.1f} seconds of CPU")


def compare() -> int:
    """Print which predictions differ from the record; return how many fits do."""
    for key, (there, here) in other_machine().items():
        print(f"Not the machine of the record, bits may differ: {key} was {there!r}, is {here!r}")
    n_changed = 0
    for name in FITS:
        found, recorded = run(name), read()["fits"][name]
        if changed := changed_outputs(found, recorded):
            n_changed += 1
            print(f"{name}: {', '.join(changed)}; by {distance(found, recorded):.1e} deviations")
    print(f"{n_changed} of {len(FITS)} fits differ from the record")
    return n_changed


def main(arguments: list[str]) -> int:
    if arguments == ["record"]:
        record()
        return 0
    if arguments == ["compare"]:
        return int(compare() > 0)
    print(usage)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
