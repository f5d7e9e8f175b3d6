from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch

from tests.models import classifier, regressor

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    gpytorch = pytest.importorskip("gpytorch")

from askl.interop.gpytorch_kernel import SpectralGPyTorchKernel


class Process(gpytorch.models.ExactGP):
    def __init__(self, X, y, likelihood, kernel):
        super().__init__(X, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(kernel)

    def forward(self, X):
        return gpytorch.distributions.MultivariateNormal(self.mean(X), self.kernel(X))


@pytest.fixture(scope="module")
def rows(numbers):
    X, y = numbers
    return torch.from_numpy(X), torch.from_numpy((y - y.mean()) / y.std())


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"hidden_components": (20,)},
        {"scale_inputs": "robust+quantile"},
        {"activation": "paired"},
    ],
)
def test_it_is_the_kernel_of_the_model(parameters, numbers, rows):
    model = regressor(**parameters).fit(*numbers)
    kernel, (X, _) = SpectralGPyTorchKernel(model), rows
    dense = kernel(X[:7]).to_dense().detach().numpy()
    np.testing.assert_allclose(dense, model.kernel(X[:7].numpy()), atol=1e-5)
    between = kernel(X[:7], X[7:10]).to_dense().detach().numpy()
    np.testing.assert_allclose(between, model.kernel(X[:7].numpy(), X[7:10].numpy()), atol=1e-5)
    diagonal = kernel(X[:7], diag=True).detach().numpy()
    np.testing.assert_allclose(diagonal, np.diag(dense), atol=1e-6)


def test_rows_may_come_in_batches(classes):
    model = classifier().fit(*classes)
    batch = torch.from_numpy(classes[0][:12]).reshape(3, 4, 3)
    kernel = SpectralGPyTorchKernel(model)
    dense = kernel(batch).to_dense()
    assert dense.shape == (3, 4, 4)
    torch.testing.assert_close(dense[1], kernel(batch[1]).to_dense())


def train(process, X, y, n_steps=40):
    process.train()
    process.likelihood.train()
    parameters = [p for p in process.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=0.05)
    likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(process.likelihood, process)
    losses = []
    for _ in range(n_steps):
        optimizer.zero_grad()
        loss = -likelihood(process(X), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("trainable", [False, True])
def test_an_exact_process_learns_on_it(trainable, numbers, rows):
    (X, y), model = rows, regressor(max_epochs=30).fit(numbers[0][::2], numbers[1][::2])
    before = model.frequencies_.copy()
    kernel = SpectralGPyTorchKernel(model, trainable=trainable)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    process = Process(X[::2], y[::2], likelihood, kernel).double()
    losses = train(process, X[::2], y[::2])
    assert losses[-1] < losses[0]
    process.eval()
    likelihood.eval()
    with torch.no_grad():
        mean = likelihood(process(X[1::2])).mean
    assert float((mean - y[1::2]).square().mean()) < 0.3
    moved = not np.allclose(kernel.frequencies[0].detach().numpy(), before)
    assert moved == trainable
    np.testing.assert_array_equal(model.frequencies_, before)


def test_without_gpytorch_the_remedy_is_named():
    code = (
        "import sys; sys.modules['gpytorch'] = None\n"
        "try: import askl.interop.gpytorch_kernel\n"
        "except ImportError as error: sys.exit('pip install askl[gpytorch]' not in str(error))\n"
        "sys.exit(2)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
