"""What an automatic fit tried, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from askl.auto.candidates import CandidateKey
from askl.auto.search import SearchResult


def make_leaderboard(
    result: SearchResult, parameters: Mapping[CandidateKey, dict[str, Any]]
) -> dict[str, list[Any]]:
    """Return a row for each candidate that was tried or has a weight, the heaviest first.

    Parameters
    ----------
    result : SearchResult
    parameters : mapping of CandidateKey to dict

    Returns
    -------
    dict of str to list
        The columns of the table: candidate, short, symmetric, weight, held_out_error, folds,
        seconds, estimated_seconds, failure, parameters.
    """
    rows: list[dict[str, Any]] = []
    for key, own in parameters.items():
        weight, trials = result.weights.get(key, 0.0), result.trials.get(key, [])
        first = result.first_rung.get(key.full) if key.short else None
        known = trials or ([first] if first else [])
        if not known and not weight:
            continue
        rows.append(
            {
                "candidate": key.name,
                "short": key.short,
                "symmetric": key.symmetric,
                "weight": weight,
                "held_out_error": (
                    float(np.mean([trial.error for trial in known])) if known else np.nan
                ),
                "folds": len(trials),
                "seconds": sum(trial.seconds for trial in known),
                "estimated_seconds": sum(trial.estimated_seconds for trial in known),
                "failure": next((trial.failure for trial in known if trial.failure), ""),
                "parameters": own,
            }
        )
    rows.sort(key=lambda row: (-row["weight"], -row["folds"], row["held_out_error"]))
    return {column: [row[column] for row in rows] for column in rows[0]}
