"""The stages of an automatic fit: table, encoders, candidates, search, members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from joblib import Memory

from askl._typing import Array
from askl.auto.encoders import Discovery, discover, encode_table
from askl.auto.ensemble import HeldOut, Members, train_members
from askl.auto.execution import make_budget, make_problem, open_scheduler
from askl.auto.leaderboard import make_leaderboard
from askl.auto.portfolio import choose_candidates
from askl.auto.search import Search
from askl.auto.settings import SearchSettings


class FitOptions(NamedTuple):
    """The parameters of an automatic model, as a fit needs them."""

    title: str
    time_budget: float | str | None
    max_members: int
    portfolio: Mapping[str, Any] | None
    memory: str | Memory | None
    n_jobs: int | None
    fixed: Mapping[str, Any]
    seed: int
    verbose: int
    settings: SearchSettings


class FittedEnsemble(NamedTuple):
    """What an automatic fit has found."""

    encoders: list[Any]
    symmetries: list[tuple[int, ...]]
    members: Members
    held_out: HeldOut | None
    leaderboard: dict[str, list[Any]]
    seconds: float


def fit_ensemble(
    X: Any, targets: Array, sample_weight: Array | None, options: FitOptions, *, n_classes: int
) -> FittedEnsemble:
    """Fit the encoders, search, and train the members.

    Parameters
    ----------
    X : data frame, array or sparse matrix of shape (n_samples, n_features)
    targets : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Numbers; of classes 0 to K − 1.
    sample_weight : ndarray of shape (n_samples,), or None
    options : FitOptions
    n_classes : int
        Zero where targets are numbers.
    """
    settings = options.settings
    table, X, targets, sample_weight = encode_table(X, targets, sample_weight)
    n_samples, n_features = X.shape
    budget = make_budget(options.time_budget, n_samples, n_features, settings)
    plan = Discovery(
        n_classes,
        options.seed,
        for_encoders=budget.allows(settings.least_seconds_to_discover),
        for_symmetries=options.portfolio is None,
    )
    encoded = discover(X, targets, table, plan, settings)
    candidates = choose_candidates(
        options.portfolio,
        encoded.X,
        task="classification" if n_classes else "regression",
        settings=settings,
        symmetries=encoded.symmetries,
        fixed=options.fixed,
    )
    problem = make_problem(
        encoded.X,
        targets,
        sample_weight,
        n_classes=n_classes,
        seed=options.seed,
        log_loss_share=settings.log_loss_share,
    )
    with open_scheduler(
        problem,
        budget,
        settings.cost,
        n_jobs=options.n_jobs,
        memory=options.memory,
        title=options.title,
        verbose=options.verbose,
    ) as scheduler:
        result = Search(candidates, scheduler, settings, n_members=options.max_members).run()
        members = train_members(
            result.weights, options.max_members, candidates.parameters, scheduler
        )
    return FittedEnsemble(
        encoded.encoders,
        encoded.symmetries,
        members,
        result.held_out,
        make_leaderboard(result, candidates.parameters),
        budget.seconds,
    )
