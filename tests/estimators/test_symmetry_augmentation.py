"""Rows in other orders of their columns: composition, scaling, batches, and what fits learn."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix
from sklearn.datasets import make_friedman1

from askl import SpectralFeatures, SpectralKernelClassifier, SpectralKernelRegressor, load
from askl.estimators.symmetry_augmentation import PermutedRows, scaled_orders
from askl.learning import NormalEquations, TensorRows, compute_features
from askl.preprocessing.column_orders import complete_symmetries, pool_columns
from askl.preprocessing.input_scaling import SCALINGS, fit_scaling
from askl.spectral import Layer

SMALL = {"n_components": 100, "max_epochs": 8, "random_state": 0}
FRIEDMAN = [(1, 0, *range(2, 10)), (*range(5), 6, 7, 8, 9, 5)]


@pytest.mark.parametrize("order", [(0, 1), (0, 1, 1), (1, 2, 3), (0, 1, 2, 3)])
def test_what_is_no_order_of_the_columns_is_refused(order):
    X = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(ValueError, match=r"from 0 to 2 once in each. Got \("):
        SpectralKernelRegressor(**SMALL, symmetries=[order]).fit(X, X[:, 0])


@pytest.mark.parametrize("symmetries", ["mirror", [1, 0], [(0.5, 1.0)], np.eye(2)])
def test_symmetries_of_another_kind_are_refused(symmetries):
    with pytest.raises(ValueError, match="'symmetries' parameter of SpectralKernelRegressor must"):
        SpectralKernelRegressor(symmetries=symmetries).fit([[0.0, 1.0], [1.0, 0.0]], [0.0, 1.0])


@pytest.mark.parametrize("kind", sorted(SCALINGS))
def test_permuting_and_scaling_can_be_exchanged(kind):
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=(300, 3)), random.integers(0, 3, size=(300, 2))])
    orders = complete_symmetries([(1, 2, 0, 3, 4), (0, 1, 2, 4, 3)], 5)
    scaling = fit_scaling(pool_columns(X, orders), kind)
    for order, scaled in zip(orders, scaled_orders(orders, scaling).numpy(), strict=True):
        # Not to the bit: a row's length is summed in another order.
        np.testing.assert_allclose(
            scaling.apply(X[:, order]), scaling.apply(X)[:, scaled], atol=1e-6
        )


@pytest.fixture
def rows():
    inputs = torch.arange(300.0).view(100, 3)
    return TensorRows(inputs, torch.arange(100.0)[:, None])


@pytest.fixture
def permuted(rows):
    return PermutedRows(rows, torch.from_numpy(complete_symmetries([(1, 2, 0)], 3)))


def test_an_epoch_has_each_row_once_in_one_of_the_orders(permuted, generator):
    batches = list(permuted.epoch(32, generator))
    assert len(batches) == permuted.n_batches(32) == 4
    inputs = torch.cat([batch.inputs for batch in batches])
    targets = torch.cat([batch.targets for batch in batches])[:, 0]
    assert targets.sort().values.tolist() == list(range(100)) == list(range(permuted.n_samples))
    first = (inputs - 3.0 * targets[:, None]).int()  # which column each of them was
    assert {tuple(order) for order in first.tolist()} == {(0, 1, 2), (1, 2, 0), (2, 0, 1)}


def test_orders_are_drawn_anew_in_every_epoch_but_depend_only_on_the_generator(permuted):
    def epoch(generator, skip=0):
        return [batch.inputs for batch in permuted.epoch(32, generator, skip=skip)]

    generator = torch.Generator().manual_seed(3)
    first, second = epoch(generator), epoch(generator)
    again = epoch(torch.Generator().manual_seed(3))
    assert all(map(torch.equal, first, again))
    assert all(map(torch.equal, first[2:], epoch(torch.Generator().manual_seed(3), skip=2)))
    kinds = [torch.cat(each).sort(dim=0).values for each in (first, second)]
    assert not torch.equal(*kinds)  # the same rows, in other orders


@pytest.mark.parametrize("weights", [None, torch.linspace(0.5, 1.5, 100)])
def test_a_single_pass_has_each_row_in_all_orders_with_its_weight_in_all(rows, permuted, weights):
    rows.sample_weights = weights
    generator = torch.Generator().manual_seed(0)
    layers = (Layer(0.1 * torch.randn(1, 3, 8, generator=generator), torch.zeros(1, 8)),)
    found = NormalEquations(layers).add(permuted.blocks(30))
    expected = 0.0
    for order in permuted.orders:
        features = compute_features(rows.take(torch.arange(100))[:, order], layers).double()
        weighted = features if weights is None else features * weights[:, None].double()
        expected += weighted.T @ features / 3
    torch.testing.assert_close(found.gram, expected, rtol=1e-4, atol=1e-4)
    assert found.total_weight == pytest.approx(100.0, rel=1e-5)


@pytest.mark.parametrize("extra", [{}, {"hidden_components": (64,)}, {"scale_inputs": "bins"}])
def test_symmetries_reduce_the_error(extra):
    X, y = make_friedman1(600, 10, noise=1.0, random_state=0)
    X_test, y_test = make_friedman1(2000, 10, noise=0.0, random_state=1)

    def error(symmetries):
        model = SpectralKernelRegressor(**SMALL, **extra, symmetries=symmetries).fit(X, y)
        return np.mean((model.predict(X_test) - y_test) ** 2)

    assert error(FRIEDMAN) < 0.8 * error(None)


def test_an_augmented_model_depends_less_on_the_order():
    X, y = make_friedman1(1000, 10, noise=1.0, random_state=0)

    def change(symmetries):
        model = SpectralKernelRegressor(**SMALL, symmetries=symmetries).fit(X[:500], y[:500])
        permuted = X[500:][:, FRIEDMAN[0]][:, FRIEDMAN[1]]
        return np.mean((model.predict(permuted) - model.predict(X[500:])) ** 2)

    assert change(FRIEDMAN) < 0.7 * change(None)


def test_intervals_have_their_coverage():
    X, y = make_friedman1(1000, 10, noise=1.0, random_state=0)
    X_test, y_test = make_friedman1(2000, 10, noise=1.0, random_state=1)
    model = SpectralKernelRegressor(**SMALL, symmetries=FRIEDMAN).fit(X, y)
    mean, deviation = model.predict(X_test, return_std=True)
    assert np.mean(np.abs(mean - y_test) < 1.645 * deviation) == pytest.approx(0.9, abs=0.05)


def test_an_empty_list_of_symmetries_changes_nothing():
    X = np.random.default_rng(0).normal(size=(100, 2))
    plain, empty = (
        SpectralKernelClassifier(**SMALL, symmetries=each).fit(X, X[:, 0] > 0)
        for each in (None, [])
    )
    np.testing.assert_array_equal(plain.weights_, empty.weights_)


@pytest.mark.parametrize("scaling", ["robust", "standard", "bins"])
def test_streams_are_turned_too(scaling):
    X, y = make_friedman1(600, 10, noise=1.0, random_state=0)
    X_test, y_test = make_friedman1(2000, 10, noise=0.0, random_state=1)

    def score(symmetries):
        model = SpectralKernelRegressor(**SMALL, scale_inputs=scaling, symmetries=symmetries)
        model.fit_stream(lambda: iter([(X[:400], y[:400]), (X[400:], y[400:])]))
        return model.score(X_test, y_test)

    assert score(FRIEDMAN) > score(None)


def test_epoch_by_epoch_rows_are_turned_too():
    X = np.random.default_rng(0).normal(size=(200, 2))
    permuted, plain = (
        SpectralKernelClassifier(**SMALL, symmetries=each).partial_fit(
            X, X[:, 0] > 0, [False, True]
        )
        for each in ([(1, 0)], None)
    )
    assert plain.score(X, X[:, 0] > 0) > 0.9
    # Rows that were seen in both orders cannot tell the columns apart.
    assert permuted.score(X, X[:, 0] > 0) < 0.9


def test_sparse_rows_are_refused_with_a_remedy():
    with pytest.raises(ValueError, match=r"'symmetries' parameter needs a dense X.*X\.toarray"):
        SpectralKernelClassifier(**SMALL, symmetries=[(1, 0)]).fit(csr_matrix(np.eye(2)), [0, 1])


def test_features_and_files_know_the_symmetries(tmp_path):
    X, y = make_friedman1(200, 10, random_state=0)
    features = SpectralFeatures(**SMALL, symmetries=FRIEDMAN).fit(X, y)
    drawn = SpectralFeatures("nsk", **SMALL, symmetries=FRIEDMAN).fit(X)
    np.testing.assert_array_equal(
        drawn.scaling_.arrays["center"][5:], drawn.scaling_.arrays["center"][5]
    )
    features.save(tmp_path / "features.askl")
    again = load(tmp_path / "features.askl")
    assert again.symmetries == FRIEDMAN
    np.testing.assert_array_equal(again.transform(X), features.transform(X))
