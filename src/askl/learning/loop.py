"""The steps of the training loop: gradient, step, proximal step, record, decision to stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TypeAlias

import torch

from askl.errors import DistributedError
from askl.learning.batch import Batch
from askl.learning.dropout import Dropout
from askl.learning.gradients import compute_gradients
from askl.learning.history import Progress
from askl.learning.model import Model, Workspace
from askl.learning.objective import Objective
from askl.learning.options import SCHEDULES, TrainingOptions
from askl.learning.parallel.strategies import SingleProcess
from askl.learning.run_state import Checkpointer, LoopState, Stop
from askl.learning.sources import Source

Callback: TypeAlias = Callable[[Progress, Model], None]


@dataclass
class Loop:
    """One call of :func:`askl.learning.train`: its arguments, which stay, and its moving state.

    ``model`` is the whole model, ``state.model`` the part that this process trains. They are the
    same tensors unless processes divide the components among themselves.
    """

    model: Model
    objective: Objective
    source: Source
    options: TrainingOptions
    generator: torch.Generator
    strategy: SingleProcess
    state: LoopState
    score: Callable[[Model], float] | None
    callback: Callback | None
    checkpointer: Checkpointer | None
    workspace: Workspace = field(default_factory=Workspace)
    last_update: float = field(default_factory=time.perf_counter)

    @cached_property
    def n_batches(self) -> int:
        """Batches of an epoch."""
        return self.source.n_batches(self.options.batch_size)

    def begin(self) -> None:
        """Save the first state, unless the run is resumed: a bad path fails before training."""
        if self.checkpointer is not None and self.checkpointer.restored is None:
            self.save()

    def batches(self) -> Iterator[Batch]:
        """Return the batches of the epoch that are still to be taken."""
        state = self.state
        n_taken = state.iterations - state.epochs * self.n_batches
        return state.order.batches(self.source, self.options.batch_size, n_taken=n_taken)

    def step(self, batch: Batch) -> None:
        """Take one gradient step, and the proximal step unless it is too small to matter."""
        state, options, strategy = self.state, self.options, self.strategy
        before = self.generator.get_state()
        try:
            gradients = compute_gradients(
                state.model,
                self.objective,
                self._add_noise(batch),
                self.workspace,
                learn_frequencies=bool(options.learning_rates),
                dropout=self._dropout(),
                shard=strategy.rows,
                all_reduce=strategy.all_reduce_outputs,
            )
            gradients = strategy.all_reduce_gradients(gradients)
        except DistributedError:
            # Only the generator has moved: save the state after the last complete iteration.
            self.generator.set_state(before)
            if strategy.has_full_state:
                self.save(failing=True)
            raise
        rates = self._learning_rates()
        state.optimizer.step([*gradients.frequencies, gradients.weights], rates)
        # NOTE[DIFF]: η λ₁ is exact for plain gradient steps; after an adaptive step (Adam,
        # Adadelta) the same threshold is a convention, as in the paper.
        state.pending_threshold += self.objective.head_penalty * rates[-1]
        if state.pending_threshold > options.prox_tolerance * state.head_size:
            self._take_proximal_step()
        state.means.add(gradients.loss, gradients.feature_norm)
        state.iterations += 1

    def _learning_rates(self) -> list[float]:
        """Return the rates of this iteration: of each layer that is learned, then of the head."""
        options = self.options
        total = options.max_epochs * self.n_batches
        factor = SCHEDULES[options.schedule](self.state.iterations / total)
        return [factor * rate for rate in (*options.learning_rates, options.head_learning_rate)]

    def _dropout(self) -> Dropout | None:
        rate = self.options.dropout
        return Dropout(rate, self.generator, self.strategy.components) if rate else None

    def _add_noise(self, batch: Batch) -> Batch:
        """Add noise to the inputs of all rows, even if this process uses only some of them."""
        if not self.options.input_noise:
            return batch
        noise = torch.randn(batch.inputs.shape, generator=self.generator).to(batch.inputs)
        return batch._replace(inputs=noise.mul_(self.options.input_noise).add_(batch.inputs))

    def _take_proximal_step(self) -> None:
        """Take all pending proximal steps as one, whose threshold is the sum of theirs."""
        # NOTE[DIFF]: the paper thresholds after every gradient step. Steps this small vanish in
        # single precision, and each costs a decomposition.
        state, strategy = self.state, self.strategy
        if state.pending_threshold > 0.0:
            weights = strategy.gather(state.model.weights)
            weights = self.objective.head_norm.prox(weights, state.pending_threshold)
            state.model.weights.copy_(strategy.scatter(weights))
            state.head_size = float(weights.square().sum().sqrt())
            state.pending_threshold = 0.0

    def after_step(self) -> None:
        """Add a record and save a checkpoint, where they are due."""
        state, every, checkpointer = self.state, self.options.record_every, self.checkpointer
        if every and state.iterations % every == 0:
            self._update_model()
            self._record(None)
        if checkpointer is not None and state.stop is None:
            is_due = state.iterations >= checkpointer.next_iteration
            if self.strategy.any_process(is_due):
                self.save()

    def end_epoch(self) -> None:
        """Score the model, add a record, and decide whether to stop."""
        state = self.state
        state.epochs += 1
        self._update_model()
        score = None
        if self.score is not None:
            score = self.strategy.broadcast(partial(self.score, self.model))
        if not self.options.record_every:
            self._record(score)
        if state.stop is None:
            state.stop = self._judge(score) if self.model.is_finite() else "diverged"

    def _record(self, score: float | None) -> None:
        """Add a record to the history, and stop if the objective is not finite."""
        self._update_seconds()
        state, objective, weights = self.state, self.objective, self.model.weights
        loss, feature_norm = state.means.take("loss"), state.means.take("feature_norm")
        is_finite = math.isfinite(loss) and bool(weights.isfinite().all())
        head_norm = float(objective.head_norm.value(weights)) if is_finite else math.nan
        total = objective.total(loss, head_norm, feature_norm)
        progress = Progress(
            epoch=state.epochs,
            iteration=state.iterations,
            loss=loss,
            head_norm=head_norm,
            feature_norm=feature_norm,
            objective=total,
            score=score,
            seconds=state.seconds,
        )
        state.history.append(progress)
        if self.callback is not None:
            self.callback(progress, self.model)
        if not math.isfinite(total):
            state.stop = "diverged"

    def _judge(self, score: float | None) -> Stop | None:
        """Remember the best model, and return why to stop after this epoch, if at all."""
        state, options = self.state, self.options
        loss = state.means.take("epoch_loss")
        if score is None:
            # The loss is a mean over the epoch, so it counts for the model at its start.
            if loss < state.best_loss:
                state.best.copy_from(state.epoch_start)
                state.best_loss = loss
            state.epoch_start.copy_from(state.model)
        elif score > state.best_score:
            state.best.copy_from(state.model)
            state.best_score, state.best_epoch = score, state.epochs
        elif options.patience and state.epochs - state.best_epoch >= options.patience:
            return "early_stopping"
        return "max_epochs" if state.epochs >= options.max_epochs else None

    def _update_model(self) -> None:
        """Bring the whole model up to date with all steps of all processes."""
        self._take_proximal_step()
        self._gather_model()

    def _gather_model(self) -> None:
        if self.state.model is not self.model:
            self.model.restore(self.strategy.gather_all(self.state.model.tensors()))

    def save(self, *, failing: bool = False) -> None:
        """Save a checkpoint, if there is a checkpointer."""
        if self.checkpointer is not None:
            self._update_seconds()
            state = self.state.to_run_state(self.strategy.gather_all)
            self.checkpointer.save(state, failing=failing)

    def _update_seconds(self) -> None:
        now = time.perf_counter()
        self.state.seconds += now - self.last_update
        self.last_update = now

    def finish(self) -> None:
        """Restore the best model if the last one is not it, and save the final state."""
        state = self.state
        has_scores = self.score is not None and state.best_score > -math.inf
        if state.stop == "diverged" or (has_scores and state.stop != "interrupted"):
            state.model.copy_from(state.best)
        # Processes are interrupted at different moments, and then cannot communicate any more.
        if state.stop != "interrupted":
            self._gather_model()
            self.save()
