"""Training: the loop over epochs and batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch

from askl.learning.history import Progress
from askl.learning.loop import Callback, Loop
from askl.learning.model import Model
from askl.learning.objective import Objective
from askl.learning.optimizers import Moments
from askl.learning.options import TrainingOptions
from askl.learning.parallel.process_group import ProcessGroup
from askl.learning.parallel.strategies import choose_strategy
from askl.learning.run_state import Checkpointer, LoopState, Stop
from askl.learning.sources import Source


class TrainingResult(NamedTuple):
    """What training returns. The model itself is changed in place.

    Attributes
    ----------
    history : list of Progress
    stop : {"max_epochs", "early_stopping", "diverged", "interrupted"}
        Why training ended.
    n_epochs : int
        Epochs trained.
    optimizer_state : dict of str to Tensor, optional
        What the optimiser remembers, to continue with: see :func:`train`.

    Examples
    --------
    >>> import torch
    >>> from askl.learning import HEAD_NORMS, TensorRows, squared_loss
    >>> from askl.spectral import Layer
    >>> x, layer = torch.ones(8, 1), Layer(torch.zeros(1, 1, 4), torch.zeros(1, 4))
    >>> result = train(
    ...     Model((layer,), torch.zeros(4, 1)), Objective(squared_loss, HEAD_NORMS["trace"]),
    ...     TensorRows(x, x), TrainingOptions((), 0.1, max_epochs=2),
    ...     generator=torch.Generator().manual_seed(0))
    >>> result.stop, result.n_epochs
    ('max_epochs', 2)
    """

    history: list[Progress]
    stop: Stop
    n_epochs: int
    optimizer_state: Moments | None = None


@torch.no_grad()
def train(
    model: Model,
    objective: Objective,
    source: Source,
    options: TrainingOptions,
    *,
    generator: torch.Generator,
    score: Callable[[Model], float] | None = None,
    callback: Callback | None = None,
    optimizer_state: Moments | None = None,
    checkpointer: Checkpointer | None = None,
    group: ProcessGroup | None = None,
) -> TrainingResult:
    """Minimise the objective, updating the model's tensors in place.

    Each iteration takes a gradient step on the smooth part for frequencies and head, then the
    proximal step of the head norm (equations 7 to 9 of the paper). If training diverges, the best
    finite model so far remains. If it is interrupted, the last one remains. The result contains
    the reason why training ended.

    Parameters
    ----------
    model : Model
    objective : Objective
    source : Source
        Yields batches.
    options : TrainingOptions
    generator : torch.Generator
        Decides the order of the samples, dropout and input noise.
    score : callable, optional
        ``score(model) -> float``, called after each epoch; higher is better. The model of the
        best epoch remains.
    callback : callable, optional
        ``callback(progress, model)``, called after each new record of the history.
    optimizer_state : dict of str to Tensor, optional
        From an earlier result, to continue with what the optimiser remembers.
    checkpointer : Checkpointer, optional
        Saves the state of the run when it is due. A run that resumes from such a state ends with
        the same bits as one that never stopped.
    group : ProcessGroup, optional
        The processes that train together. All must call this function with the same arguments;
        the first one computes the score.

    Returns
    -------
    TrainingResult

    Examples
    --------
    >>> import torch
    >>> from askl.learning import HEAD_NORMS, Model, Objective, TensorRows, squared_loss
    >>> from askl.spectral import Layer
    >>> generator = torch.Generator().manual_seed(0)
    >>> x = torch.linspace(-1, 1, 64)[:, None]
    >>> layer = Layer(torch.randn(1, 1, 32, generator=generator), torch.rand(1, 32))
    >>> model = Model((layer,), torch.zeros(32, 1))
    >>> result = train(
    ...     model, Objective(squared_loss, HEAD_NORMS["trace"]), TensorRows(x, x.sin()),
    ...     TrainingOptions((0.01,), 0.1, max_epochs=200), generator=generator)
    >>> result.history[-1].loss < 1e-3
    True
    """
    strategy = choose_strategy(group, model, options.batch_size)
    state = LoopState.before_training(strategy.part_of(model), options, generator)
    if optimizer_state is not None:
        state.optimizer.restore(strategy.scatter_all(optimizer_state))
    if checkpointer is not None and checkpointer.restored is not None:
        state.restore(checkpointer.restored, strategy.scatter_all)
    loop = Loop(
        model=model,
        objective=objective,
        source=source,
        options=options,
        generator=generator,
        strategy=strategy,
        state=state,
        score=score,
        callback=callback,
        checkpointer=checkpointer,
    )
    try:
        loop.begin()
        while state.stop is None:
            for batch in loop.batches():
                # Not around everything: scores and callbacks may need autograd.
                with torch.inference_mode():
                    loop.step(batch)
                loop.after_step()
                if state.stop is not None:
                    break
            else:
                loop.end_epoch()
    except KeyboardInterrupt:
        state.stop = "interrupted"
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # the head is not finite
        state.stop = "diverged"
    loop.finish()
    # Processes that were interrupted cannot ask each other for the parts that they have.
    is_known = strategy.has_full_state or state.stop != "interrupted"
    moments = strategy.gather_all(state.optimizer.tensors()) if is_known else None
    return TrainingResult(state.history, state.stop, state.epochs, moments)
