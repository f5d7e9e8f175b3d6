"""The floor that the hardware sets: the kernels that every step needs, and nothing else.

All memory is allocated before. Loss, sums over branches, products with the gradient, penalties
and the drawing of batches are left out, so that every real step takes longer.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from benchmarks.problems import Shape, draw_model, draw_rows

# The number of angles of a block of rows, which stay in cache between product and cosine.
CACHED_ANGLES = 2**18


def training_floor(shape: Shape, generator: torch.Generator) -> Callable[[], None]:
    """Return a step of the unavoidable work: products, cosine, sine and the fused update."""
    (layer,), weights = draw_model(shape, generator)
    frequencies, phases = layer.frequencies, layer.phases[:, None, :]
    inputs, _ = draw_rows(shape, shape.batch_size, generator)
    forward = inputs.expand(2, *inputs.shape)
    backward = inputs.t().expand(2, *inputs.t().shape)
    output_gradient = torch.randn(shape.batch_size, shape.n_outputs, generator=generator)
    output_gradient /= shape.batch_size
    angles = torch.empty(2, shape.batch_size, shape.n_components)
    cosines, features = torch.empty_like(angles), torch.empty_like(angles[0])
    outputs = torch.empty_like(output_gradient)
    frequencies.grad, weights.grad = torch.zeros_like(frequencies), torch.zeros_like(weights)
    # The rate is so small that the angles stay as drawn in all repetitions of the step.
    optimizer = torch.optim.Adam([frequencies, weights], lr=1e-9, fused=True)

    def step() -> None:
        torch.baddbmm(phases, forward, frequencies, out=angles)
        torch.cos(angles, out=cosines)
        torch.mm(cosines[0], weights, out=outputs)
        torch.mm(cosines[0].t(), output_gradient, out=weights.grad)
        torch.mm(output_gradient, weights.t(), out=features)
        angles.sin_()
        torch.bmm(backward, angles, out=frequencies.grad)
        optimizer.step()

    return step


def prediction_floor(shape: Shape, n_rows: int, generator: torch.Generator) -> Callable[[], None]:
    """Return a pass over some rows: two products and the cosine, block by block."""
    (layer,), weights = draw_model(shape, generator)
    phases = layer.phases[:, None, :]
    inputs, _ = draw_rows(shape, n_rows, generator)
    length = CACHED_ANGLES // (2 * shape.n_components)
    angles = torch.empty(2, length, shape.n_components)
    outputs = torch.empty(n_rows, shape.n_outputs)

    def run() -> None:
        for rows, out in zip(inputs.split(length), outputs.split(length), strict=True):
            block = angles[:, : len(rows)]
            torch.baddbmm(phases, rows.expand(2, *rows.shape), layer.frequencies, out=block)
            torch.mm(block.cos_()[0], weights, out=out)

    return run
