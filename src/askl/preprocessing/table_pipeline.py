"""A pipeline of a table encoder and an estimator."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from askl.preprocessing.table_encoder import TableEncoder


def make_table_pipeline(estimator: Any, **parameters: Any) -> Pipeline:
    """Put a table encoder before an estimator, so that it takes any data frame.

    Parameters
    ----------
    estimator : estimator
        Any estimator with the interface of scikit-learn.
    **parameters :
        Of :class:`TableEncoder`.

    Returns
    -------
    Pipeline
        Its steps are ``table`` and ``model``.

    Examples
    --------
    >>> import pandas as pd
    >>> from askl import SpectralKernelClassifier, make_table_pipeline
    >>> table = pd.DataFrame({"size": [1.0, None, 3.0, 4.0], "color": ["a", "b", None, "a"]})
    >>> model = make_table_pipeline(SpectralKernelClassifier(n_components=50, random_state=0))
    >>> model.fit(table, ["no", "yes", "yes", "no"]).predict(table).tolist()
    ['no', 'yes', 'yes', 'no']
    """
    return Pipeline([("table", TableEncoder(**parameters)), ("model", estimator)])
