"""The stages of a fit, each a function with explicit inputs and outputs.

:func:`fit_model` is the list of them: scale the inputs, draw the density, initialise the head, hold
out rows, transform the inputs, train, fold the transform into the model, solve the head.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
import torch

from askl._typing import Array
from askl.errors import DistributedError
from askl.estimators.build import (
    FitContext,
    Plan,
    ScaledModel,
    draw_model,
    make_objective,
    make_options,
)
from askl.estimators.head import FinalHead, refit_head
from askl.estimators.input_transform import (
    InputTransform,
    decorrelating_matrix,
    relevance_weights,
    short_training,
)
from askl.estimators.progress import show_progress
from askl.estimators.split import HeldOut, make_scorer, predict_held_out
from askl.estimators.symmetry_augmentation import PermutedRows, scaled_orders
from askl.estimators.threads import count_multiplications, use_threads
from askl.estimators.training_data import ArrayData, EncodedRows, TrainingData, column_orders
from askl.learning import Model, Progress, TrainingOptions, TrainingResult, train
from askl.learning.gradients import mean_squared_input_gradient
from askl.learning.optimizers import Moments
from askl.learning.parallel.process_group import ProcessGroup
from askl.learning.sources import Split
from askl.persistence.checkpoint import Checkpoint, describe_parameters, digest_tensors
from askl.preprocessing.input_scaling import Scaling


class FitResult(NamedTuple):
    """What a fit has learned, how training went, and what was measured at the end."""

    fitted: ScaledModel
    training: TrainingResult
    head: FinalHead | None
    relevance: Array | None
    held_out: HeldOut | None = None


FitCallback = Callable[[Progress, ScaledModel], None]


def fit_model(
    plan: Plan,
    data: TrainingData,
    context: FitContext,
    *,
    earlier: ScaledModel | None = None,
    callback: FitCallback | None = None,
    measure_relevance: bool = True,
) -> FitResult:
    """Run all stages of a fit.

    Parameters
    ----------
    plan : Plan
    data : TrainingData
    context : FitContext
    earlier : ScaledModel, optional
        What to continue from; it is trained in place. None: draw a new model.
    callback : callable, optional
        Called at every record, with the model as it is then.
    measure_relevance : bool, default=True
        Also decides whether held-out rows are predicted.

    Returns
    -------
    FitResult
    """
    initial = earlier or draw_initial(plan, data, context)
    rows = data.encode(plan, initial.scaling, context.generator)
    rows = augment(plan, data, initial.scaling, rows)
    require_same_rows(data, context.group)
    model, split = initial.model, rows.split
    options = make_options(plan.parameters, plan.method, model, split.train.n_samples)
    n_multiplications = count_multiplications(model, options.batch_size)
    result = TrainingResult([], "max_epochs", 0)
    checkpoint, head, relevance, held_out = None, None, None, None
    with use_threads(plan.parameters.n_threads, n_multiplications):
        if plan.method.learn_frequencies or not plan.solves_head:
            checkpoint = open_checkpoint(plan, data, context, initial, split, options)
            transform, stopped = transform_inputs(plan, context, initial, rows, options)
            result = stopped or train_transformed(
                plan, context, initial, transform, split, options, checkpoint, callback
            )
            model.copy_from(transform.fold_into(model))
            if measure_relevance and split.held_out is not None:
                held_out = predict_held_out(model, split.held_out)
        if plan.solves_head and result.stop != "interrupted":
            head = refit_head(plan, model, split)
        if measure_relevance:
            relevance = input_relevance(initial, rows, data.n_features)
    if checkpoint is not None and result.stop != "interrupted":
        checkpoint.remove()
    return FitResult(initial, result, head, relevance, held_out)


def fit_part(
    plan: Plan,
    data: ArrayData,
    context: FitContext,
    *,
    earlier: ScaledModel,
    optimizer_state: Moments | None,
) -> FitResult:
    """Train one more epoch on all rows, at constant rates.

    Parameters
    ----------
    plan : Plan
    data : ArrayData
    context : FitContext
    earlier : ScaledModel
        What to continue from; it is trained in place.
    optimizer_state : dict of str to Tensor, or None
        What the optimiser remembers from the epoch before.

    Returns
    -------
    FitResult
    """
    model, scaling = earlier.model, earlier.scaling
    rows = data.encode(plan, scaling, context.generator, hold_out=False)
    rows = augment(plan, data, scaling, rows)
    options = make_options(plan.parameters, plan.method, model, rows.split.train.n_samples)
    options = options._replace(max_epochs=1, schedule="constant", patience=None)
    n_multiplications = count_multiplications(model, options.batch_size)
    with use_threads(plan.parameters.n_threads, n_multiplications):
        result = train(
            model,
            make_objective(plan.loss, plan.method),
            rows.split.train,
            options,
            generator=context.generator,
            optimizer_state=optimizer_state,
            group=context.group,
        )
        relevance = input_relevance(earlier, rows, data.n_features)
    return FitResult(earlier, result, None, relevance)


def draw_initial(plan: Plan, data: TrainingData, context: FitContext) -> ScaledModel:
    """Fit the scaling of the inputs, draw the density and initialise the head."""
    scaling = data.fit_scaling(plan.parameters)
    n_inputs = len(scaling.sources(data.n_features))
    model = draw_model(
        plan.parameters, plan.method, n_inputs, plan.n_outputs, context.generator, context.device
    )
    return ScaledModel(model, scaling, context.seed)


def augment(plan: Plan, data: TrainingData, scaling: Scaling, rows: EncodedRows) -> EncodedRows:
    """Let training see every row in all orders of the columns that the symmetries allow."""
    orders = column_orders(plan.parameters, data.n_features)
    if orders is None:
        return rows
    permuted = PermutedRows(rows.split.train, scaled_orders(orders, scaling).to(rows.sample.device))
    return rows._replace(split=rows.split._replace(train=permuted))


def require_same_rows(data: TrainingData, group: ProcessGroup | None) -> None:
    """Raise a DistributedError where the data are not those of the first process."""
    if group is not None and (own := data.digest()) != group.broadcast(lambda: own):
        raise DistributedError(
            "The processes of a distributed fit must all have the same rows. Those of process "
            f"{group.shard.rank} are not those of process 0. Give every process all rows: "
            "fit divides them among the processes."
        )


def open_checkpoint(
    plan: Plan,
    data: TrainingData,
    context: FitContext,
    initial: ScaledModel,
    split: Split,
    options: TrainingOptions,
) -> Checkpoint | None:
    """Open the checkpoint, whose state must be of a fit like this one."""
    parameters = plan.parameters
    if parameters.checkpoint is None:
        return None
    fit = {
        "estimator": type(parameters).__name__,
        **describe_parameters(parameters.get_params(deep=False)),
        "seed": str(initial.seed),
        "data": data.digest(),
        "first model": digest_tensors(initial.model.tensors()),
    }
    every = parameters.checkpoint_every or split.train.n_batches(options.batch_size)
    return Checkpoint(parameters.checkpoint, fit, every, context.group)


def transform_inputs(
    plan: Plan,
    context: FitContext,
    initial: ScaledModel,
    rows: EncodedRows,
    options: TrainingOptions,
) -> tuple[InputTransform, TrainingResult | None]:
    """Choose the transform of the inputs for training; a trained model has the identity.

    If the short training that measures relevance is interrupted, the model is left as trained so
    far, and its result is returned too.
    """
    transform, group, train_rows = InputTransform(), context.group, rows.split.train
    if not options.learning_rates or initial.model.weights.any():
        return transform, None
    if plan.parameters.decorrelate_inputs:
        matrix = decorrelating_matrix(train_rows)
        transform = InputTransform(matrix if group is None else group.broadcast(lambda: matrix))
    if plan.parameters.weigh_inputs:
        model = initial.model.copy()
        result = train(
            model,
            make_objective(plan.loss, plan.method),
            transform.apply_to_rows(train_rows),
            short_training(options),
            generator=torch.Generator().manual_seed(initial.seed),
            group=group,
        )
        if result.stop == "interrupted":
            initial.model.copy_from(model)
            return transform, result
        relevance = mean_squared_input_gradient(transform.apply(rows.sample), model)
        transform = transform._replace(weights=relevance_weights(relevance))
    return transform, None


def train_transformed(
    plan: Plan,
    context: FitContext,
    initial: ScaledModel,
    transform: InputTransform,
    split: Split,
    options: TrainingOptions,
    checkpoint: Checkpoint | None,
    callback: FitCallback | None,
) -> TrainingResult:
    """Train in place on transformed inputs; scores and callbacks see the transform folded in."""
    is_shown = plan.parameters.verbose and (context.group is None or context.group.is_first)
    bar = show_progress(type(plan.parameters).__name__, options.max_epochs)
    score = make_scorer(split.held_out, plan.score)
    deferred = checkpoint.signals_deferred() if checkpoint else nullcontext()
    with deferred, bar if is_shown else nullcontext() as advance:

        def report(progress: Progress, model: Model) -> None:
            if advance is not None:
                advance(progress)
            if callback is not None:
                callback(progress, initial._replace(model=transform.fold_into(model)))

        return train(
            initial.model,
            make_objective(plan.loss, plan.method),
            transform.apply_to_rows(split.train),
            options,
            generator=context.generator,
            score=score and (lambda model: score(transform.fold_into(model))),
            callback=report,
            checkpointer=checkpoint,
            group=context.group,
        )


def input_relevance(fitted: ScaledModel, rows: EncodedRows, n_features: int) -> Array:
    """Return the mean squared gradient of each input, summed over its scaled columns."""
    gradients = mean_squared_input_gradient(rows.sample, fitted.model)
    return fitted.scaling.gather(gradients.cpu().numpy().astype(np.float64), n_features)
