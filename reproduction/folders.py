"""Where a study is: what is committed, and what a run leaves until it is compacted."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from studies.store import Store

HERE = Path(__file__).parent
BUILD = HERE.parent / "build" / "reproduction"
KEY = ("trial.method", "trial.split")
SHARED = ("parameters", "data", "provenance.versions", "provenance.machine")


class Folders(NamedTuple):
    """The folders of a study.

    Attributes
    ----------
    results : Path
        Tuned hyperparameters, and the tables of records; committed, unless it is another folder.
    """

    results: Path = HERE

    @property
    def build(self) -> Path:
        """Trials that are not in the tables yet, searches and figures; never committed."""
        return BUILD if self.results.resolve() == HERE.resolve() else self.results

    def store(self, protocol: str, dataset: str) -> Store:
        """Return where the records of a data set are."""
        table = self.results / "records" / protocol / f"{dataset}.jsonl"
        return Store(table, self.build / "trials" / protocol / dataset, KEY, SHARED)

    def recorded_datasets(self, protocol: str) -> list[str]:
        """List the data sets that a protocol has records of."""
        tables = (self.results / "records" / protocol).glob("*.jsonl")
        trials = (self.build / "trials" / protocol).glob("*/")
        return sorted({*(path.stem for path in tables), *(path.name for path in trials)})

    def tuned(self, protocol: str, dataset: str) -> Path:
        """Return the file of a data set's tuned hyperparameters."""
        return self.results / "hyperparameters" / protocol / f"{dataset}.toml"

    def search(self, protocol: str, dataset: str, method: str) -> Path:
        """Return the file in which a search keeps what it has tried."""
        return self.build / "searches" / protocol / dataset / f"{method}.sqlite"

    def figures(self, protocol: str) -> Path:
        """Return the folder of a protocol's figures."""
        return self.build / "figures" / protocol
