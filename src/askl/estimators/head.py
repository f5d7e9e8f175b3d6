"""The last stage of a fit: solve the head for the learned features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from askl.estimators.build import Plan
from askl.learning import Model
from askl.learning.heads.classifier_head import SolvedHead, solve_classifier_head
from askl.learning.heads.exact_head import STRENGTHS, ExactHead, solve_exact_head
from askl.learning.sources import Split

FinalHead: TypeAlias = ExactHead | SolvedHead


def refit_head(
    plan: Plan, model: Model, split: Split, *, strengths: Sequence[float] = STRENGTHS
) -> FinalHead | None:
    """Solve the head; held-out rows choose the penalty, unless it is given.

    Without either, a ridge has the penalty of the method, and other heads stay as trained. The
    strengths to choose from are those of a ridge.
    """
    if plan.is_ridge:
        strength = plan.method.head_penalty if split.held_out is None else plan.given_strength
        return solve_exact_head(model, split, strength, strengths=strengths)
    if split.held_out is None and plan.given_strength is None:
        return None
    return solve_classifier_head(
        model, split, plan.loss, plan.method.head_norm, plan.given_strength
    )
