"""The processes that train together, and how they communicate."""

from __future__ import annotations

import atexit
import logging
import os
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import torch
import torch.distributed as processes
from torch import Tensor

from askl.errors import DistributedError
from askl.learning.batch import Shard

Result = TypeVar("Result")
_VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


class ProcessGroup(NamedTuple):
    """The processes that train together, seen from one of them.

    Attributes
    ----------
    shard : Shard
        The rank of this process, and the number of processes.
    """

    shard: Shard

    @property
    def is_first(self) -> bool:
        """Whether this is the process that scores, writes files and shows progress."""
        return self.shard.rank == 0

    def all_reduce(self, tensor: Tensor) -> Tensor:
        """Sum the tensors of all processes, in place. All get the same bits."""
        _guard(lambda: processes.all_reduce(tensor))
        return tensor

    def all_gather(self, tensor: Tensor) -> list[Tensor]:
        """Return the tensors of all processes, of equal shapes, in the order of ranks."""
        tensors = [torch.empty_like(tensor) for _ in range(self.shard.size)]
        _guard(lambda: processes.all_gather(tensors, tensor))
        return tensors

    def broadcast(self, compute: Callable[[], Result]) -> Result:
        """Compute something in the first process, and return or raise its outcome in all."""
        box: list[Any] = [None, None]
        if self.is_first:
            try:
                box[0] = compute()
            except Exception as error:
                box[1] = _sendable(error)
        _guard(lambda: processes.broadcast_object_list(box, src=0))
        if box[1] is not None:
            raise box[1]
        result: Result = box[0]
        return result


def _sendable(error: Exception) -> Exception:
    """Return an error that can be sent: itself without its cause, or one with its message."""
    error.__cause__ = error.__context__ = None
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return DistributedError(f"{type(error).__name__}: {error}")
    return error


def join_process_group(device: torch.device) -> ProcessGroup:
    """Join the group of processes that torchrun or the user's program has started.

    Raises
    ------
    DistributedError
        If there is none.
    """
    if not processes.is_initialized():
        missing = [name for name in _VARIABLES if name not in os.environ]
        if missing:
            raise DistributedError(
                f"distributed=True needs processes to share the work, but {missing[0]} is not set. "
                "Start the program with torchrun, such as torchrun --nproc-per-node=2 program.py, "
                "or call torch.distributed.init_process_group before."
            )
        if device.type == "cuda":
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        # Gradients are sent from the device that computes them, everything else from the CPU.
        backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
        processes.init_process_group(backend)
        # Threads of the group that are still running at exit make the interpreter fail.
        atexit.register(_leave_group)
    return ProcessGroup(Shard(processes.get_rank(), processes.get_world_size()))


def _leave_group() -> None:
    if processes.is_initialized():
        processes.destroy_process_group()


_LOST = (
    "Another process of the distributed fit has ended or cannot be reached, so this one ends as "
    "well. See the output of that process for the reason. With a checkpoint, start the program "
    "again, on any number of processes, and it resumes from the checkpoint."
)


def _guard(communicate: Callable[[], object]) -> None:
    try:
        communicate()
    except RuntimeError as error:
        # torchrun ends this process soon after, often before its traceback is printed.
        logging.getLogger("askl").error(_LOST)
        raise DistributedError(_LOST) from error
