"""Tuned hyperparameters: TOML that is read as it was written, by the same protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reproduction.folders import Folders
from reproduction.hyperparameters import read_tuned, tuned_parameters, write_tuned
from reproduction.protocol import METHODS, ProtocolError, find_protocol


def make_table(digest: str, scale: float = 0.5) -> dict[str, Any]:
    return {
        "protocol": digest,
        "parameters": {"frequency_scale": scale, "density": "sparse", "dropout": True},
        "score": {"mean": 1e-10, "n_folds": 5},
        "provenance": {"versions": {"scikit-learn": "1.7"}},
    }


@pytest.fixture
def digest() -> str:
    return find_protocol("smoke").digest()


def test_tables_are_read_as_they_were_written_in_the_papers_order(
    digest: str, tmp_path: Path
) -> None:
    folders = Folders(tmp_path)
    assert read_tuned("smoke", "digits", folders) == {}
    tables = {method: make_table(digest, scale) for scale, method in enumerate(reversed(METHODS))}
    write_tuned("smoke", "digits", folders, tables)
    found = read_tuned("smoke", "digits", folders)
    assert found == tables
    assert list(found) == list(METHODS)


def test_what_was_tuned_by_another_protocol_does_not_count(digest: str, tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    tables = {"sk": make_table("0123456789ab"), "askl": make_table(digest)}
    write_tuned("smoke", "digits", folders, tables)
    assert read_tuned("smoke", "digits", folders).keys() == {"askl"}
    parameters = tuned_parameters("smoke", "digits", "askl", folders)
    assert parameters == make_table(digest)["parameters"]
    with pytest.raises(ProtocolError, match="sk on digits has not been tuned"):
        tuned_parameters("smoke", "digits", "sk", folders)


@pytest.mark.parametrize("protocol", ["corrected", "paper"])
def test_the_committed_tables_are_of_the_protocols_as_they_are(protocol: str) -> None:
    for dataset in Folders().recorded_datasets(protocol):
        assert read_tuned(protocol, dataset, Folders()).keys() == set(METHODS)
