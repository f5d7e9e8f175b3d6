"""The one loop: batch, gradient, step, prox; with schedules, early stopping and a history."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import torch

from askl.errors import DistributedError
from askl.learning.backpropagation import Gradients, Model, Workspace, compute_gradients
from askl.learning.batches import ALL_ROWS, Batch, Source
from askl.learning.descent import SCHEDULES, TrainingOptions, make_optimizer
from askl.learning.distribution import Group
from askl.learning.dropout import Dropout
from askl.learning.history import Progress, Recorder
from askl.learning.objective import Objective
from askl.learning.optimizers import Moments
from askl.learning.states import Keeper, RunState, flatten, unflatten

Stop: TypeAlias = Literal["max_epochs", "early_stopping", "diverged", "interrupted"]

# Proximal steps are put off until their thresholds add up to this share of the head's norm: a
# shift of singular values that a float32 step would not notice need not cost a decomposition.
PROX_TOLERANCE = 1e-5


class TrainingResult(NamedTuple):
    """What training leaves behind, beside the model it trained in place.

    Attributes
    ----------
    history : list of Progress
    stop : {"max_epochs", "early_stopping", "diverged", "interrupted"}
        Why training ended.
    n_epochs : int
        Epochs trained.
    optimizer_state : dict of str to Tensor, optional
        To go on from there: see :func:`train`.

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


Callback: TypeAlias = Callable[[Progress, Model], None]


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
    keeper: Keeper | None = None,
    group: Group | None = None,
) -> TrainingResult:
    """Minimise the objective, updating the model's tensors in place.

    Every iteration takes a gradient step on the smooth part for frequencies and head, then the
    proximal step of the head norm (equations 7 to 9 of the paper). A diverging or interrupted
    run leaves the best finite state so far in the model and says so in the result.

    Parameters
    ----------
    model : Model
    objective : Objective
    source : Source
        Yields batches.
    options : TrainingOptions
    generator : torch.Generator
        Decides the order of samples.
    score : callable, optional
        ``score(model) -> float`` after each epoch, higher is better. With it the best epoch's
        state is what remains.
    callback : callable, optional
        Called with every new record and the model.
    optimizer_state : dict of str to Tensor, optional
        What an earlier result holds, to go on from there.
    keeper : Keeper, optional
        Is handed the state of the run as often as it asks. A run that goes on from such a
        state ends with the same bits as one that never stopped.
    group : Group, optional
        The processes to share the rows of every batch with. All must call this function alike;
        the score is the first one's.

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
    run = _Run(model, objective, source, options, generator, score, callback, keeper, group)
    if optimizer_state is not None:
        run.optimizer.restore(optimizer_state)
    run.begin()
    try:
        while run.stop is None:
            run.stop = run.epoch()
    except KeyboardInterrupt:
        run.stop = "interrupted"
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # the head is not finite
        run.stop = "diverged"
    run.finish()
    return TrainingResult(run.recorder.history, run.stop, run.epochs, run.optimizer.tensors())


# The plain numbers among a run's moving parts.
_NUMBERS = (
    "epochs",
    "iterations",
    "best_score",
    "best_epoch",
    "least",
    "pending_threshold",
    "head_size",
    "stop",
)


class _Run:
    """The moving parts of one call of :func:`train`."""

    def __init__(
        self,
        model: Model,
        objective: Objective,
        source: Source,
        options: TrainingOptions,
        generator: torch.Generator,
        score: Callable[[Model], float] | None,
        callback: Callback | None,
        keeper: Keeper | None,
        group: Group | None,
    ) -> None:
        self.model, self.objective, self.source, self.options = model, objective, source, options
        self.generator, self.score, self.callback, self.keeper = generator, score, callback, keeper
        self.group = group
        self.optimizer = make_optimizer(model, options)
        self.recorder = Recorder(model, objective)
        self.workspace = Workspace()
        self.n_batches = source.n_batches(options.batch_size)
        self.best, self.best_score, self.best_epoch = model.copy(), -math.inf, 0
        self.start, self.least = model.copy(), math.inf
        self.epochs = self.iterations = 0
        self.pending_threshold = self.head_size = 0.0
        self.order_state = generator.get_state()
        self.stop: Stop | None = None

    def begin(self) -> None:
        """Go on from the kept state, or keep the first: a place that fails shows at once."""
        if self.keeper is None:
            return
        if self.keeper.kept is not None:
            self.restore(self.keeper.kept)
        else:
            self.keeper.keep(self.state())

    def epoch(self) -> Stop | None:
        """Train one epoch or what is left of it, record it, and say whether and why to stop."""
        every, keeper = self.options.record_every, self.keeper
        for batch in self._batches():
            self.iteration(batch)
            if every and self.iterations % every == 0 and not self._record(None):
                return "diverged"
            if keeper is not None and self.iterations >= keeper.due:
                keeper.keep(self.state())
        self.epochs += 1
        self.prox()
        score = self._score()
        if not every and not self._record(score):
            return "diverged"
        if not self.model.is_finite():
            return "diverged"
        return self._judge(score)

    def _batches(self) -> Iterator[Batch]:
        """Ask the source for the epoch's batches, without those taken before a resumption."""
        taken, now = self.iterations - self.epochs * self.n_batches, self.generator.get_state()
        if taken == self.n_batches:  # it stopped between the last batch and the epoch's record
            return iter(())
        if taken == 0:
            self.order_state = now
        # Draw the epoch's order again; then go on where dropout had drawn to.
        self.generator.set_state(self.order_state)
        batches = self.source.epoch(self.options.batch_size, self.generator, skip=taken)
        if taken > 0:
            self.generator.set_state(now)
        return batches

    def iteration(self, batch: Batch) -> None:
        """Take one gradient step and one proximal step."""
        options = self.options
        gradients = self._gradients(batch)
        total = options.max_epochs * self.n_batches
        factor = SCHEDULES[options.schedule](self.iterations / total)
        head_rate = factor * options.head_learning_rate
        rates = [factor * rate for rate in options.learning_rates]
        self.optimizer.step([*gradients.frequencies, gradients.weights], [*rates, head_rate])
        # NOTE[DIFF]: η λ₁ is exact for plain gradient steps; after an adaptive step (Adam,
        # Adadelta) the same threshold is a convention, as in the paper.
        self.pending_threshold += self.objective.head_penalty * head_rate
        if self.pending_threshold > PROX_TOLERANCE * self.head_size:
            self.prox()
        self.recorder.add(gradients)
        self.iterations += 1

    def _gradients(self, batch: Batch) -> Gradients:
        rate, group = self.options.dropout, self.group
        before = None if group is None else self.generator.get_state()
        gradients = compute_gradients(
            self.model,
            self.objective,
            batch,
            self.workspace,
            learn_frequencies=bool(self.options.learning_rates),
            dropout=Dropout(rate, self.generator) if rate else None,
            shard=ALL_ROWS if group is None else group.shard,
        )
        if group is None or before is None:
            return gradients
        try:
            return group.add_up(gradients)
        except DistributedError:
            # Nothing has moved but the generator: keep the last iteration before it all ends.
            self.generator.set_state(before)
            if self.keeper is not None:
                self.keeper.keep(self.state(), failing=True)
            raise

    def _score(self) -> float | None:
        if self.score is None:
            return None
        evaluate = partial(self.score, self.model)
        return evaluate() if self.group is None else self.group.from_first(evaluate)

    def prox(self) -> None:
        """Take the proximal steps that are due, as one: their thresholds add up."""
        weights = self.model.weights
        if self.pending_threshold > 0.0:
            weights.copy_(self.objective.head_norm.prox(weights, self.pending_threshold))
            self.head_size = float(weights.square().sum().sqrt())
            self.pending_threshold = 0.0

    def finish(self) -> None:
        """Leave the best state in the model where the last one is not it, and keep the end."""
        better = self.score is not None and self.best_score > -math.inf
        if self.stop == "diverged" or (better and self.stop != "interrupted"):
            self.model.copy_from(self.best)
        if self.keeper is not None and self.stop != "interrupted":
            self.keeper.keep(self.state())

    def state(self) -> RunState:
        """Return all that moves, for :meth:`restore`."""
        tensors = {
            "model": self.model.tensors(),
            "best": self.best.tensors(),
            "start": self.start.tensors(),
            "optimizer": self.optimizer.tensors(),
            "recorder": self.recorder.tensors(),
            "generator": {"now": self.generator.get_state(), "order": self.order_state},
        }
        numbers: dict[str, Any] = {name: getattr(self, name) for name in _NUMBERS}
        numbers["history"] = [list(record) for record in self.recorder.history]
        numbers["seconds"] = self.recorder.seconds()
        return RunState(flatten(tensors), numbers)

    def restore(self, state: RunState) -> None:
        """Go on from a state."""
        parts, numbers = unflatten(state.tensors), state.numbers
        for part in ("model", "best", "start"):
            for name, tensor in getattr(self, part).tensors().items():
                tensor.copy_(parts[part][name])
        self.optimizer.restore(parts.get("optimizer", {}))
        self.recorder.restore(parts["recorder"], numbers["history"], numbers["seconds"])
        self.generator.set_state(parts["generator"]["now"])
        self.order_state = parts["generator"]["order"]
        for name in _NUMBERS:
            setattr(self, name, numbers[name])

    def _record(self, score: float | None) -> bool:
        self.prox()
        progress = self.recorder.record(self.epochs, self.iterations, score)
        if self.callback is not None:
            self.callback(progress, self.model)
        return math.isfinite(progress.objective)

    def _judge(self, score: float | None) -> Stop | None:
        loss = self.recorder.epoch_loss()
        if score is None:
            # Should a later epoch diverge: the state an epoch's mean loss is of is its first.
            if loss < self.least:
                self.best.copy_from(self.start)
                self.least = loss
            self.start.copy_from(self.model)
        elif score > self.best_score:
            self.best.copy_from(self.model)
            self.best_score, self.best_epoch = score, self.epochs
        elif self.options.patience and self.epochs - self.best_epoch >= self.options.patience:
            return "early_stopping"
        return "max_epochs" if self.epochs >= self.options.max_epochs else None
