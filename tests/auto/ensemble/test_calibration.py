"""Temperature scaling of probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from askl.auto.ensemble.calibration import apply_temperature, choose_temperature


def test_a_temperature_of_one_changes_nothing_and_others_keep_the_order():
    random = np.random.default_rng(0)
    probabilities = random.dirichlet(np.ones(4), size=50)
    np.testing.assert_allclose(apply_temperature(probabilities, 1.0), probabilities, atol=1e-8)
    for temperature in (0.3, 3.0):
        scaled = apply_temperature(probabilities, temperature)
        np.testing.assert_allclose(scaled.sum(axis=1), 1.0)
        np.testing.assert_array_equal(scaled.argmax(axis=1), probabilities.argmax(axis=1))


def test_it_is_a_softmax_of_divided_logits():
    logits = np.random.default_rng(0).normal(size=(20, 3))
    probabilities, expected = softmax(logits, axis=1), softmax(logits / 2.5, axis=1)
    np.testing.assert_allclose(apply_temperature(probabilities, 2.5), expected)


def test_the_temperature_that_was_applied_is_found_again():
    random = np.random.default_rng(0)
    probabilities = random.dirichlet(np.ones(3), size=20_000)
    targets = np.array([random.choice(3, p=row) for row in probabilities])
    for applied, expected in ((0.5, 2.0), (1.0, 1.0), (2.0, 0.5)):
        given = apply_temperature(probabilities, applied)
        assert choose_temperature(given, targets, most=4.0) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("most", [1.5, 4.0])
def test_it_stays_within_its_bounds(most):
    certain_and_wrong = np.tile([0.999, 0.001], (100, 1))
    found = choose_temperature(certain_and_wrong, np.ones(100, dtype=int), most=most)
    assert found == pytest.approx(most, rel=0.01)
    unsure_and_right = np.tile([0.51, 0.49], (100, 1))
    found = choose_temperature(unsure_and_right, np.zeros(100, dtype=int), most=most)
    assert found == pytest.approx(1.0 / most, rel=0.01)


def test_few_rows_that_are_right_do_not_make_certain():
    right = np.tile([0.9, 0.05, 0.05], (28, 1))
    temperature = choose_temperature(right, np.zeros(28, dtype=int), most=4.0)
    scaled = apply_temperature(right, temperature)
    np.testing.assert_allclose(scaled[0], [29 / 30, 1 / 60, 1 / 60], rtol=1e-3)
