"""Heads solved at the start: worth an epoch, the same for every way to give the rows."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import Ridge

from askl.estimators.heads import START_STRENGTH, solve_first_head
from askl.learning import Model, TensorRows, compute_features
from askl.spectral import Layer
from tests.models import classifier, regressor


def make_model(n_features, n_outputs, n_components=30):
    generator = torch.Generator().manual_seed(0)
    frequencies = torch.randn(2, n_features, n_components, generator=generator)
    layer = Layer(frequencies, torch.rand(2, n_components, generator=generator))
    return Model((layer,), torch.zeros(n_components, n_outputs))


def test_a_first_head_is_a_ridge_on_the_features():
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(100, 3, generator=generator)
    y = torch.randn(100, 2, generator=generator)
    model = make_model(3, 2)
    head = solve_first_head(model, TensorRows(x, y), torch.Generator().manual_seed(0))
    features = compute_features(x, model.layers).double().numpy()
    ridge = Ridge(alpha=100 * START_STRENGTH, fit_intercept=False).fit(features, y.numpy())
    np.testing.assert_allclose(head.numpy(), ridge.coef_.T, rtol=1e-3, atol=1e-4)


def test_a_first_head_of_classes_tells_them_apart():
    x, y = load_iris(return_X_y=True)
    inputs = torch.from_numpy(((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32))
    model, targets = make_model(4, 3), torch.from_numpy(y)
    head = solve_first_head(model, TensorRows(inputs, targets), torch.Generator().manual_seed(0))
    outputs = compute_features(inputs, model.layers).double() @ head
    assert (outputs.argmax(dim=1) == targets).double().mean() > 0.9


def test_a_first_head_takes_few_rows_of_many_and_in_blocks(monkeypatch):
    monkeypatch.setattr("askl.estimators.heads.BLOCK_ROWS", 50)
    taken = []

    class Spy(TensorRows):
        def rows(self, index):
            taken.append(len(index))
            return super().rows(index)

    rows = Spy(torch.randn(5000, 2), torch.randn(5000, 1))
    solve_first_head(make_model(2, 1), rows, torch.Generator().manual_seed(0))
    assert taken == [50] * 5  # 8 rows for each of 30 features


def test_it_is_worth_an_epoch():
    X, y = load_digits(return_X_y=True)
    scores = [
        classifier(head_start=start, max_epochs=1, n_components=200)
        .fit(X[:1200], y[:1200])
        .score(X[1200:], y[1200:])
        for start in ("zero", "exact")
    ]
    assert scores[1] > scores[0]


def test_weights_count_in_it():
    X, y = load_iris(return_X_y=True)
    options = {"head_start": "exact", "max_epochs": 1}
    weights = np.where(y == 2, 1e-6, 1.0)
    model = classifier(**options).fit(X, y, sample_weight=weights)
    assert set(model.predict(X)) == {0, 1}


@pytest.mark.parametrize("make", [classifier, regressor])
def test_a_warm_start_goes_on_from_its_own_head(make, monkeypatch):
    X, y = load_iris(return_X_y=True)
    model = make(head_start="exact", warm_start=True, max_epochs=1).fit(X, y)

    def fail(*arguments):
        raise AssertionError("solved again")

    monkeypatch.setattr("askl.estimators.learner.solve_first_head", fail)
    model.fit(X, y)
