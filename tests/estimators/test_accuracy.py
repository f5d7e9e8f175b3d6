"""A guard on accuracy: thresholds a real model meets and a broken one does not."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

from askl import SpectralKernelClassifier, SpectralKernelRegressor


def split(X, y):
    """Eight of ten rows to train on, drawn at random."""
    order = np.random.default_rng(0).permutation(len(y))
    n_train = int(0.8 * len(y))
    return (X[order[:n_train]], y[order[:n_train]]), (X[order[n_train:]], y[order[n_train:]])


@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_iris(loss):
    X, y = load_iris(return_X_y=True)
    model = SpectralKernelClassifier(loss=loss, n_components=200, random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert cross_val_score(model, X, y, cv=folds).mean() >= 0.93


def test_digits():
    X, y = load_digits(return_X_y=True)
    train, test = split(X[:1000], y[:1000])
    model = SpectralKernelClassifier(n_components=500, random_state=0).fit(*train)
    assert model.score(*test) >= 0.97


def test_diabetes():
    X, y = load_diabetes(return_X_y=True)
    model = SpectralKernelRegressor(n_components=300, random_state=0)
    folds = KFold(5, shuffle=True, random_state=0)
    assert cross_val_score(model, X, y, cv=folds).mean() >= 0.42


def load(name):
    folder = os.environ.get("ASKL_DATA")
    if not folder:
        pytest.skip("the environment variable ASKL_DATA names no folder of data")
    with np.load(Path(folder) / f"{name}.npz") as archive:
        return archive["X"], archive["y"]


@pytest.mark.slow
def test_segment_with_defaults():
    train, test = split(*load("segment"))
    assert SpectralKernelClassifier(random_state=0).fit(*train).score(*test) >= 0.970


@pytest.mark.slow
def test_space_ga_with_defaults():
    X, y = load("space_ga")
    train, test = split(X, 100.0 * (y - y.min()) / np.ptp(y))
    residuals = SpectralKernelRegressor(random_state=0).fit(*train).predict(test[0]) - test[1]
    assert np.sqrt(np.mean(residuals**2)) <= 3.15
