"""The one loop: batch, gradient, step, prox; with schedules, early stopping and a history."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import torch

from askl.errors import DistributedError
from askl.learning.dropout import Dropout
from askl.learning.gradients import Gradients, compute_gradients
from askl.learning.history import Progress, Recorder
from askl.learning.model import Model, Workspace
from askl.learning.objective import Objective
from askl.learning.optimizers import Moments
from askl.learning.options import SCHEDULES, TrainingOptions, make_optimizer
from askl.learning.parallel.process_group import ProcessGroup
from askl.learning.parallel.strategies import choose_strategy
from askl.learning.run_state import Checkpointer, RunState, flatten, unflatten
from askl.learning.sources import Batch, Source

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
    checkpointer: Checkpointer | None = None,
    group: ProcessGroup | None = None,
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
    checkpointer : Checkpointer, optional
        Is handed the state of the run as often as it asks. A run that goes on from such a
        state ends with the same bits as one that never stopped.
    group : ProcessGroup, optional
        The processes to share the fit with. All must call this function alike; the score is the
        first one's.

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
    run = _Run(model, objective, source, options, generator, score, callback, checkpointer, group)
    if optimizer_state is not None:
        run.restore_optimizer(optimizer_state)
    run.resume()
    try:
        run.keep_start()
        while run.stop is None:
            run.stop = run.epoch()
    except KeyboardInterrupt:
        run.stop = "interrupted"
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # the head is not finite
        run.stop = "diverged"
    run.finish()
    return TrainingResult(run.recorder.history, run.stop, run.epochs, run.optimizer_state())


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
    """The moving parts of one call of :func:`train`.

    ``model`` is the whole model, ``part`` what this process trains of it; they are the same
    tensors unless processes share the components.
    """

    def __init__(
        self,
        model: Model,
        objective: Objective,
        source: Source,
        options: TrainingOptions,
        generator: torch.Generator,
        score: Callable[[Model], float] | None,
        callback: Callback | None,
        checkpointer: Checkpointer | None,
        group: ProcessGroup | None,
    ) -> None:
        self.model, self.objective, self.source, self.options = model, objective, source, options
        self.generator, self.score, self.callback, self.checkpointer = (
            generator,
            score,
            callback,
            checkpointer,
        )
        self.group, self.sharing = group, choose_strategy(group, model, options.batch_size)
        self.part = self.sharing.part_of(model)
        self.optimizer = make_optimizer(self.part, options)
        self.recorder = Recorder(model, objective)
        self.workspace = Workspace()
        self.n_batches = source.n_batches(options.batch_size)
        self.best, self.best_score, self.best_epoch = self.part.copy(), -math.inf, 0
        self.start, self.least = self.part.copy(), math.inf
        self.epochs = self.iterations = 0
        self.pending_threshold = self.head_size = 0.0
        self.order_state = generator.get_state()
        self.stop: Stop | None = None

    def resume(self) -> None:
        """Go on from the kept state, if there is one."""
        if self.checkpointer is not None and self.checkpointer.restored is not None:
            self.restore(self.checkpointer.restored)

    def keep_start(self) -> None:
        """Keep the first state, where none is kept: a place that fails shows at once."""
        if self.checkpointer is not None and self.checkpointer.restored is None:
            self.checkpointer.save(self.state())

    def epoch(self) -> Stop | None:
        """Train one epoch or what is left of it, record it, and say whether and why to stop."""
        every, checkpointer = self.options.record_every, self.checkpointer
        for batch in self._batches():
            self.iteration(batch)
            if every and self.iterations % every == 0:
                self.settle()
                if not self._record(None):
                    return "diverged"
            if checkpointer is not None and self.sharing.any_process(
                self.iterations >= checkpointer.next_iteration
            ):
                checkpointer.save(self.state())
        self.epochs += 1
        self.settle()
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

    # Not the whole run: what callbacks and scores do may need what torch does not keep here.
    @torch.inference_mode()
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
        rate, sharing, before = self.options.dropout, self.sharing, self.generator.get_state()
        try:
            gradients = compute_gradients(
                self.part,
                self.objective,
                self._blur(batch),
                self.workspace,
                learn_frequencies=bool(self.options.learning_rates),
                dropout=Dropout(rate, self.generator, sharing.components) if rate else None,
                shard=sharing.rows,
                all_reduce=sharing.all_reduce_outputs,
            )
            return sharing.all_reduce_gradients(gradients)
        except DistributedError:
            # Nothing has moved but the generator: keep the last iteration before it all ends.
            self.generator.set_state(before)
            if self.checkpointer is not None and sharing.has_full_state:
                self.checkpointer.save(self.state(), failing=True)
            raise

    def _blur(self, batch: Batch) -> Batch:
        """Add noise to the inputs, drawn for all rows: processes that share them agree."""
        if not self.options.input_noise:
            return batch
        noise = torch.randn(batch.inputs.shape, generator=self.generator).to(batch.inputs)
        return batch._replace(inputs=noise.mul_(self.options.input_noise).add_(batch.inputs))

    def _score(self) -> float | None:
        if self.score is None:
            return None
        evaluate = partial(self.score, self.model)
        return evaluate() if self.group is None else self.group.broadcast(evaluate)

    def prox(self) -> None:
        """Take the proximal steps that are due, as one: their thresholds add up."""
        if self.pending_threshold > 0.0:
            weights = self.sharing.gather(self.part.weights)
            weights = self.objective.head_norm.prox(weights, self.pending_threshold)
            self.part.weights.copy_(self.sharing.scatter(weights))
            self.head_size = float(weights.square().sum().sqrt())
            self.pending_threshold = 0.0

    def settle(self) -> None:
        """Let the whole model be what the steps so far make of it."""
        self.prox()
        self.collect()

    def collect(self) -> None:
        """Bring the whole model up to date with what the processes have trained."""
        if self.part is not self.model:
            for name, tensor in self._gather(self.part.tensors()).items():
                self.model.tensors()[name].copy_(tensor)

    def _gather(self, tensors: Moments) -> Moments:
        return {name: self.sharing.gather(tensor) for name, tensor in tensors.items()}

    def _scatter(self, tensors: Moments) -> Moments:
        return {name: self.sharing.scatter(tensor) for name, tensor in tensors.items()}

    def finish(self) -> None:
        """Leave the best state in the model where the last one is not it, and keep the end."""
        better = self.score is not None and self.best_score > -math.inf
        if self.stop == "diverged" or (better and self.stop != "interrupted"):
            self.part.copy_from(self.best)
        # Processes are interrupted at different moments: no time to ask each other for anything.
        if self.stop != "interrupted":
            self.collect()
            if self.checkpointer is not None:
                self.checkpointer.save(self.state())

    def optimizer_state(self) -> Moments | None:
        """Return what the optimiser remembers, where the processes can still tell."""
        together = self.sharing.has_full_state or self.stop != "interrupted"
        return self._gather(self.optimizer.tensors()) if together else None

    def state(self) -> RunState:
        """Return all that moves, for :meth:`restore`."""
        tensors = {
            "model": self._gather(self.part.tensors()),
            "best": self._gather(self.best.tensors()),
            "start": self._gather(self.start.tensors()),
            "optimizer": self._gather(self.optimizer.tensors()),
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
        for part, model in (("model", self.part), ("best", self.best), ("start", self.start)):
            for name, tensor in self._scatter(parts[part]).items():
                model.tensors()[name].copy_(tensor)
        self.restore_optimizer(parts.get("optimizer", {}))
        self.recorder.restore(parts["recorder"], numbers["history"], numbers["seconds"])
        self.generator.set_state(parts["generator"]["now"])
        self.order_state = parts["generator"]["order"]
        for name in _NUMBERS:
            setattr(self, name, numbers[name])

    def restore_optimizer(self, tensors: Moments) -> None:
        """Let the optimiser remember what another one did."""
        self.optimizer.restore(self._scatter(tensors))

    def _record(self, score: float | None) -> bool:
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
            self.start.copy_from(self.part)
        elif score > self.best_score:
            self.best.copy_from(self.part)
            self.best_score, self.best_epoch = score, self.epochs
        elif self.options.patience and self.epochs - self.best_epoch >= self.options.patience:
            return "early_stopping"
        return "max_epochs" if self.epochs >= self.options.max_epochs else None
