"""Where the work is done: processes of this machine, or a dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

from joblib import Parallel, delayed, parallel_config


class Workers(NamedTuple):
    """So many processes here, or all of a cluster's.

    Attributes
    ----------
    jobs : int
        Processes; a dask cluster brings its own.
    backend : str
        One of joblib's: "loky" or "dask".
    scheduler : str, optional
        Address of a dask scheduler; none starts a cluster on this machine.
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
                from distributed import Client  # here only: it is not needed otherwise

                client = stack.enter_context(Client(self.scheduler))
                stack.enter_context(parallel_config(backend="dask", client=client))
                jobs = -1
            elif jobs != 1:
                stack.enter_context(parallel_config(backend=self.backend))
            # One call a task, so that what is finished can be written at once.
            yield from Parallel(jobs, return_as="generator_unordered", batch_size=1)(tasks)
