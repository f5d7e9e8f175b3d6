"""Data sets are found, verified, downloaded and cached; or the message says where they were not."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from reproduction.datasets import DatasetError, canonicalize, find_row, load, read, rows

DATA = os.environ.get("ASKL_DATA")


@pytest.mark.skipif(DATA is None, reason="ASKL_DATA names no folder with the paper's data sets")
@pytest.mark.parametrize("name", [name for name, row in rows().items() if row.in_paper])
def test_every_data_set_of_the_paper_is_the_recorded_one(name: str) -> None:
    dataset = load(name, DATA)
    assert dataset.checksum == dataset.row.checksum
    assert dataset.X.shape == (dataset.row.n_samples, dataset.row.n_features)


def save_digits(folder: Path, n_rows: int = 1797) -> None:
    X, y = load_digits(return_X_y=True)
    folder.mkdir(exist_ok=True)
    # Labels of any coding: only their order counts.
    np.savez(folder / "digits.npz", X=X[:n_rows].astype(np.float32), y=10 * y[:n_rows] + 3)


def test_a_folder_goes_before_the_bundled_copy_and_gives_the_same(tmp_path: Path) -> None:
    bundled = load("digits")
    save_digits(tmp_path)
    found = load("digits", str(tmp_path))
    assert found.checksum == bundled.checksum == bundled.row.checksum
    assert set(found.y) == set(range(10))


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_digits(tmp_path, n_rows=1796)
    monkeypatch.setenv("ASKL_DATA", str(tmp_path))
    with pytest.raises(DatasetError, match=r"class_counts must be .* Got .* instead"):
        load("digits")


def test_offline_the_message_names_the_folders(tmp_path: Path) -> None:
    def fail(**_: Any) -> None:
        raise URLError("no network")

    with pytest.raises(DatasetError) as caught:
        read(find_row("letter"), str(tmp_path / "mine"), fail)
    message = str(caught.value)
    for part in (str(tmp_path / "mine"), str(tmp_path / "cache" / "askl"), "no network"):
        assert part in message
    assert "--data" in message
    assert "ASKL_DATA" in message


def test_a_download_is_kept_in_the_cache(tmp_path: Path) -> None:
    X, y = load_digits(return_X_y=True)
    downloads = []

    def fetch(data_id: int, **_: Any) -> SimpleNamespace:
        downloads.append(data_id)
        labels = pd.Series(y.astype(str), dtype="category")
        return SimpleNamespace(data=pd.DataFrame(X), target=labels)

    row = find_row("digits")._replace(source={"openml": 42})
    first = read(row, None, fetch)
    assert (tmp_path / "cache" / "askl" / "digits.npz").exists()
    assert read(row, None, fetch).checksum == first.checksum == row.checksum
    assert downloads == [42]


def test_named_categories_and_labels_are_coded() -> None:
    frame = pd.DataFrame({"Sex": ["M", "I", "F"], "Length": [0.1, 0.2, 0.3]})
    X, y = canonicalize(find_row("abalone"), frame, pd.Series(["7", "29", "1"], dtype="category"))
    np.testing.assert_array_equal(X[:, 0], [1.0, 3.0, 2.0])
    np.testing.assert_array_equal(y, [7.0, 29.0, 1.0])
    _, letters = canonicalize(find_row("letter"), frame[["Length"]], pd.Series(["Z", "A", "B"]))
    np.testing.assert_array_equal(letters, [2, 0, 1])
    # As text, "10" would come before "2".
    _, digits = canonicalize(find_row("usps"), frame[["Length"]], pd.Series(["10", "1", "2"]))
    np.testing.assert_array_equal(digits, [10, 1, 2])


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(DatasetError, match="segment, satimage, usps"):
        load("iris")
