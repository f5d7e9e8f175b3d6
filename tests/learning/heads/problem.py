"""Rows and oracles for the tests of solved heads."""

from __future__ import annotations

import torch

from askl.learning import HEAD_NORMS
from askl.learning.heads.head_problem import make_head_problem
from askl.learning.heads.penalty_path import walk_penalty_path
from askl.learning.losses import HINGE_TEMPERATURE

DOUBLE = torch.float64
SOLVED_NORMS = [name for name, row in HEAD_NORMS.items() if row.unsquared is not None]
STRENGTHS = [1.0, 0.5, 0.2, 0.05, 0.01]


def make_rows(n_samples=120, width=8, n_classes=3, *, noise=1.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    scales = 0.7 ** torch.arange(width, dtype=DOUBLE)
    features = torch.randn(n_samples, width, generator=generator, dtype=DOUBLE) * scales + 0.3
    truth = torch.randn(width, n_classes, generator=torch.Generator().manual_seed(7), dtype=DOUBLE)
    errors = torch.randn(n_samples, n_classes, generator=generator, dtype=DOUBLE)
    return features, (features @ truth / scales[1] + noise * errors).argmax(dim=1)


def make_weights(n_samples=120):
    return torch.rand(n_samples, generator=torch.Generator().manual_seed(1), dtype=DOUBLE) + 0.1


def solve(features, targets, head_norm, strengths, *, loss="log", tolerance=1e-8, **options):
    problem = make_head_problem(features, targets, loss, int(targets.max()) + 1, **options)
    return list(walk_penalty_path(problem, head_norm, strengths, tolerance=tolerance))


def gradient_of(point, features, targets, loss="log", shares=None):
    """The gradient of the mean loss, by automatic differentiation."""
    shares = (
        torch.full((len(targets),), 1.0 / len(targets), dtype=DOUBLE) if shares is None else shares
    )
    weights = point.weights.clone().requires_grad_()
    outputs = features @ weights + (0.0 if point.intercept is None else point.intercept)
    if loss == "hinge":
        margins = 1.0 - torch.nn.functional.one_hot(targets, outputs.shape[1]).to(DOUBLE)
        soft = HINGE_TEMPERATURE * torch.logsumexp((outputs + margins) / HINGE_TEMPERATURE, dim=1)
        values = soft - outputs.gather(1, targets[:, None]).squeeze(1)
    else:
        smoothing = {"log": 0.0, "smoothed_log": 0.02}[loss]
        values = torch.nn.functional.cross_entropy(
            outputs, targets, reduction="none", label_smoothing=smoothing
        )
    (gradient,) = torch.autograd.grad((values * shares).sum(), weights)
    return gradient
