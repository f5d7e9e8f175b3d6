"""Records of a study: a committed table, and the trials that a run has added to it.

While a study runs, every trial is a file of its own, written in one step: a run may be killed at
any moment, and several may work at the same time. ``compact`` merges these files into the table,
which has one record in each line, sorted by key. What many records share, such as the description
of a machine, is a line of its own at the top of the table; the records then hold its digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from askl.persistence import write_atomic

Record = dict[str, Any]
Key = tuple[Any, ...]


class Store(NamedTuple):
    """The files of the records of a study, and the fields that identify a record.

    Attributes
    ----------
    table : Path
        The committed file of JSON lines.
    trials : Path
        The folder of the trials that are not in the table yet.
    key : tuple of str
        Names of the fields that identify a record; "a.b" is the field b of the field a.
    shared : tuple of str
        Names of the fields that many records share.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> store = Store(folder / "table.jsonl", folder / "trials", ("data", "split"), ("machine",))
    >>> for split in (1, 0):
    ...     _ = store.write({"data": "iris", "split": split, "machine": {"cores": 2}})
    >>> store.compact()
    2
    >>> print(store.table.read_text(), end="")
    {"shared": "8bd18d501d6a", "value": {"cores": 2}}
    {"data": "iris", "split": 0, "machine": "8bd18d501d6a"}
    {"data": "iris", "split": 1, "machine": "8bd18d501d6a"}
    >>> store.read()["iris", 1]
    {'data': 'iris', 'split': 1, 'machine': {'cores': 2}}
    """

    table: Path
    trials: Path
    key: tuple[str, ...]
    shared: tuple[str, ...] = ()

    def read(self) -> dict[Key, Record]:
        """Read all records, sorted by key; a trial's own file counts, not its line in the table."""
        return self._merge(self._trial_files().values())

    def write(self, record: Record) -> Path:
        """Write the file of a trial; NaN and infinity are refused, since JSON has neither."""
        self.trials.mkdir(parents=True, exist_ok=True)
        path = self.trials / (
            ",".join(quote(str(part), "") for part in self._key(record)) + ".json"
        )
        write_atomic(path, (json.dumps(record, allow_nan=False) + "\n").encode("utf-8"))
        return path

    def compact(self) -> int:
        """Merge the files of trials into the table, remove them, and return their number."""
        files = self._trial_files()
        records = self._merge(files.values())
        if records:
            self.table.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self.table, self._format(records).encode("utf-8"))
        for path, text in files.items():
            # Another run may have written the trial again in the meantime.
            if path.read_text(encoding="utf-8") == text:
                path.unlink()
        return len(files)

    def _key(self, record: Record) -> Key:
        return tuple(parent[last] for parent, last in (_find(record, name) for name in self.key))

    def _trial_files(self) -> dict[Path, str]:
        return {path: path.read_text(encoding="utf-8") for path in self.trials.glob("*.json")}

    def _merge(self, trials: Iterable[str]) -> dict[Key, Record]:
        records = [*self._read_table(), *map(json.loads, trials)]
        found = {self._key(record): record for record in records}
        return {key: found[key] for key in sorted(found)}

    def _read_table(self) -> list[Record]:
        if not self.table.exists():
            return []
        lines = [json.loads(line) for line in self.table.read_text(encoding="utf-8").splitlines()]
        values = {line["shared"]: line["value"] for line in lines if "shared" in line}
        records = [line for line in lines if "shared" not in line]
        return [self._replace_shared(each, lambda name: deepcopy(values[name])) for each in records]

    def _format(self, records: dict[Key, Record]) -> str:
        values: dict[str, Any] = {}

        def digest(value: Any) -> str:
            name = hashlib.sha256(json.dumps(value).encode()).hexdigest()[:12]
            values[name] = value
            return name

        lines = [self._replace_shared(deepcopy(each), digest) for each in records.values()]
        shared = [{"shared": name, "value": values[name]} for name in sorted(values)]
        return "".join(json.dumps(line, allow_nan=False) + "\n" for line in [*shared, *lines])

    def _replace_shared(self, record: Record, replace: Callable[[Any], Any]) -> Record:
        for name in self.shared:
            parent, last = _find(record, name)
            if last in parent:
                parent[last] = replace(parent[last])
        return record


def _find(record: Record, name: str) -> tuple[Record, str]:
    """Return the mapping that holds a field, and the field's name in it."""
    *parents, last = name.split(".")
    for parent in parents:
        record = record.get(parent, {})
    return record, last
