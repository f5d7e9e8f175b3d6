"""Greedy weights against brute force, and numbers of members."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askl.auto.ensemble.selection import (
    allocate_members,
    bag_weights,
    choose_weights,
    share_evenly,
)
from askl.auto.execution.scoring import squared_error


def test_weights_are_never_worse_than_the_best_single_model():
    random = np.random.default_rng(0)
    targets = random.normal(size=200)
    predictions = [targets + random.normal(scale=s, size=200) for s in (0.5, 0.6, 0.7, 2.0)]
    weights = choose_weights(predictions, targets, squared_error, n_rounds=24)
    mean = np.tensordot(weights, np.stack(predictions), axes=1)
    assert squared_error(mean, targets) <= min(squared_error(p, targets) for p in predictions)
    assert weights.sum() == pytest.approx(1.0)
    # Near the best of all weights on the same grid.
    grid = [w for w in itertools.product(range(25), repeat=4) if sum(w) == 24]
    best = min(
        squared_error(np.tensordot(np.array(w) / 24, np.stack(predictions), axes=1), targets)
        for w in grid
    )
    assert squared_error(mean, targets) < 1.02 * best


def test_bags_agree_on_what_is_clear_and_share_what_is_not():
    random = np.random.default_rng(0)
    options = {"n_rounds": 12, "n_bags": 20, "seed": 0}
    targets = random.normal(size=400)
    noisy = [targets + 3.0 * random.normal(size=400) for _ in range(3)]
    clear = [targets + 0.01 * random.normal(size=400), *noisy]
    np.testing.assert_array_equal(
        bag_weights(clear, targets, squared_error, **options), [1.0, 0.0, 0.0, 0.0]
    )
    shared = bag_weights(noisy, targets, squared_error, **options)
    assert shared.min() > 0.2
    assert shared.sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(shared, bag_weights(noisy, targets, squared_error, **options))


def test_bagged_weights_are_better_on_rows_they_have_not_seen():
    """Six models that share most of their error, and forty rows whose noise greed alone fits."""
    greedy, bagged = [], []
    for seed in range(40):
        random = np.random.default_rng(seed)
        targets, shared = random.normal(size=(2, 1040))
        predictions = targets + 0.9 * shared + 0.5 * random.normal(size=(6, 1040))
        seen = predictions[:, :40]
        options = {"n_bags": 20, "seed": seed}
        for errors, choose, more in ((greedy, choose_weights, {}), (bagged, bag_weights, options)):
            weights = choose(seen, targets[:40], squared_error, n_rounds=12, **more)
            errors.append(squared_error(weights @ predictions[:, 40:], targets[40:]))
    assert np.mean(bagged) < np.mean(greedy)


@given(
    st.lists(
        st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 10.0), st.booleans()),
        min_size=1,
        max_size=9,
    ),
    st.floats(0.0, 1.0),
    st.integers(1, 12),
    st.integers(1, 4),
)
def test_a_share_of_the_weight_goes_evenly_to_the_nearly_best(raw, share, n_best, n_least):
    weights, errors, among = np.array(raw).T
    among = among.astype(bool)
    rule = {"share": share, "n_best": n_best, "n_least": n_least, "tolerance": 1.25}
    shared = share_evenly(weights, errors, among, **rule)
    assert shared.sum() == pytest.approx(weights.sum())
    near = among & (errors <= 1.25 * errors.min())
    if near.sum() < n_least:
        np.testing.assert_array_equal(shared, weights)
        return
    gained = shared - (1.0 - share) * weights
    np.testing.assert_allclose(gained[~near], 0.0, atol=1e-12)
    chosen = np.sort(gained)[::-1][: min(n_best, int(near.sum()))]
    np.testing.assert_allclose(chosen, share * weights.sum() / len(chosen), atol=1e-12)


def test_one_model_takes_all():
    assert choose_weights([np.ones(3)], np.ones(3), squared_error, n_rounds=5).tolist() == [1.0]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8), st.integers(1, 12))
def test_members_are_allocated(raw, n_members):
    weights = np.array([*raw, 1.0])
    weights /= weights.sum()
    counts = allocate_members(weights, n_members)
    assert counts.sum() == n_members
    assert np.count_nonzero(counts) == min(n_members, np.count_nonzero(weights))
    assert weights[counts > 0].min() >= weights[counts == 0].max(initial=0.0)
