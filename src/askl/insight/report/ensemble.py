"""A report on an automatic model: the ensemble as a whole, then its heaviest member."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import is_classifier

from askl._typing import Array
from askl.auto.base import AutoSpectralModel
from askl.insight.members import choose_member, has_density
from askl.insight.report import facts, pictures
from askl.insight.report.environment import environment_table
from askl.insight.report.page import Card, Section, Table, render
from askl.insight.report.quality import quality_pictures
from askl.insight.report.scores import Score, compute_scores
from askl.insight.report.single import (
    FOOTER,
    PICTURE_ROWS,
    SCORES,
    bounds_section,
    prediction_card,
    score_cards,
    spectrum_section,
)
from askl.insight.rows import some_rows, take_rows

MAX_CANDIDATES = 15
CANDIDATE_COLUMNS = ("weight", "held_out_error", "folds", "seconds", "estimated_seconds")


def ensemble_page(model: AutoSpectralModel, X: Any, y: Array, *, title: str | None) -> str:
    """Make the page about an automatic model on some rows."""
    scores = compute_scores(model, X, y)
    return render(
        title or f"{type(model).__name__} on {len(y):,} rows",
        f"{facts.describe_ensemble(model)}. Scored on {facts.describe_data(model, X, y)}.",
        _cards(model, X, scores),
        [*_sections(model, X, y, scores), *_member_sections(model, X, y), *_last_sections(model)],
        FOOTER,
    )


def _cards(model: Any, X: Any, scores: list[Score]) -> list[Card]:
    size = f"{len(model.members_)} members"
    return [
        *score_cards(scores),
        Card("fit", f"{model.fit_seconds_:.0f} s", "search and members"),
        prediction_card(model, X),
        Card("model", facts.megabytes(model), size),
    ]


def _sections(model: Any, X: Any, y: Array, scores: list[Score]) -> list[Section]:
    """Show what the ensemble does as a whole."""
    chosen = some_rows(len(y), PICTURE_ROWS)
    sample, targets = take_rows(X, chosen), y[chosen]
    return [
        Section("Scores", SCORES, [facts.score_table(scores)], quality_pictures(model, X, y)),
        Section(
            "Members",
            "Predictions are the weighted mean over the members. The second table lists what the "
            "search has tried, with its weight in the ensemble and its error on held-out rows.",
            [facts.member_table(model), _candidate_table(model.leaderboard_)],
        ),
        Section(
            "Kernel",
            "The kernel of the ensemble is the weighted mean of its members' kernels.",
            (),
            pictures.kernel_pictures(model, sample, targets, None),
        ),
        Section(
            "Predictions",
            "",
            (),
            [
                pictures.relevance_picture(model, None),
                *pictures.prediction_pictures(model, sample, targets, None),
            ],
        ),
        Section(
            "Data",
            f"The rows given to this report: {facts.describe_data(model, X, y)}. Columns are "
            "listed by relevance.",
            [facts.target_table(model, y), facts.input_table(model, X, None)],
        ),
    ]


def _candidate_table(leaderboard: Mapping[str, list[Any]]) -> Table:
    """List the candidates that the search has tried, the heaviest first."""
    names = _candidate_names(leaderboard)[:MAX_CANDIDATES]
    columns = [leaderboard[column][:MAX_CANDIDATES] for column in CANDIDATE_COLUMNS]
    rows = [
        [name, *(facts.number(float(value)) for value in values)]
        for name, *values in zip(names, *columns, strict=True)
    ]
    return Table(["candidate", *(c.replace("_", " ") for c in CANDIDATE_COLUMNS)], rows)


def _candidate_names(leaderboard: Mapping[str, list[Any]]) -> list[str]:
    """Name each candidate with how it was trained."""
    kinds = zip(leaderboard["short"], leaderboard["symmetric"], strict=True)
    marks = [", short" * short + ", with symmetries" * symmetric for short, symmetric in kinds]
    return [name + mark for name, mark in zip(leaderboard["candidate"], marks, strict=True)]


def _member_sections(model: Any, X: Any, y: Array) -> list[Section]:
    """Show training, density and bounds of the heaviest member, if possible a spectral one."""
    spectral = any(has_density(member) for member in model.members_)
    member = choose_member(model, spectral=spectral)
    place = next(place for place, other in enumerate(model.members_) if other is member)
    inputs, names = model.encode_inputs(X), list(model.encoded_names())
    kind = "heaviest spectral" if spectral else "heaviest"
    introduction = (
        f"This and the next two sections are about the {kind} member, number {place}, of weight "
        f"{model.member_weights_[place]:.2f}: {facts.describe_model(member)}. Its inputs are the "
        f"{inputs.shape[1]:,} encoded columns."
    )
    shown = [*pictures.training_pictures(member, None), pictures.head_picture(member)]
    # Bounds for classes need no targets, and members know classes by their numbers.
    targets = None if is_classifier(model) else y
    return [
        Section("Heaviest member", introduction, (), shown),
        spectrum_section(member, inputs, names),
        bounds_section(member, inputs, targets),
    ]


def _last_sections(model: Any) -> list[Section]:
    return [
        Section("Parameters", "", [facts.parameter_table(model)]),
        Section("Environment", "", [environment_table()]),
    ]
