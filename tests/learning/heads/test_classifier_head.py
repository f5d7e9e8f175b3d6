from __future__ import annotations

import pytest
import torch

from askl.estimators.symmetry_augmentation import PermutedRows
from askl.learning import Model, TensorRows
from askl.learning.heads.classifier_head import collect_features, solve_classifier_head
from askl.learning.heads.head_problem import make_head_problem
from askl.learning.heads.penalty_path import walk_penalty_path
from askl.learning.model import compute_features
from askl.learning.sources import BLOCK_ROWS, Split
from askl.spectral import Layer

MANY = 10**9


def make_case(n_samples=300, n_held_out=200, n_classes=2, noise=1.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n_samples + n_held_out, 3, generator=generator)
    errors = noise * torch.randn(len(x), n_classes, generator=generator)
    y = (x[:, :1] * torch.linspace(-2, 2, n_classes) + errors).argmax(dim=1)
    layer = Layer(
        torch.randn(1, 3, 120, generator=generator), 6.28 * torch.rand(1, 120, generator=generator)
    )
    model = Model((layer,), torch.zeros(120, n_classes))
    train = TensorRows(x[:n_samples], y[:n_samples])
    return model, Split(train, TensorRows(x[n_samples:], y[n_samples:]))


def log_loss_of(model, rows):
    batch = next(rows.blocks(MANY))
    outputs = compute_features(batch.inputs, model.layers) @ model.weights
    return float(torch.nn.functional.cross_entropy(outputs, batch.targets))


@pytest.mark.parametrize("head_norm", ["frobenius", "trace"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_chosen_head_is_the_optimum_on_all_rows(n_classes, head_norm):
    model, split = make_case(n_classes=n_classes)
    solved = solve_classifier_head(model, split, "log", head_norm)
    assert solved.strength == min(solved.scores, key=solved.scores.get)
    assert 1e-4 < solved.strength < 1.0
    rows = [next(part.blocks(MANY)) for part in split[:2]]
    features = compute_features(torch.cat([batch.inputs for batch in rows]), model.layers)
    targets = torch.cat([batch.targets for batch in rows])
    problem = make_head_problem(features, targets, "log", n_classes)
    (point,) = walk_penalty_path(problem, head_norm, [solved.strength])
    torch.testing.assert_close(model.weights, point.weights.float())


def test_a_head_that_is_too_large_is_brought_back():
    model, split = make_case(noise=4.0)
    batch = next(split.train.blocks(MANY))
    features = compute_features(batch.inputs, model.layers)
    (overfitted,) = walk_penalty_path(
        make_head_problem(features, batch.targets, "log", 2), strengths=[1e-4]
    )
    model.weights.copy_(overfitted.weights)
    before = log_loss_of(model, split.held_out)
    solved = solve_classifier_head(model, split, "log", "frobenius")
    assert solved.strength >= 0.01
    assert min(solved.scores.values()) < 0.8 * before


def test_a_trained_head_that_is_better_is_kept():
    model, split = make_case()
    batch = next(split.held_out.blocks(MANY))
    features = compute_features(batch.inputs, model.layers)
    (best,) = walk_penalty_path(
        make_head_problem(features, batch.targets, "log", 2), strengths=[0.01]
    )
    model.weights.copy_(best.weights)
    solved = solve_classifier_head(model, split, "log", "frobenius")
    assert solved.strength is None
    torch.testing.assert_close(model.weights, best.weights.float())


def test_a_given_strength_needs_no_held_out_rows():
    model, split = make_case()
    alone = Split(split.train, None)
    assert solve_classifier_head(model, alone, "log", "frobenius", 0.1).strength == 0.1
    with pytest.raises(ValueError, match="held-out"):
        solve_classifier_head(model, alone, "log", "frobenius")


def test_strength_one_is_the_null_model():
    model, split = make_case()
    solve_classifier_head(model, split, "smoothed_log", "trace", 1.0)
    assert not model.weights.any()


def test_of_very_many_rows_some_are_taken():
    model, split = make_case()
    batch = next(split.train.blocks(MANY))
    rows = collect_features(model, split.train, BLOCK_ROWS, 120 * 100)
    torch.testing.assert_close(rows.features, compute_features(batch.inputs[::3], model.layers))
    assert rows.targets.equal(batch.targets[::3])


def test_sample_weights_count():
    model, split = make_case()
    x, y = split.train.rows(torch.arange(300))[:2]
    counts = torch.arange(300) % 3 + 1
    weighted = TensorRows(x, y, counts / counts.float().mean())
    solve_classifier_head(model, Split(weighted, None), "log", "frobenius", 0.1)
    twice, _ = make_case()
    index = torch.arange(300).repeat_interleave(counts)
    solve_classifier_head(
        twice, Split(TensorRows(x[index], y[index]), None), "log", "frobenius", 0.1
    )
    torch.testing.assert_close(model.weights, twice.weights, rtol=1e-2, atol=1e-3)


def test_rows_in_several_orders_count_as_one_beside_the_held_out_rows():
    model, split = make_case()
    orders = torch.tensor([[0, 1, 2], [0, 2, 1]])
    solved = solve_classifier_head(
        model, split._replace(train=PermutedRows(split.train, orders)), "log", "frobenius", 0.1
    )
    assert solved.strength == 0.1
    x, y = split.train.rows(torch.arange(300))[:2]
    held = split.held_out.rows(torch.arange(200))
    inputs = torch.cat([x, x[:, [0, 2, 1]], held.inputs])
    weights = torch.cat([torch.full((600,), 0.5), torch.ones(200)])
    other, _ = make_case()
    rows = TensorRows(inputs, torch.cat([y, y, held.targets]), weights / weights.mean())
    solve_classifier_head(other, Split(rows, None), "log", "frobenius", 0.1)
    torch.testing.assert_close(model.weights, other.weights, rtol=1e-2, atol=1e-3)
