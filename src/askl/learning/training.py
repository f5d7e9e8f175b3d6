"""The one loop: batch, gradient, step, prox; with schedules, early stopping and a history."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor

from askl.learning.backpropagation import Dropout, Gradients, Model, Workspace, compute_gradients
from askl.learning.batches import Source
from askl.learning.objective import Objective

Stop: TypeAlias = Literal["max_epochs", "early_stopping", "diverged", "interrupted"]

OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    # Fused: one pass over parameters and moments instead of a dozen.
    "adam": lambda groups: torch.optim.Adam(groups, fused=True),
    "sgd": lambda groups: torch.optim.SGD(groups, fused=True),
    "adadelta": torch.optim.Adadelta,
}

# Proximal steps are put off until their thresholds add up to this share of the head's norm: a
# shift of singular values that a float32 step would not notice need not cost a decomposition.
PROX_TOLERANCE = 1e-5

SCHEDULES: dict[str, Callable[[float], float]] = {
    "constant": lambda progress: 1.0,
    "cosine": lambda progress: 0.5 * (1.0 + math.cos(math.pi * progress)),
}


class TrainingOptions(NamedTuple):
    """How to descend.

    Attributes
    ----------
    learning_rates : tuple of float
        One for each layer's frequencies. Empty: frequencies stay as assigned.
    head_learning_rate : float
    optimizer, schedule : str
        Keys of :data:`OPTIMIZERS` and :data:`SCHEDULES`.
    batch_size, max_epochs : int
    dropout : float
        Share of features left out at random in every step.
    patience : int, optional
        Epochs without a better validation score before stopping; needs ``score``.
    record_every : int, optional
        Iterations between two records of the history; an epoch by default.
    """

    learning_rates: tuple[float, ...]
    head_learning_rate: float
    optimizer: str = "adam"
    schedule: str = "cosine"
    batch_size: int = 256
    max_epochs: int = 20
    dropout: float = 0.0
    patience: int | None = None
    record_every: int | None = None


class Progress(NamedTuple):
    """One record of the history: means since the last record, norms at the time of it."""

    epoch: int
    iteration: int
    loss: float
    head_norm: float
    feature_norm: float
    objective: float
    score: float | None
    seconds: float


class TrainingResult(NamedTuple):
    """What training leaves behind, beside the model it trained in place."""

    history: list[Progress]
    stop: Stop
    n_epochs: int
    optimizer_state: dict[str, Any] | None = None


Callback: TypeAlias = Callable[[Progress, Model], None]


class _Recorder:
    """Running means of loss and feature norm, turned into records on request."""

    def __init__(self, model: Model, objective: Objective) -> None:
        self.model, self.objective = model, objective
        self.history: list[Progress] = []
        self.started = time.perf_counter()
        self._losses: list[Tensor] = []
        self._of_epoch: list[Tensor] = []
        self._feature_norms: list[Tensor] = []

    def add(self, gradients: Gradients) -> None:
        self._losses.append(gradients.loss)
        self._of_epoch.append(gradients.loss)
        self._feature_norms.append(gradients.feature_norm)

    def epoch_loss(self) -> float:
        """Return the mean loss since the last call."""
        loss = float(torch.stack(self._of_epoch).double().mean())
        self._of_epoch.clear()
        return loss

    def record(self, epoch: int, iteration: int, score: float | None) -> Progress:
        loss = float(torch.stack(self._losses).double().mean())
        feature_norm = float(torch.stack(self._feature_norms).double().mean())
        finite = math.isfinite(loss) and bool(self.model.weights.isfinite().all())
        head_norm = (
            float(self.objective.head_norm.value(self.model.weights)) if finite else math.nan
        )
        progress = Progress(
            epoch=epoch,
            iteration=iteration,
            loss=loss,
            head_norm=head_norm,
            feature_norm=feature_norm,
            objective=self.objective.total(loss, head_norm, feature_norm),
            score=score,
            seconds=time.perf_counter() - self.started,
        )
        self.history.append(progress)
        self._losses.clear()
        self._feature_norms.clear()
        return progress


def _make_optimizer(model: Model, options: TrainingOptions) -> torch.optim.Optimizer:
    groups: list[dict[str, Any]] = [
        {"params": [layer.frequencies], "lr": rate}
        for layer, rate in zip(model.layers, options.learning_rates, strict=False)
    ]
    groups.append({"params": [model.weights], "lr": options.head_learning_rate})
    return OPTIMIZERS[options.optimizer](groups)


def _apply(optimizer: torch.optim.Optimizer, gradients: Gradients, rates: list[float]) -> None:
    """Hand the closed-form gradients to the optimiser, each group at its rate."""
    all_gradients: list[Tensor] = [*gradients.frequencies, gradients.weights]
    for group, gradient, rate in zip(optimizer.param_groups, all_gradients, rates, strict=True):
        group["params"][0].grad = gradient
        group["lr"] = rate
    optimizer.step()


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
    optimizer_state: dict[str, Any] | None = None,
) -> TrainingResult:
    """Minimise the objective, updating the model's tensors in place.

    Every iteration takes a gradient step on the smooth part for frequencies and head, then the
    proximal step of the head norm (equations 6 to 8 of the paper). A diverging or interrupted
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
    optimizer_state : dict, optional
        What an earlier result holds, to go on from there.

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
    run = _Run(model, objective, source, options, generator, score, callback)
    if optimizer_state is not None:
        run.optimizer.load_state_dict(optimizer_state)
    stop: Stop = "max_epochs"
    try:
        for _ in range(options.max_epochs):
            reason = run.epoch()
            if reason is not None:
                stop = reason
                break
    except KeyboardInterrupt:
        stop = "interrupted"
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # the head is not finite
        stop = "diverged"
    run.finish(stop)
    return TrainingResult(run.recorder.history, stop, run.epochs, run.optimizer.state_dict())


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
    ) -> None:
        self.model, self.objective, self.source, self.options = model, objective, source, options
        self.generator, self.score, self.callback = generator, score, callback
        self.optimizer = _make_optimizer(model, options)
        self.recorder = _Recorder(model, objective)
        self.workspace = Workspace()
        self.total = options.max_epochs * source.n_batches(options.batch_size)
        self.best, self.best_score, self.best_epoch = model.copy(), -math.inf, 0
        self.start, self.least = model.copy(), math.inf
        self.epochs = self.iterations = 0
        self.pending_threshold = self.head_size = 0.0

    def epoch(self) -> Stop | None:
        """Train one epoch, record it, and say whether and why to stop."""
        every = self.options.record_every
        for batch in self.source.epoch(self.options.batch_size, self.generator):
            self.iteration(batch)
            if every and self.iterations % every == 0 and not self._record(None):
                return "diverged"
        self.epochs += 1
        self.prox()
        score = self.score(self.model) if self.score else None
        if not every and not self._record(score):
            return "diverged"
        if not self.model.is_finite():
            return "diverged"
        return self._judge(score)

    def iteration(self, batch: Any) -> None:
        """Take one gradient step and one proximal step."""
        options = self.options
        gradients = compute_gradients(
            self.model,
            self.objective,
            batch,
            self.workspace,
            learn_frequencies=bool(options.learning_rates),
            dropout=Dropout(options.dropout, self.generator) if options.dropout else None,
        )
        factor = SCHEDULES[options.schedule](self.iterations / self.total)
        head_rate = factor * options.head_learning_rate
        rates = [factor * rate for rate in options.learning_rates]
        _apply(self.optimizer, gradients, [*rates, head_rate])
        # NOTE[DIFF]: η λ₁ is exact for plain gradient steps; after an adaptive step (Adam,
        # Adadelta) the same threshold is a convention, as in the paper.
        self.pending_threshold += self.objective.head_penalty * head_rate
        if self.pending_threshold > PROX_TOLERANCE * self.head_size:
            self.prox()
        self.recorder.add(gradients)
        self.iterations += 1

    def prox(self) -> None:
        """Take the proximal steps that are due, as one: their thresholds add up."""
        weights = self.model.weights
        if self.pending_threshold > 0.0:
            weights.copy_(self.objective.head_norm.prox(weights, self.pending_threshold))
            self.head_size = float(weights.square().sum().sqrt())
            self.pending_threshold = 0.0

    def finish(self, stop: Stop) -> None:
        """Leave the best state in the model where the last one is not it."""
        better = self.score is not None and self.best_score > -math.inf
        if stop == "diverged" or (better and stop != "interrupted"):
            self.model.copy_from(self.best)

    def _record(self, score: float | None) -> bool:
        self.prox()
        progress = self.recorder.record(self.epochs, self.iterations, score)
        if self.callback is not None:
            self.callback(progress, self.model)
        return math.isfinite(progress.objective)

    def _judge(self, score: float | None) -> Stop | None:
        if score is None:
            # Should a later epoch diverge: the state an epoch's mean loss is of is its first.
            loss = self.recorder.epoch_loss()
            if loss < self.least:
                self.best.copy_from(self.start)
                self.least = loss
            self.start.copy_from(self.model)
        elif score > self.best_score:
            self.best.copy_from(self.model)
            self.best_score, self.best_epoch = score, self.epochs
        elif self.options.patience and self.epochs - self.best_epoch >= self.options.patience:
            return "early_stopping"
        return None
