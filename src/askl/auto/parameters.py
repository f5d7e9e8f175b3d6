"""The parameters of the automatic models: defaults, constraints and documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Memory
from sklearn.base import BaseEstimator, is_classifier

from askl.auto.portfolio_checks import check_portfolio
from askl.auto.settings import SearchSettings
from askl.preprocessing.parameter_table import check_declared, parameter
from askl.preprocessing.parameter_validation import (
    AUTO,
    BOOLEAN,
    NONE,
    instance,
    integer,
    real,
)


@dataclass(eq=False, repr=False, kw_only=True)
class AutoParameters(BaseEstimator):
    """The parameters of both automatic models."""

    time_budget: float | str | None = parameter(
        "auto",
        real(0.0, above=True) | AUTO | NONE,
        "Seconds that the fit may take, approximately: no training begins that is not expected to "
        'end in time, except one that is always done. ``"auto"`` is an amount of work: 18 to 400 '
        "estimated seconds of one core, more for larger data, and for few rows, whose folds must "
        "all be used; a quarter more where symmetries are used. It takes longer on a slow or busy "
        "machine and less with ``n_jobs``, but the model is the same everywhere. None: no limit. "
        'With ``"auto"`` and None, ``random_state`` decides the model; with seconds of your own, '
        "a fast machine tries more candidates.",
    )
    max_members: int = parameter(16, integer(1), "Most models in the ensemble.")
    portfolio: dict[str, Any] | None = parameter(
        None,
        instance(dict, "a dict of names to dicts of parameters") | NONE,
        "Candidates to try: names, and the parameters of :class:`SpectralKernelClassifier` or "
        ":class:`SpectralKernelRegressor`. None: the built-in ones.",
    )
    memory: str | Memory | None = parameter(
        None,
        instance((str, Memory), "a folder, a joblib.Memory") | NONE,
        "Where finished trainings are kept. A fit that was killed continues with them when it is "
        "called again with the same data, parameters, ``random_state`` and version of this "
        "library.",
    )
    n_jobs: int | None = parameter(
        None, instance(int, "an integer") | NONE, "Number of trainings at a time, by joblib."
    )
    n_threads: int | None = parameter(
        None, integer(1) | NONE, "Threads of one training. None: chosen by its size."
    )
    device: str = parameter(
        "cpu",
        instance(str, "a device such as 'cpu' or 'cuda'"),
        'Device for training and prediction, such as ``"cpu"`` or ``"cuda"``.',
    )
    random_state: Any = parameter(
        None,
        instance((int, np.integer, np.random.RandomState), "an integer, a RandomState") | NONE,
        "Decides everything random.",
    )
    verbose: int = parameter(0, BOOLEAN | integer(0), "1 shows a progress bar.")
    settings: SearchSettings | None = parameter(
        None,
        instance(SearchSettings, "a SearchSettings") | NONE,
        "The numbers that decide how the search is done, for experiments. None: the tuned ones.",
    )

    def check_parameters(self) -> None:
        """Raise a ValueError that names the first parameter, or candidate, that is not allowed."""
        check_declared(self)
        if self.portfolio is not None:
            task = "classification" if is_classifier(self) else "regression"
            check_portfolio(type(self).__name__, self.portfolio, task)

    def resolve_settings(self) -> SearchSettings:
        """Return the settings, None replaced by the tuned ones.

        Returns
        -------
        SearchSettings
        """
        return self.settings or SearchSettings()
