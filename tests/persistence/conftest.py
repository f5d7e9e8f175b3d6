from __future__ import annotations

import numpy as np
import pytest

import askl
from tests.models import classifier


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.askl"


@pytest.fixture(scope="session")
def content(classes, tmp_path_factory) -> bytes:
    """The bytes of a small classifier with string labels."""
    X, y = classes
    model = classifier(n_components=8).fit(X, np.array(["low", "middle", "high"])[y])
    return askl.save(model, tmp_path_factory.mktemp("models") / "model.askl").read_bytes()
