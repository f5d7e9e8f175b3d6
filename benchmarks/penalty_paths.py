"""Do the penalties pay? Held-out log loss along the paths of λ₁ and λ₂, for ASKL and NSKL.

Only training rows of the first fold are used, split again into rows to learn from and rows to
judge by. Both penalties are relative: λ₁ = 1 is the strength from which on W is zero, and λ₂ = 1
weighs the norm of the features as much as the loss of the null model. Training has no other
regulariser: no dropout, and no smoothed labels.

Each record is a path of λ₁: features that were learned in one way, with the head solved on them
at each strength. A run that was stopped continues.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from rich.console import Console
from torch import Tensor

from askl import SpectralKernelClassifier, TableEncoder
from askl.learning import LOSSES, feature_penalty_of_strength, make_head_problem, walk_penalty_path
from askl.theory import rademacher_bound
from benchmarks.data import Split, protocol_split
from benchmarks.machine import PACKAGES
from benchmarks.penalty_plots import plot_feature_paths, plot_head_paths
from benchmarks.penalty_tables import feature_table, head_table
from benchmarks.report import RESULTS, argument_parser, output_folder, show_progress, study_store
from benchmarks.tables.data import TABLES, load_fold, split_again
from studies.machine import describe_machine
from studies.store import Record, Store

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
# Noisy tables, the last of them with three classes, and a clean one with six.
DATA = (
    *("bank_customer_churn", "churn", "credit-g", "online_shoppers_intention"),
    *("in_vehicle_coupon", "students_dropout", "satimage"),
)
N_SPLITS = 2
MOST_ROWS = 4000
SETTINGS: dict[str, Any] = {
    "n_components": 500,
    "density": "sparse",
    "frequency_scale": "auto",
    "scale_inputs": "robust+quantile",
    "learning_rate": "auto",
    "head_learning_rate": 0.05,
    "batch_size": "auto",
    "schedule": "cosine",
    "loss": "log",
    "dropout": 0.0,
}
QUICK: dict[str, Any] = {"n_components": 20}
QUICK_FEATURE_STRENGTHS = (0.0, 1.0)
NORMS = {"nskl": "frobenius", "askl": "trace"}
# λ₁: six strengths for each power of ten; three where λ₂ is the subject.
STRENGTHS = tuple(10.0 ** (-power / 6.0) for power in range(25))
FEW_STRENGTHS = STRENGTHS[:19:2]
FEATURE_STRENGTHS = (0.0, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0)
KEY = ("data", "split", "method", "epochs", "feature_strength", "head_norm")


class Learning(NamedTuple):
    """How features are learned. With no epochs, they stay as they were drawn."""

    method: str
    epochs: int
    feature_strength: float

    @property
    def head_norms(self) -> tuple[str, ...]:
        """Norms to solve the head with: both, or that of the method where λ₂ is the subject."""
        return (NORMS[self.method],) if self.feature_strength else tuple(NORMS.values())


ASSIGNED = Learning("nsk", 0, 0.0)
LEARNINGS = (
    ASSIGNED,
    *(
        Learning(method, epochs, strength)
        for method in NORMS
        for epochs in (8, 30)
        for strength in FEATURE_STRENGTHS
    ),
)


def load_rows(name: str, split: int) -> Split:
    """Cut training rows of the first fold into rows to learn from and rows to judge by."""
    if name in TABLES:
        fold = split_again(load_fold(name, 0), split)
        encoder, y_train = TableEncoder(), fold.y_train[:MOST_ROWS]
        X_train = encoder.fit_transform(fold.X_train.iloc[:MOST_ROWS], y_train)
        return Split(X_train, y_train, encoder.transform(fold.X_test), fold.y_test)
    X, y, *_ = protocol_split(name)
    order = np.random.default_rng(split).permutation(len(y))
    judge, train = np.split(order, [len(y) // 4])
    train = train[:MOST_ROWS]
    return Split(X[train], y[train], X[judge], y[judge])


def learn(rows: Split, learning: Learning, settings: dict[str, Any]) -> SpectralKernelClassifier:
    """Learn features. All models of a split begin with the same frequencies."""
    model = SpectralKernelClassifier(
        learning.method, max_epochs=max(learning.epochs, 1), random_state=0, **settings
    )
    if learning.feature_strength:
        drawn = learn(rows, ASSIGNED, settings)
        model.feature_penalty = feature_penalty_of_strength(
            learning.feature_strength,
            torch.from_numpy(drawn.transform(rows.X_train)),
            torch.from_numpy(rows.y_train),
            LOSSES["log"].evaluate,
            len(drawn.classes_),
        )
    elif learning.epochs:
        model.feature_penalty = 0.0
    return model.fit(rows.X_train, rows.y_train)


def measure(rows: Split, learning: Learning, settings: dict[str, Any]) -> Iterator[Record]:
    """Yield the path of λ₁ on the features learned in one way, for each norm of the head."""
    model = learn(rows, learning, settings)
    train, judge = (torch.from_numpy(model.transform(X)) for X in (rows.X_train, rows.X_test))
    y_train, y_judge = torch.from_numpy(rows.y_train), torch.from_numpy(rows.y_test)
    problem = make_head_problem(train, y_train, "log", len(model.classes_))
    feature_norm = float(train.square().sum(dim=1).mean())
    sizes = {"n_samples": len(train), "n_outputs": len(model.classes_)}
    for norm in learning.head_norms:
        strengths = FEW_STRENGTHS if learning.feature_strength else STRENGTHS
        path = list(walk_penalty_path(problem, norm, strengths))
        bounds = [rademacher_bound(p.trace_norm, len(train) * feature_norm, **sizes) for p in path]
        yield {
            **learning._asdict(),
            "head_norm": norm,
            **sizes,
            "feature_penalty": short(model.resolve_method().feature_penalty),
            "feature_norm": short(feature_norm),
            "trained_head": losses(judge, torch.from_numpy(model.weights_), y_judge),
            "strength": [short(point.strength) for point in path],
            "log_loss": [losses(judge, point.weights, y_judge) for point in path],
            "trace_norm": [short(point.trace_norm) for point in path],
            "rank": [point.rank for point in path],
            "bound": [short(bound) for bound in bounds],
            "machine": describe_machine(PACKAGES),
        }


def losses(features: Tensor, weights: Tensor, targets: Tensor) -> list[float]:
    """Compute the log loss on every second row from the first, and from the second."""
    outputs = features.double() @ weights.double()
    values = torch.nn.functional.cross_entropy(outputs, targets, reduction="none")
    return [short(float(values[start::2].mean())) for start in (0, 1)]


def short(value: float) -> float:
    """Round to five digits."""
    return float(f"{value:.5g}")


def open_store(results: Path = RESULTS) -> Store:
    return study_store("penalty_paths", KEY, results)


def run(store: Store, names: Sequence[str], *, quick: bool) -> None:
    """Measure what has no record yet."""
    settings = {**SETTINGS, **QUICK} if quick else SETTINGS
    known = {key[:5] for key in store.read()}
    waiting: dict[tuple[str, int], list[Learning]] = {}
    for name, split in product(names, range(1 if quick else N_SPLITS)):
        for learning in LEARNINGS:
            wanted = not quick or learning.feature_strength in QUICK_FEATURE_STRENGTHS
            if wanted and (name, split, *learning) not in known:
                waiting.setdefault((name, split), []).append(learning)
    for (name, split), learnings in show_progress([*waiting.items()], "Learning"):
        rows = load_rows(name, split)
        for learning in learnings:
            for record in [*measure(rows, learning, settings)]:
                store.write({"data": name, "split": split, **record})
    store.compact()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("data", nargs="*", metavar="data", help=f"any of {', '.join(DATA)}")
    options = parser.parse_args(arguments)
    folder = output_folder(options)
    store = open_store(folder)
    run(store, options.data or DATA, quick=options.quick)
    records = list(store.read().values())
    figures = FIGURES if folder == RESULTS else folder
    plot_head_paths(records, figures / "penalty_paths_head.png")
    plot_feature_paths(records, figures / "penalty_paths_features.png")
    for table in (head_table(records), feature_table(records)):
        Console(width=200).print(table, markup=False)


if __name__ == "__main__":
    main()
