from __future__ import annotations

import pytest
import torch

from askl.learning import HEAD_NORMS, OPTIMIZERS, Objective, squared_loss
from tests import naive
from tests.learning.problem import FULL_BATCH, fit, make_problem, whole

IN_TORCH = {
    "adam": torch.optim.Adam,
    "sgd": torch.optim.SGD,
    "adadelta": torch.optim.Adadelta,
}


@pytest.mark.parametrize("name", IN_TORCH)
def test_every_optimizer_is_torch_s_own(name):
    rows, model = make_problem()
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=0.1)
    reference = model.copy()
    leaves = [reference.layers[0].frequencies.requires_grad_(), reference.weights.requires_grad_()]
    groups = [{"params": [leaves[0]], "lr": 0.05}, {"params": [leaves[1]], "lr": 0.5}]
    optimizer = IN_TORCH[name](groups, foreach=False)
    for _ in range(FULL_BATCH.max_epochs):
        optimizer.zero_grad()
        naive.smooth_objective(reference, objective, whole(rows)).backward()
        optimizer.step()
    fit(model, rows, FULL_BATCH._replace(optimizer=name), objective)
    torch.testing.assert_close(model.layers[0].frequencies, leaves[0].detach())
    torch.testing.assert_close(model.weights, leaves[1].detach())


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_run_continues_from_the_optimizer_state(name):
    rows, model = make_problem()
    options = FULL_BATCH._replace(optimizer=name, max_epochs=2)
    once = model.copy()
    fit(once, rows, options)
    state = None
    for _ in range(2):
        result = fit(model, rows, options._replace(max_epochs=1), optimizer_state=state)
        state = result.optimizer_state
    # Batches of all rows differ by their order only.
    torch.testing.assert_close(model.weights, once.weights)
    torch.testing.assert_close(model.layers[0].frequencies, once.layers[0].frequencies)
