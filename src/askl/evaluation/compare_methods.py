"""Methods side by side on one data set: the same splits for all, paired t-tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import ttest_rel
from sklearn.metrics import accuracy_score, root_mean_squared_error
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from askl._typing import Array
from askl.estimators.classifier import SpectralKernelClassifier
from askl.estimators.regressor import SpectralKernelRegressor
from askl.learning import METHODS
from askl.preprocessing.validation import is_regression


class MethodScores(NamedTuple):
    """The test scores of one method.

    Attributes
    ----------
    method : str
    scores : ndarray of shape (n_splits,)
        Accuracy, or root mean squared error.
    seconds : float
        Mean time of a fit.
    best : bool
        Whether its mean score is the best.
    p_value : float
        Of the paired t-test against the best method; 1 for the best itself.

    Examples
    --------
    >>> row = MethodScores("askl", np.array([0.9, 0.8]), seconds=1.5, best=True, p_value=1.0)
    >>> row.method, row.scores.shape
    ('askl', (2,))
    """

    method: str
    scores: Array
    seconds: float
    best: bool
    p_value: float


def compare_methods(
    X: Any,
    y: Any,
    *,
    methods: Iterable[str] | None = None,
    n_splits: int = 5,
    test_size: float = 0.2,
    random_state: int = 0,
    n_jobs: int | None = None,
    advance: Callable[[], None] | None = None,
    **parameters: Any,
) -> list[MethodScores]:
    """Fit each method on the same random splits and compare their test scores.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    methods : iterable of str, optional
        Names of rows of :data:`askl.learning.METHODS`; all of them by default.
    n_splits, test_size, random_state : int, float, int
        The splits, the same for all methods.
    n_jobs : int, optional
        Fits at a time, by joblib.
    advance : callable, optional
        Called after every fit, for a progress bar.
    **parameters :
        Parameters of every estimator.

    Returns
    -------
    list of MethodScores

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> rows = compare_methods(
    ...     *load_iris(return_X_y=True), methods=["sk", "askl"], n_splits=2,
    ...     n_components=50, max_epochs=5)
    >>> [row.method for row in rows]
    ['sk', 'askl']
    """
    X, y, methods = np.asarray(X), np.asarray(y), list(METHODS if methods is None else methods)
    regression = is_regression(y)
    splitter = ShuffleSplit if regression else StratifiedShuffleSplit
    splits = list(splitter(n_splits, test_size=test_size, random_state=random_state).split(X, y))
    tasks = [(method, index) for method in methods for index in range(n_splits)]
    results = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_fit_and_score)(X, y, *splits[index], method, index, regression, parameters)
        for method, index in tasks
    )
    outcomes = []
    for outcome in results:
        outcomes.append(outcome)
        if advance is not None:
            advance()
    table = np.array(outcomes).reshape(len(methods), n_splits, 2)
    return _compare(methods, table[:, :, 0], table[:, :, 1], larger_is_better=not regression)


def fit_methods(
    X: Any, y: Any, *, methods: Iterable[str] | None = None, **parameters: Any
) -> dict[str, Any]:
    """Fit each method once on the same rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    methods : iterable of str, optional
        Names of rows of :data:`askl.learning.METHODS`; all of them by default.
    **parameters :
        Parameters of every estimator.

    Returns
    -------
    dict of str to fitted estimator

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> models = fit_methods(*load_iris(return_X_y=True), n_components=50, max_epochs=5)
    >>> list(models)
    ['sk', 'nsk', 'skl', 'nskl', 'askl']
    """
    kind = SpectralKernelRegressor if is_regression(y) else SpectralKernelClassifier
    names = METHODS if methods is None else methods
    return {method: kind(method, **parameters).fit(X, y) for method in names}


def _fit_and_score(
    X: Array,
    y: Array,
    train: Array,
    test: Array,
    method: str,
    seed: int,
    regression: bool,
    parameters: dict[str, Any],
) -> tuple[float, float]:
    kind = SpectralKernelRegressor if regression else SpectralKernelClassifier
    score = root_mean_squared_error if regression else accuracy_score
    started = time.perf_counter()
    model = kind(method, random_state=seed, **parameters).fit(X[train], y[train])
    seconds = time.perf_counter() - started
    return float(score(y[test], model.predict(X[test]))), seconds


def _compare(
    methods: list[str], scores: Array, seconds: Array, *, larger_is_better: bool
) -> list[MethodScores]:
    means = scores.mean(axis=1)
    best = int(means.argmax() if larger_is_better else means.argmin())
    return [
        MethodScores(
            method,
            scores[row],
            float(seconds[row].mean()),
            row == best,
            paired_p_value(scores[row], scores[best]),
        )
        for row, method in enumerate(methods)
    ]


def paired_p_value(scores: Array, best: Array) -> float:
    """Return the p-value of the two-sided paired t-test; 1 for scores that are the same.

    Differences without variance, and those of a single split, have no t-test: 1 if they are zero,
    else 0.

    Examples
    --------
    >>> paired_p_value(np.array([0.5, 0.6]), np.array([0.5, 0.6]))
    1.0
    """
    if len(scores) < 2 or np.ptp(scores - best) == 0.0:
        return 1.0 if np.allclose(scores, best) else 0.0
    return float(ttest_rel(scores, best).pvalue)
