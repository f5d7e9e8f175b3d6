from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askl.preprocessing.quantiles import weighted_quantiles
from tests import naive

LEVELS = np.array([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0])
weighted_columns = st.lists(
    st.tuples(st.floats(-1e6, 1e6), st.integers(1, 5)), min_size=1, max_size=15
)


@given(weighted_columns)
def test_weighted_quantiles_are_repetition(pairs):
    column, weights = (np.array(part) for part in zip(*pairs, strict=True))
    weighted = weighted_quantiles(column, weights.astype(float), LEVELS)
    repeated = weighted_quantiles(np.repeat(column, weights), None, LEVELS)
    np.testing.assert_array_equal(weighted, repeated)
    expected = [naive.quantile(column.tolist(), weights.tolist(), level) for level in LEVELS]
    np.testing.assert_array_equal(weighted, expected)


def test_unweighted_quantiles_are_numpy_s(rng):
    column = rng.normal(size=101)
    expected = np.quantile(column, LEVELS, method="inverted_cdf")
    np.testing.assert_array_equal(weighted_quantiles(column, None, LEVELS), expected)
