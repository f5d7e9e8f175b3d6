"""A report on one fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askl._typing import Array
from askl.insight.members import has_density
from askl.insight.report import facts, pictures
from askl.insight.report.environment import environment_table
from askl.insight.report.page import Card, Section, Table, render
from askl.insight.report.quality import quality_pictures
from askl.insight.report.scores import Score, compute_scores
from askl.insight.rows import some_rows, take_rows
from askl.theory import BoundRecorder, bounds

# Figures of more rows would look the same and take longer.
PICTURE_ROWS = 2000
FOOTER = "Written by askl. This file holds all that it shows: it needs no network."
SCORES = "Intervals hold 95 % of 500 bootstrap resamples of the rows given to this report."
BOUNDS = (
    "For functions Wᵀφ(x) with ‖W‖_* at most B and fixed features, on the rows of this report. "
    "Monte Carlo ≤ features ≤ trivial always holds. Risk bounds of this kind are far above what is "
    "observed; use them to compare models."
)
NO_RECORDER = "For the bound over training, fit with callback=askl.theory.BoundRecorder(...)."
NO_DENSITY = (
    "The units of this model are not cosines: its kernel is not the Fourier transform of a "
    "spectral density, so there is none to show."
)


def model_page(
    model: Any,
    X: Any,
    y: Array,
    *,
    title: str | None,
    recorder: BoundRecorder | None,
    names: Sequence[str] | None,
) -> str:
    """Make the page about a plain model on some rows."""
    if recorder is None and isinstance(model.callback, BoundRecorder):
        recorder = model.callback
    scores = compute_scores(model, X, y)
    return render(
        title or f"{type(model).__name__} on {len(y):,} rows",
        f"{facts.describe_model(model)}. Scored on {facts.describe_data(model, X, y)}.",
        _cards(model, X, scores),
        _sections(model, X, y, scores, recorder, names),
        FOOTER,
    )


def _cards(model: Any, X: Any, scores: list[Score]) -> list[Card]:
    trained = model.history_[-1].seconds if model.history_ else None
    return [
        *score_cards(scores),
        Card("training", f"{trained:.1f} s" if trained else "exact", f"{model.n_iter_} epochs"),
        prediction_card(model, X),
        Card("model", facts.megabytes(model), "frequencies, phases, weights"),
    ]


def score_cards(scores: list[Score]) -> list[Card]:
    """Show each score with its interval."""
    return [
        Card(
            score.name,
            facts.number(score.value),
            f"{facts.number(score.low)} to {facts.number(score.high)}",
        )
        for score in scores
    ]


def prediction_card(model: Any, X: Any) -> Card:
    """Show how long a prediction takes."""
    per_row = facts.seconds_to_predict(model, X) / X.shape[0]
    return Card("prediction", f"{1e6 * per_row:.0f} µs", "for each row")


def _sections(
    model: Any,
    X: Any,
    y: Array,
    scores: list[Score],
    recorder: BoundRecorder | None,
    names: Sequence[str] | None,
) -> list[Section]:
    chosen = some_rows(len(y), PICTURE_ROWS)
    sample, targets = take_rows(X, chosen), y[chosen]
    no_bound = NO_RECORDER if recorder is None else ""
    return [
        Section("Scores", SCORES, [facts.score_table(scores)], quality_pictures(model, X, y)),
        Section("Training", no_bound, (), pictures.training_pictures(model, recorder)),
        Section("Kernel", "", (), pictures.kernel_pictures(model, sample, targets, names)),
        spectrum_section(model, X, names),
        Section(
            "Predictions",
            "",
            (),
            [
                pictures.relevance_picture(model, names),
                pictures.head_picture(model),
                *pictures.prediction_pictures(model, sample, targets, names),
            ],
        ),
        bounds_section(model, X, y),
        Section(
            "Data",
            f"The rows given to this report: {facts.describe_data(model, X, y)}. Inputs are "
            "listed by relevance.",
            [facts.target_table(model, y), facts.input_table(model, X, names)],
        ),
        Section("Parameters", "", [facts.parameter_table(model)]),
        Section("Environment", "", [environment_table()]),
    ]


def spectrum_section(model: Any, X: Any, names: Sequence[str] | None) -> Section:
    """Show the spectral density of a plain model, if it has one."""
    if not has_density(model):
        return Section("Spectrum", NO_DENSITY)
    return Section(
        "Spectrum",
        "The kernel is the Fourier transform of this density; learning moves its samples.",
        [Table(["", ""], facts.spectrum_rows(model, X))],
        pictures.spectrum_pictures(model, names),
    )


def bounds_section(model: Any, X: Any, y: Any) -> Section:
    """List the bounds of a plain model."""
    rows = facts.bound_rows(bounds(model, X, y))
    return Section("Bounds", BOUNDS, [Table(["quantity", "value", "formula"], rows)])
