"""Greedy weights against brute force, member counts, and temperature."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askl.auto.calibration import apply_temperature, choose_temperature
from askl.auto.selection import (
    allocate_members,
    bag_weights,
    choose_weights,
    classification_error,
    log_loss,
    share_evenly,
    squared_error,
)


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


def test_bags_agree_on_what_is_clear_and_share_out_what_is_not():
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
    spread = share_evenly(weights, errors, among, **rule)
    assert spread.sum() == pytest.approx(weights.sum())
    near = among & (errors <= 1.25 * errors.min())
    if near.sum() < n_least:
        np.testing.assert_array_equal(spread, weights)
        return
    gained = spread - (1.0 - share) * weights
    np.testing.assert_allclose(gained[~near], 0.0, atol=1e-12)
    chosen = np.sort(gained)[::-1][: min(n_best, int(near.sum()))]
    np.testing.assert_allclose(chosen, share * weights.sum() / len(chosen), atol=1e-12)


def test_one_model_takes_all():
    assert choose_weights([np.ones(3)], np.ones(3), squared_error, n_rounds=5).tolist() == [1.0]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8), st.integers(1, 12))
def test_members_are_shared_out(raw, n_members):
    weights = np.array([*raw, 1.0])
    weights /= weights.sum()
    counts = allocate_members(weights, n_members)
    assert counts.sum() == n_members
    assert np.count_nonzero(counts) == min(n_members, np.count_nonzero(weights))
    assert weights[counts > 0].min() >= weights[counts == 0].max(initial=0.0)


def test_sharpening_by_one_changes_nothing_and_keeps_the_order():
    random = np.random.default_rng(0)
    probabilities = random.dirichlet(np.ones(4), size=50)
    np.testing.assert_allclose(apply_temperature(probabilities, 1.0), probabilities, atol=1e-8)
    for temperature in (0.3, 3.0):
        sharpened = apply_temperature(probabilities, temperature)
        np.testing.assert_allclose(sharpened.sum(axis=1), 1.0)
        np.testing.assert_array_equal(sharpened.argmax(axis=1), probabilities.argmax(axis=1))


def test_the_temperature_that_was_applied_is_found_again():
    random = np.random.default_rng(0)
    probabilities = random.dirichlet(np.ones(3), size=20_000)
    targets = np.array([random.choice(3, p=row) for row in probabilities])
    assert choose_temperature(apply_temperature(probabilities, 0.5), targets) == pytest.approx(
        2.0, rel=0.1
    )
    assert choose_temperature(probabilities, targets) == pytest.approx(1.0, rel=0.1)


def test_few_rows_that_are_right_do_not_make_certain():
    right = np.tile([0.9, 0.05, 0.05], (28, 1))
    sure = apply_temperature(right, choose_temperature(right, np.zeros(28, dtype=int)))
    np.testing.assert_allclose(sure[0], [29 / 30, 1 / 60, 1 / 60], rtol=1e-3)


def test_errors_against_their_definitions():
    probabilities = np.array([[0.8, 0.2], [0.4, 0.6], [0.7, 0.3]])
    targets = np.array([0, 0, 1])
    expected = -(np.log(0.8) + np.log(0.4) + np.log(0.3)) / 3
    assert log_loss(probabilities, targets) == pytest.approx(expected)
    assert classification_error(probabilities, targets) == pytest.approx(2 / 3 + 0.3 * expected)
