"""Where trials run: in processes of this machine, or on a dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

from joblib import Parallel, delayed, parallel_config


class Workers(NamedTuple):
    """A number of processes of this machine, or all of a cluster.

    Attributes
    ----------
    jobs : int
        Number of processes; a dask cluster has its own.
    backend : str
        Backend of joblib: "loky" or "dask".
    scheduler : str, optional
        Address of a dask scheduler; without one, a cluster starts on this machine.
    """

    jobs: int = 1
    backend: str = "loky"
    scheduler: str | None = None

    def map(
        self, function: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]
    ) -> Iterator[Any]:
        """Apply a function to each tuple of arguments, yielding results as they come."""
        tasks = (delayed(function)(*each) for each in arguments)
        with ExitStack() as stack:
            jobs = self.jobs
            if self.backend == "dask":
                from distributed import Client  # here only: loky does not need it

                client = stack.enter_context(Client(self.scheduler))
                stack.enter_context(parallel_config(backend="dask", client=client))
                jobs = -1
            elif jobs != 1:
                stack.enter_context(parallel_config(backend=self.backend))
            # Each task is one call, so that its result can be written at once.
            yield from Parallel(jobs, return_as="generator_unordered", batch_size=1)(tasks)
