"""The learners, each at its defaults and with categories in its usual form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import Array
from benchmarks.tables.data import Fold

Learner = Callable[[Fold, int, float], Callable[[], Array]]


def _as_categories(X: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    """Turn texts into pandas categories: those of the training rows."""
    columns = {
        name: X[name]
        if pd.api.types.is_numeric_dtype(like[name])
        else pd.Categorical(X[name].astype(str), categories=sorted(like[name].astype(str).unique()))
        for name in like.columns
    }
    return pd.DataFrame(columns, index=X.index)


def _predict(model: Any, X: Any, task: str) -> Array:
    return np.asarray(model.predict(X) if task == "regression" else model.predict_proba(X))


def _askl(prefix: str) -> Learner:
    def fit(fold: Fold, seed: int, seconds: float) -> Callable[[], Array]:
        import askl

        kind = "Regressor" if fold.task == "regression" else "Classifier"
        model = getattr(askl, f"{prefix}SpectralKernel{kind}")(random_state=seed)
        if not prefix:
            model = askl.make_table_pipeline(model)
        model.fit(fold.X_train, fold.y_train)
        return lambda: _predict(model, fold.X_test, fold.task)

    return fit


def _catboost(fold: Fold, seed: int, seconds: float) -> Callable[[], Array]:
    from catboost import CatBoostClassifier, CatBoostRegressor

    def prepare(X: pd.DataFrame) -> pd.DataFrame:
        return X.assign(**{name: X[name].astype(str) for name in texts})

    texts = [name for name in fold.X_train if not pd.api.types.is_numeric_dtype(fold.X_train[name])]
    kind = CatBoostRegressor if fold.task == "regression" else CatBoostClassifier
    model = kind(
        thread_count=1,
        random_seed=seed,
        logging_level="Silent",
        allow_writing_files=False,
        cat_features=texts,
    ).fit(prepare(fold.X_train), fold.y_train)
    return lambda: _predict(model, prepare(fold.X_test), fold.task)


def _lightgbm(fold: Fold, seed: int, seconds: float) -> Callable[[], Array]:
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMRegressor if fold.task == "regression" else LGBMClassifier
    model = kind(n_jobs=1, random_state=seed, verbose=-1)
    model.fit(_as_categories(fold.X_train, fold.X_train), fold.y_train)
    return lambda: _predict(model, _as_categories(fold.X_test, fold.X_train), fold.task)


def _random_forest(fold: Fold, seed: int, seconds: float) -> Callable[[], Array]:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    import askl

    kind = RandomForestRegressor if fold.task == "regression" else RandomForestClassifier
    model = askl.make_table_pipeline(kind(random_state=seed)).fit(fold.X_train, fold.y_train)
    return lambda: _predict(model, fold.X_test, fold.task)


AUTOGLUON_METRICS = {"binary": "roc_auc", "multiclass": "log_loss", "regression": "rmse"}
AUTOGLUON_LEARNERS: dict[str, Any] = {
    "GBM": [{}, {"extra_trees": True, "ag_args": {"name_suffix": "XT"}}],
    "CAT": {},
    "XGB": {},
    "RF": {},
    "XT": {},
    "REALMLP": {},
    "TABM": {},
}


def _autogluon(fold: Fold, seed: int, seconds: float) -> Callable[[], Array]:
    from autogluon.tabular import TabularPredictor

    predictor = TabularPredictor(
        label="__target__", eval_metric=AUTOGLUON_METRICS[fold.task], verbosity=0
    ).fit(
        fold.X_train.assign(__target__=fold.y_train),
        time_limit=seconds,
        num_cpus=1,
        num_gpus=0,
        num_bag_folds=8,
        num_stack_levels=0,
        hyperparameters=AUTOGLUON_LEARNERS,
        ag_args_ensemble={"fold_fitting_strategy": "sequential_local"},
    )
    if fold.task == "regression":
        return lambda: np.asarray(predictor.predict(fold.X_test))
    return lambda: np.asarray(predictor.predict_proba(fold.X_test))


LEARNERS: dict[str, Learner] = {
    "askl-auto": _askl("Auto"),
    "askl": _askl(""),
    "catboost": _catboost,
    "lightgbm": _lightgbm,
    "random-forest": _random_forest,
    "autogluon": _autogluon,
}
