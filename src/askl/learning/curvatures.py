"""Second derivatives of losses at the outputs, for the solvers of the head."""

from __future__ import annotations

import torch
from torch import Tensor


def softmax_curvature(outputs: Tensor, targets: Tensor) -> Tensor:
    """Compute the curvature diag(p) - p pᵀ of the log loss, p = softmax(f), for every sample.

    The smoothed log loss has the same: the two differ by a linear function of the outputs.

    Parameters
    ----------
    outputs : Tensor of shape (n_samples, n_outputs)
    targets : Tensor of shape (n_samples,)
        Class indices, which change nothing.

    Returns
    -------
    Tensor of shape (n_samples, n_outputs, n_outputs)

    Examples
    --------
    >>> import torch
    >>> softmax_curvature(torch.zeros(1, 2), torch.tensor([0]))
    tensor([[[ 0.2500, -0.2500],
             [-0.2500,  0.2500]]])
    """
    probabilities = torch.softmax(outputs, dim=1)
    products = probabilities[:, :, None] * probabilities[:, None, :]
    return torch.diag_embed(probabilities) - products
