from __future__ import annotations

import numpy as np
import pytest
import torch

from askl.learning.norms.singular_values import gram_singular, right_singular


def make_matrix(n_rows, values, generator):
    values = torch.tensor(values, dtype=torch.float64)
    left, _ = torch.linalg.qr(torch.randn(n_rows, len(values), generator=generator).double())
    right, _ = torch.linalg.qr(torch.randn(len(values), len(values), generator=generator).double())
    return left * values @ right.t()


@pytest.mark.parametrize("decompose", [gram_singular, right_singular])
def test_values_and_vectors_give_the_gram_matrix(decompose, generator):
    weights = make_matrix(30, [3.0, 2.0, 0.5], generator)
    values, vectors = decompose(weights)
    np.testing.assert_allclose(sorted(values), [0.5, 2.0, 3.0], rtol=1e-9)
    torch.testing.assert_close((vectors * values.square()) @ vectors.t(), weights.t() @ weights)


def test_a_small_value_beside_a_large_one_is_kept(generator):
    values, _ = right_singular(make_matrix(30, [1.0, 1e-10], generator))
    assert float(values[1]) == pytest.approx(1e-10, rel=1e-3)


def test_a_wide_matrix_has_a_vector_for_every_output(generator):
    weights = torch.randn(2, 5, generator=generator, dtype=torch.float64)
    values, vectors = right_singular(weights)
    assert values[2:].tolist() == [0.0] * 3
    torch.testing.assert_close(vectors.t() @ vectors, torch.eye(5, dtype=torch.float64))
    torch.testing.assert_close(
        (weights @ vectors[:, 2:]).abs().max().item(), 0.0, atol=1e-12, rtol=0
    )
