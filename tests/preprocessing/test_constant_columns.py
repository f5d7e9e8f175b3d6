from __future__ import annotations

import numpy as np
import pytest

from askl.preprocessing.constant_columns import divisors, is_constant


@pytest.mark.parametrize("value", [0.1, -1e6 / 3.0, 1e-100, 0.0])
def test_what_rounding_leaves_of_a_constant_column_is_constant(value):
    column = np.full(99_999, value)
    assert is_constant(column.std(), column.mean())
    assert divisors(column.std(), column.mean()) == 1.0


def test_the_rounding_of_a_running_mean_is_constant():
    assert 0.1 + 0.2 - 0.3 != 0.0
    assert is_constant(np.array([0.1 + 0.2 - 0.3]), np.array([0.3])).all()


def test_small_but_real_deviations_are_kept():
    deviations, means = np.array([1e-11, 0.0, 1e-300, 5.0]), np.array([-1.0, 0.0, 0.0, 1e12])
    assert is_constant(deviations, means).tolist() == [False, True, False, False]
    assert divisors(deviations, means).tolist() == [1e-11, 1.0, 1e-300, 5.0]
