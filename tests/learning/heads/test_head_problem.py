from __future__ import annotations

import pytest
import torch

from askl.learning import LOSSES
from askl.learning.heads.head_problem import contrasts, make_head_problem
from tests.learning.heads.problem import (
    DOUBLE,
    STRENGTHS,
    make_rows,
    solve,
)


@pytest.mark.parametrize("n_outputs", [2, 3, 7])
def test_contrasts_are_orthonormal_and_sum_to_zero(n_outputs):
    basis = contrasts(n_outputs, LOSSES["log"])
    torch.testing.assert_close(basis.t() @ basis, torch.eye(n_outputs - 1, dtype=DOUBLE))
    torch.testing.assert_close(basis.sum(dim=0), torch.zeros(n_outputs - 1, dtype=DOUBLE))


def test_blocks_of_features_are_the_features():
    features, targets = make_rows()
    whole = solve(features, targets, "trace", STRENGTHS, tolerance=1e-6, intercept=True)
    blocks = solve(
        lambda: features.split(17), targets, "trace", STRENGTHS, tolerance=1e-6, intercept=True
    )
    for one, other in zip(blocks, whole, strict=True):
        torch.testing.assert_close(one.weights, other.weights, rtol=1e-4, atol=1e-6)


def test_features_that_are_not_finite_are_an_error():
    features, targets = make_rows()
    features[3, 2] = torch.nan
    with pytest.raises(ValueError, match=r"NaN.*learning rates"):
        make_head_problem(features, targets, "log", 3)
