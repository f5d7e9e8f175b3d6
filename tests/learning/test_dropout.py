from __future__ import annotations

import pytest
import torch

from askl.learning.dropout import Dropout
from askl.spectral import Layer
from tests.learning.problem import DOUBLE


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5, 0.9])
def test_dropout_leaves_out_its_share_everywhere_and_keeps_the_mean(rate, generator):
    rows, columns = 40_000, 16
    layer = Layer(torch.empty(1, 1, columns, dtype=DOUBLE), torch.empty(1, columns))
    mask = Dropout(rate, generator).mask(layer, n_rows=rows, part=slice(None))
    assert mask.dtype == DOUBLE
    dropped = (mask == 0.0).double()
    kept = mask[mask > 0.0]
    assert (kept == kept[0]).all()
    # A share is good to 1/512, and four deviations of chance.
    band = 1.0 / 512 + 4.0 * (rate * (1.0 - rate) / rows) ** 0.5
    assert (dropped.mean(dim=0) - rate).abs().max() < band
    noise = (rate / (1.0 - rate) / mask.numel()) ** 0.5
    assert float(mask.mean()) == pytest.approx(1.0, abs=4.0 * noise)
    neighbours = torch.corrcoef(dropped.t()) - torch.eye(columns, dtype=DOUBLE)
    assert neighbours.abs().max() < 5.0 / rows**0.5


def draw_mask(layer, part=slice(0, 30), components=slice(None)):
    dropout = Dropout(0.3, torch.Generator().manual_seed(4), components)
    return dropout.mask(layer, n_rows=30, part=part)


@pytest.mark.parametrize("activation", ["cosine", "paired"])
def test_processes_draw_parts_of_the_same_mask(activation):
    layer = Layer(torch.zeros(2, 3, 10), torch.zeros(2, 10), activation)
    mask = draw_mask(layer)
    assert torch.equal(draw_mask(layer, part=slice(7, 19)), mask[7:19])
    some = Layer(torch.zeros(2, 3, 4), torch.zeros(2, 4), activation, n_whole=10)
    expected = mask.view(30, -1, 10)[:, :, 3:7].reshape(30, -1)
    assert torch.equal(draw_mask(some, components=slice(3, 7)), expected)
