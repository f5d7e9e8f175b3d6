"""What the automatic classifier and regressor share: a chosen ensemble and what it computes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from joblib import Memory
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    is_classifier,
)
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from askl._typing import Array
from askl.auto.budget import Budget, default_budget
from askl.auto.candidates import PORTFOLIO, Candidate, with_symmetries
from askl.auto.interrupts import interrupts_kept
from askl.auto.progress import show_steps
from askl.auto.search import BRIEF, Search
from askl.auto.selection import classification_error, squared_error
from askl.auto.trial import Problem, predict_one
from askl.discovery.neighbours import NeighbourEncoder
from askl.discovery.spreads import SpreadEncoder
from askl.discovery.symmetry_search import find_symmetries
from askl.preprocessing.column_orders import Order
from askl.preprocessing.frames import is_frame, keep_objects
from askl.preprocessing.input_scaling import count_scaled
from askl.preprocessing.parameter_validation import (
    AUTO,
    BOOLEAN,
    NONE,
    Constraint,
    check_parameters,
    instance,
    integer,
    real,
)
from askl.preprocessing.table_encoder import TableEncoder
from askl.preprocessing.validation import drop_zero_weights

# To look for columns that say a place or a time takes a few seconds.
LEAST_SECONDS_TO_LOOK = 10.0
# A place adds a column for every class.
MOST_CLASSES_TO_LOOK = 50
# Where fewer of the columns may, it is not worth that.
LEAST_SHARE_TO_CHANGE = 1 / 3
# Bins make of many columns very many: so many at the most.
MOST_BINS = 160
# With more columns than components, to rotate inputs takes longer than to learn from them.
MOST_COLUMNS_TO_DECORRELATE = 500


class AutoSpectralModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What the automatic classifier and regressor share."""

    # Of models saved before there were any.
    neighbours_: NeighbourEncoder | None = None
    spreads_: SpreadEncoder | None = None
    symmetries_: Sequence[Order] = ()

    _constraints: ClassVar[dict[str, Constraint]] = {
        "time_budget": NONE | AUTO | real(0.0, above=True),
        "max_members": integer(1),
        "portfolio": NONE | instance(dict, "a dict of names to parameters"),
        "memory": NONE | instance((str, Memory), "a folder or a joblib.Memory"),
        "n_jobs": NONE | instance(int, "an integer"),
        "n_threads": NONE | integer(1),
        "device": instance(str, "a device such as 'cpu' or 'cuda'"),
        "verbose": BOOLEAN | integer(0),
    }

    def __init__(
        self,
        *,
        time_budget: float | str | None = "auto",
        max_members: int = 16,
        portfolio: dict[str, Any] | None = None,
        memory: str | Memory | None = None,
        n_jobs: int | None = None,
        n_threads: int | None = None,
        device: str = "cpu",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.time_budget = time_budget
        self.max_members = max_members
        self.portfolio = portfolio
        self.memory = memory
        self.n_jobs = n_jobs
        self.n_threads = n_threads
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return sum(len(member.weights_) for member in self.members_)

    def transform(self, X: Any) -> Array:
        """Map inputs to the members' features side by side, each weighted by √(its weight).

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, width), float32
        """
        inputs = self.encode_inputs(X)
        roots = np.sqrt(self.member_weights_).astype(np.float32)
        parts = zip(roots, self.members_, strict=True)
        return np.hstack([root * member.transform(inputs) for root, member in parts])

    def kernel(self, X: Any, Z: Any = None) -> Array:
        """Compute the learned kernel: the weighted mean of the members' kernels.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)
        Z : the same of shape (n_others, n_features), optional
            X itself by default.

        Returns
        -------
        ndarray of shape (n_samples, n_others), float64
        """
        left = self.encode_inputs(X)
        right = None if Z is None else self.encode_inputs(Z)
        parts = zip(self.member_weights_, self.members_, strict=True)
        return np.asarray(sum(weight * member.kernel(left, right) for weight, member in parts))

    def save(self, path: Any) -> Path:
        """Write this model to a file, which :func:`askl.load` reads back.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path
        """
        from askl.persistence.save_load import save

        return save(self, path)

    def encode_inputs(self, X: Any) -> Any:
        """Check rows, and turn them into the numbers that the members take.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_encoded)
        """
        numbers = self._to_numbers(X)
        for encoder in (self.neighbours_, self.spreads_):
            if encoder is not None:
                numbers = encoder.transform(numbers)
        return numbers

    def encoded_names(self) -> Array:
        """Name the columns that :meth:`encode_inputs` returns.

        Returns
        -------
        ndarray of str of shape (n_encoded,)
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = np.array([f"x{position}" for position in range(self.n_features_in_)], object)
        for encoder in (self.table_, self.neighbours_, self.spreads_):
            if encoder is not None:
                names = encoder.get_feature_names_out(names)
        return np.asarray(names)

    def encoded_sources(self) -> list[tuple[int, ...]]:
        """Return for each encoded column the columns of the table that it is made of.

        Returns
        -------
        list of tuple of int, of length n_encoded
            Positions in the rows that were fitted.
        """
        check_is_fitted(self)
        sources: list[tuple[int, ...]] = [(column,) for column in range(self.n_features_in_)]
        for encoder in (self.table_, self.neighbours_, self.spreads_):
            if encoder is not None:
                sources = [
                    tuple(sorted({source for column in columns for source in sources[column]}))
                    for columns in encoder.source_columns()
                ]
        return sources

    def _validate(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Array, Array | None]:
        """Check parameters and rows; tables stay as they are."""
        check_parameters(self, self._constraints)
        if is_frame(X):
            validate_data(self, X, skip_check_array=True)
            if len(X) != len(np.asarray(y)):
                raise ValueError(f"X has {len(X)} rows, but y has {len(np.asarray(y))}.")
        else:
            X = validate_data(
                self,
                keep_objects(X),
                accept_sparse="csr",
                dtype=None,
                ensure_all_finite="allow-nan",
            )
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        return X, y, sample_weight

    def _fit(
        self, X: Any, targets: Array, sample_weight: Array | None, *, n_classes: int
    ) -> Search:
        """Encode the table, search, and train the members."""
        X, targets, sample_weight = self._fit_table(X, targets, sample_weight)
        error = classification_error if n_classes else squared_error
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max // 2))
        clock = self._clock(*X.shape)
        self.neighbours_ = self.spreads_ = None
        has_time = clock.allows(LEAST_SECONDS_TO_LOOK)
        looks = has_time and not issparse(X) and n_classes <= MOST_CLASSES_TO_LOOK
        numbers = np.eye(n_classes)[targets] if looks and n_classes else targets
        # Targets of categories, the last columns, are no place, and of no kind; and their folds
        # give targets away.
        n_columns = X.shape[1] - (0 if self.table_ is None else self.table_.n_target_columns_)
        if looks:
            neighbours = NeighbourEncoder(n_columns=n_columns, random_state=seed)
            self.neighbours_, X = _append(neighbours, X, numbers)
        self.symmetries_ = self._find_symmetries(X, targets, n_classes)
        if looks:
            spreads = SpreadEncoder(n_columns=n_columns, random_state=seed)
            self.spreads_, X = _append(spreads, X, numbers)
        if self.spreads_ is not None:
            orders = map(self.spreads_.extend, self.symmetries_)
            self.symmetries_ = [order for order in orders if order is not None]
        starts = self._candidates(X)
        if self.symmetries_:
            starts = with_symmetries(starts, self.symmetries_)
        problem = Problem(X, targets, sample_weight, n_classes, error, seed)
        memory = Memory(self.memory, verbose=0) if isinstance(self.memory, str) else self.memory
        bar = show_steps(type(self).__name__, clock)
        silence = nullcontext(lambda line: None)
        with interrupts_kept() as check, bar if self.verbose else silence as show:

            def on_fit(line: str) -> None:
                check()
                show(line)

            search = Search(
                problem,
                starts,
                clock,
                {"n_threads": self.n_threads, "device": self.device},
                n_members=self.max_members,
                n_jobs=self.n_jobs,
                memory=memory,
                on_fit=on_fit,
            )
            weights = search.run()
            self.members_, self.member_weights_ = search.train_members(weights)
        self.leaderboard_ = _leaderboard(search, weights)
        self.fit_seconds_ = clock.seconds
        return search

    def _clock(self, n_samples: int, n_features: int) -> Budget:
        if self.time_budget == "auto":
            return Budget(default_budget(n_samples, n_features), estimated=True)
        return Budget(None if self.time_budget is None else float(self.time_budget))

    def _candidates(self, X: Any) -> dict[str, Candidate]:
        if self.portfolio is not None:
            return {
                name: each if isinstance(each, Candidate) else Candidate(each)
                for name, each in self.portfolio.items()
            }
        # Ranks and bins make a sparse column dense.
        unfit = {"quantile", "robust+quantile"} if issparse(X) else set()
        if issparse(X) or X.shape[1] > MOST_BINS or count_scaled(X, "bins") > MOST_BINS:
            unfit.add("bins")
        task = "classification" if is_classifier(self) else "regression"
        is_wide = X.shape[1] > MOST_COLUMNS_TO_DECORRELATE
        return {
            name: start
            for name, start in PORTFOLIO.items()
            if start.task in ("", task)
            and start.parameters.get("scale_inputs") not in unfit
            and not (is_wide and start.parameters.get("decorrelate_inputs"))
        }

    def _fit_table(
        self, X: Any, targets: Array, sample_weight: Array | None
    ) -> tuple[Any, Array, Array | None]:
        is_table = is_frame(X) or X.dtype == object
        needs_encoding = is_table or (not issparse(X) and not np.isfinite(X).all())
        # Whatever scikit-learn is set to, members take arrays.
        self.table_ = TableEncoder().set_output(transform="default") if needs_encoding else None
        if self.table_ is not None:
            X = self.table_.fit_transform(X, targets)
        return drop_zero_weights(X, targets, sample_weight)

    def _find_symmetries(self, X: Any, targets: Array, n_classes: int) -> list[Order]:
        """Find columns that may change places, where they are many, for the built-in portfolio."""
        if issparse(X) or self.portfolio is not None:
            return []
        task = "classification" if n_classes else "regression"
        found = find_symmetries(X, targets, task=task)
        movable = np.any([np.arange(X.shape[1]) != order for order in found], axis=0)
        return found if np.mean(movable) >= LEAST_SHARE_TO_CHANGE else []

    def _to_numbers(self, X: Any) -> Any:
        check_is_fitted(self)
        if is_frame(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            return X.to_numpy() if self.table_ is None else self.table_.transform(X)
        X = validate_data(
            self,
            X if self.table_ is None else keep_objects(X),
            reset=False,
            accept_sparse="csr",
            dtype="numeric" if self.table_ is None else None,
            ensure_all_finite=True if self.table_ is None else "allow-nan",
        )
        return X if self.table_ is None else self.table_.transform(X)

    def _mean(self, X: Any, n_classes: int) -> Array:
        inputs = self.encode_inputs(X)
        parts = zip(self.member_weights_, self.members_, strict=True)
        return np.asarray(
            sum(weight * predict_one(member, inputs, n_classes) for weight, member in parts)
        )


def _append(encoder: Any, X: Any, targets: Array) -> tuple[Any, Any]:
    """Append what an encoder finds in the columns; where it finds nothing, there is no encoder."""
    encoder.set_output(transform="default")
    extended = encoder.fit_transform(X, targets)
    return (encoder, extended) if encoder.groups_ else (None, X)


def _leaderboard(search: Search, weights: Array) -> dict[str, list[Any]]:
    """Tell what was tried and what it scored, the heaviest first, as columns."""
    rows: list[dict[str, Any]] = []
    for weight, (name, settings) in zip(weights, search.settings.items(), strict=True):
        trials = search.trials.get(name, [])
        first = search.first.get(name.removesuffix(BRIEF)) if name.endswith(BRIEF) else None
        known = trials or ([first] if first else [])
        if not known and not weight:
            continue
        rows.append(
            {
                "start": name,
                "weight": float(weight),
                "error": float(np.mean([trial.error for trial in known])) if known else np.nan,
                "folds": len(trials),
                "seconds": sum(trial.seconds for trial in known),
                "estimated": sum(trial.estimated for trial in known),
                "failure": next((trial.failure for trial in known if trial.failure), ""),
                "parameters": settings,
            }
        )
    rows.sort(key=lambda row: (-row["weight"], -row["folds"], row["error"]))
    return {key: [row[key] for row in rows] for key in rows[0]}
