"""Data and settings that all tests share."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import settings

# Fixed examples: a red run can be repeated. No deadline: the machine may be busy.
settings.register_profile("askl", deadline=None, derandomize=True, max_examples=60, database=None)
settings.load_profile("askl")


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def classes() -> tuple[np.ndarray, np.ndarray]:
    """Three classes by distance from the origin: no line separates them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    radius = np.linalg.norm(X[:, :2], axis=1)
    return X, np.digitize(radius, np.quantile(radius, [1 / 3, 2 / 3]))


@pytest.fixture(scope="session")
def numbers() -> tuple[np.ndarray, np.ndarray]:
    """A smooth curve of two columns, the third being noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    return X, 10.0 + 5.0 * np.sin(2.0 * X[:, 0]) * np.cos(X[:, 1]) + 0.1 * rng.normal(size=240)
