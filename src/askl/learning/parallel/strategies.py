"""How processes divide one fit: by the rows of each batch, or by the components of the model.

All processes see the same batches and draw the same dropout masks. So their steps equal those of
a single process, except for the order in which numbers are added up. Data-parallel processes
divide the rows of a batch, and sum the gradients of all parameters in each step. Model-parallel
processes divide the components, and sum only the outputs on a batch: each has its own frequencies
and their rows of W, whose gradients need nothing else from the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor
from torch.nn.functional import pad

from askl.learning.batch import ALL_ROWS, Shard
from askl.learning.gradients import Gradients
from askl.learning.model import Model
from askl.learning.parallel.process_group import ProcessGroup

Result = TypeVar("Result")


class SingleProcess:
    """One process that has all rows and all components."""

    rows: Shard = ALL_ROWS
    components: slice = slice(None)
    # Whether this process knows the state of the whole run without asking the others.
    has_full_state = True
    _group: ProcessGroup | None = None

    def scatter(self, whole: Tensor) -> Tensor:
        """Return this process's part of frequencies, weights or their moments."""
        return whole

    def gather(self, part: Tensor) -> Tensor:
        """Assemble a whole tensor from the parts that :meth:`scatter` gave to the processes."""
        return part

    def scatter_all(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return this process's part of each tensor."""
        return {name: self.scatter(whole) for name, whole in tensors.items()}

    def gather_all(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Assemble each tensor from the parts of all processes."""
        return {name: self.gather(part) for name, part in tensors.items()}

    def part_of(self, model: Model) -> Model:
        """Return what this process trains: the model, or some of its components."""
        return model

    def all_reduce_outputs(self, outputs: Tensor, norm: Tensor) -> tuple[Tensor, Tensor]:
        """Sum the outputs, and the feature norm, over the components of all processes."""
        return outputs, norm

    def all_reduce_gradients(self, gradients: Gradients) -> Gradients:
        """Sum the gradients over the rows of all processes."""
        return gradients

    def any_process(self, flag: bool) -> bool:
        """Return True if the flag is set in any of the processes that must act together."""
        return flag

    def broadcast(self, compute: Callable[[], Result]) -> Result:
        """Compute something in the first process, and return it in all of them."""
        return compute() if self._group is None else self._group.broadcast(compute)


class DataParallel(SingleProcess):
    """Each process has the whole model, and takes its share of the rows of every batch."""

    _group: ProcessGroup

    def __init__(self, group: ProcessGroup) -> None:
        self.rows, self._group = group.shard, group
        self._buffer: Tensor | None = None

    def all_reduce_gradients(self, gradients: Gradients) -> Gradients:
        """Sum the gradients of all processes, in one flat buffer."""
        parts = [*gradients.frequencies, gradients.weights, gradients.loss, gradients.feature_norm]
        if self._buffer is None:
            self._buffer = parts[0].new_empty(sum(part.numel() for part in parts))
        flat = torch.cat([part.reshape(-1) for part in parts], out=self._buffer)
        sums = self._group.all_reduce(flat).split([part.numel() for part in parts])
        *frequencies, weights = (
            total.view_as(part) for total, part in zip(sums[:-2], parts[:-2], strict=True)
        )
        # Copies: these two are still needed when the next step overwrites the buffer.
        loss, feature_norm = (total[0].clone() for total in sums[-2:])
        return Gradients(loss, feature_norm, frequencies, weights)


class ModelParallel(SingleProcess):
    """Each process has some components of a model of one layer, and takes all rows."""

    has_full_state = False
    _group: ProcessGroup

    def __init__(self, group: ProcessGroup, n_components: int) -> None:
        self._group, self._n_whole = group, n_components
        self.components = group.shard.part(n_components)
        self._n_part = self.components.stop - self.components.start

    def scatter(self, whole: Tensor) -> Tensor:
        """Copy this process's components."""
        if whole.ndim == 0:  # a number of steps, the same in all processes
            return whole.clone()
        part = _component_view(whole, self._n_whole)[:, self.components]
        shape = _with_components(whole, self._n_whole, self._n_part)
        return part.reshape(shape).clone(memory_format=torch.contiguous_format)

    def gather(self, part: Tensor) -> Tensor:
        """Collect the components of all processes."""
        if part.ndim == 0:
            return part
        own = _component_view(part, self._n_part)
        longest = -(-self._n_whole // self._group.shard.size)
        parts = self._group.all_gather(pad(own, (0, 0, 0, longest - self._n_part)))
        whole = own.new_empty(own.shape[0], self._n_whole, own.shape[2])
        for rank, padded in enumerate(parts):
            there = self._group.shard._replace(rank=rank).part(self._n_whole)
            whole[:, there] = padded[:, : there.stop - there.start]
        return whole.view(_with_components(part, self._n_part, self._n_whole))

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
        """Sum the outputs and feature norms of all processes, in one message."""
        # Gathered and summed here: for few numbers this is faster than an all-reduce.
        parts = self._group.all_gather(torch.cat([outputs.reshape(-1), norm.view(1)]))
        flat = torch.stack(parts).sum(dim=0)
        # The norm is copied, so that it does not keep the outputs in memory.
        return flat[:-1].view(outputs.shape), flat[-1].clone()

    def any_process(self, flag: bool) -> bool:
        """Return True in all processes if the flag is set in any of them."""
        return bool(self._group.all_reduce(torch.tensor(float(flag))))


def _component_view(tensor: Tensor, n_components: int) -> Tensor:
    """View frequencies or weights as three axes, of which the middle one counts components.

    Frequencies have the axes (branch, input, component). The rows of weights count components,
    once for each of the features that a component has.
    """
    if tensor.ndim == 3:
        return tensor.reshape(-1, n_components, 1)
    return tensor.reshape(-1, n_components, tensor.shape[1])


def _with_components(tensor: Tensor, n_components: int, n_others: int) -> tuple[int, ...]:
    """Return the shape that the tensor has with another number of components."""
    if tensor.ndim == 3:
        return (*tensor.shape[:2], n_others)
    return (len(tensor) // n_components * n_others, tensor.shape[1])


def choose_strategy(group: ProcessGroup | None, model: Model, batch_size: int) -> SingleProcess:
    """Choose the strategy that has to sum fewer numbers in each step.

    Parameters
    ----------
    group : ProcessGroup, optional
        None: a single process.
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
    # Components of a hidden layer are inputs of the next layer, which needs all of them.
    if others or n_components < group.shard.size or batch_size * n_outputs > n_parameters:
        return DataParallel(group)
    return ModelParallel(group, n_components)
