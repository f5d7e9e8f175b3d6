"""How processes share one fit: by the rows of every batch, or by the components of the model.

All processes see the same batches and draw the same dropout masks, so that their steps are those
of one process, but for the order in which numbers are added up. By rows, the gradients of all
parameters are summed in every step. By components, only the outputs of a batch are: each process
has its own frequencies and their rows of W, on which nothing of the others depends but the sum.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

from askl.learning.gradients import Gradients
from askl.learning.model import Model
from askl.learning.parallel.process_group import ProcessGroup
from askl.learning.sources import ALL_ROWS, Shard


class SingleProcess:
    """One process by itself: it has all rows and all components."""

    rows: Shard = ALL_ROWS
    components: slice = slice(None)
    # Whether this process knows the state of the whole run without asking others.
    has_full_state = True

    def scatter(self, whole: Tensor) -> Tensor:
        """Return this process's part of frequencies, weights or their moments."""
        return whole

    def gather(self, part: Tensor) -> Tensor:
        """Return the whole that the processes' parts are cut from."""
        return part

    def part_of(self, model: Model) -> Model:
        """Return what this process trains: the model, or some of its components."""
        return model

    def all_reduce_outputs(self, outputs: Tensor, norm: Tensor) -> tuple[Tensor, Tensor]:
        """Add the outputs, and the feature norm, of other processes' components."""
        return outputs, norm

    def all_reduce_gradients(self, gradients: Gradients) -> Gradients:
        """Add the gradients of other processes' rows."""
        return gradients

    def any_process(self, wish: bool) -> bool:
        """Say whether to do now what must be done together, if it must."""
        return wish


class DataParallel(SingleProcess):
    """Every process takes its rows of every batch, and has the whole model."""

    def __init__(self, group: ProcessGroup) -> None:
        self.rows, self._group = group.shard, group
        self._buffer: Tensor | None = None

    def all_reduce_gradients(self, gradients: Gradients) -> Gradients:
        """Add the gradients of all processes, in one flat buffer."""
        parts = [*gradients.frequencies, gradients.weights, gradients.loss, gradients.feature_norm]
        if self._buffer is None:
            self._buffer = parts[0].new_empty(sum(part.numel() for part in parts))
        flat = torch.cat([part.reshape(-1) for part in parts], out=self._buffer)
        sums = self._group.all_reduce(flat).split([part.numel() for part in parts])
        *frequencies, weights = (
            total.view_as(part) for total, part in zip(sums[:-2], parts[:-2], strict=True)
        )
        # The two means outlive the buffer's next use.
        loss, feature_norm = (total[0].clone() for total in sums[-2:])
        return Gradients(loss, feature_norm, frequencies, weights)


class ModelParallel(SingleProcess):
    """Every process trains its components of a model of one layer, on all rows."""

    has_full_state = False

    def __init__(self, group: ProcessGroup, n_components: int) -> None:
        self._group, self._n_whole = group, n_components
        self.components = group.shard.part(n_components)
        self._n_part = self.components.stop - self.components.start

    def scatter(self, whole: Tensor) -> Tensor:
        """Copy this process's components."""
        if whole.ndim == 0:  # a count of steps, the same for all
            return whole.clone()
        part = _component_view(whole, self._n_whole)[:, self.components]
        shape = _shape(whole, self._n_whole, self._n_part)
        return part.reshape(shape).clone(memory_format=torch.contiguous_format)

    def gather(self, part: Tensor) -> Tensor:
        """Gather the components of all processes."""
        if part.ndim == 0:
            return part
        own = _component_view(part, self._n_part)
        longest = -(-self._n_whole // self._group.shard.size)
        parts = self._group.all_gather(pad(own, (0, 0, 0, longest - self._n_part)))
        whole = own.new_empty(own.shape[0], self._n_whole, own.shape[2])
        for rank, padded in enumerate(parts):
            there = self._group.shard._replace(rank=rank).part(self._n_whole)
            whole[:, there] = padded[:, : there.stop - there.start]
        return whole.view(_shape(part, self._n_part, self._n_whole))

    def part_of(self, model: Model) -> Model:
        """Copy this process's components of a model."""
        (layer,) = model.layers
        part = layer._replace(
            frequencies=self.scatter(layer.frequencies),
            phases=layer.phases[:, self.components].contiguous(),
            n_whole=self._n_whole,
        )
        return Model((part,), self.scatter(model.weights))

    def all_reduce_outputs(self, outputs: Tensor, norm: Tensor) -> tuple[Tensor, Tensor]:
        """Add outputs and feature norms of all processes, in one message."""
        # A few numbers arrive sooner than their sum would.
        parts = self._group.all_gather(torch.cat([outputs.reshape(-1), norm.view(1)]))
        flat = torch.stack(parts).sum(dim=0)
        return flat[:-1].view(outputs.shape), flat[-1].clone()  # which outlives the outputs

    def any_process(self, wish: bool) -> bool:
        """Let all do what any process wishes."""
        return bool(self._group.all_reduce(torch.tensor(float(wish))))


def _component_view(tensor: Tensor, n_components: int) -> Tensor:
    """View frequencies (branch, input, component) or weights (kind and component, output) as
    three axes, of which the middle one counts components.
    """
    if tensor.ndim == 3:
        return tensor.reshape(-1, n_components, 1)
    return tensor.reshape(-1, n_components, tensor.shape[1])


def _shape(tensor: Tensor, n_components: int, n_others: int) -> tuple[int, ...]:
    """Return the tensor's shape with another number of components."""
    if tensor.ndim == 3:
        return (*tensor.shape[:2], n_others)
    return (len(tensor) // n_components * n_others, tensor.shape[1])


def choose_strategy(group: ProcessGroup | None, model: Model, batch_size: int) -> SingleProcess:
    """Choose how to share, so that the fewer numbers are summed in a step.

    Parameters
    ----------
    group : ProcessGroup, optional
        None: one process by itself.
    model : Model
    batch_size : int

    Returns
    -------
    SingleProcess
    """
    if group is None:
        return SingleProcess()
    first, *others = model.layers
    n_components, n_outputs = first.frequencies.shape[2], model.weights.shape[1]
    n_parameters = sum(tensor.numel() for tensor in model.tensors().values())
    # Components of a hidden layer are inputs of the next, which needs them all.
    if others or n_components < group.shard.size or batch_size * n_outputs > n_parameters:
        return DataParallel(group)
    return ModelParallel(group, n_components)
