"""The rows that an automatic fit trains its candidates on, and those that judge them."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from askl._typing import Array
from askl.auto.settings import SearchSettings


class Fold(NamedTuple):
    """Rows to train on and rows held out."""

    number: int
    train: Array
    held_out: Array

    def first_rows(self, n_rows: int) -> Fold:
        """Return the same fold with the first of the rows to train on: they are in random order."""
        return self._replace(train=self.train[:n_rows])


def make_folds(targets: Array, n_classes: int, seed: int, settings: SearchSettings) -> list[Fold]:
    """Divide the rows at random, of each class alike; no folds where there are too few rows.

    Parameters
    ----------
    targets : ndarray of shape (n_samples,) or (n_samples, n_outputs)
    n_classes : int
        Zero where targets are numbers.
    seed : int
    settings : SearchSettings

    Returns
    -------
    list of Fold
        Fewer of many rows: one fold is then judge enough.
    """
    n_samples, n_folds = len(targets), settings.n_folds
    if n_samples < settings.least_rows_to_hold_out:
        return []
    order = np.random.default_rng(seed).permutation(n_samples)
    kind = KFold
    if n_classes:
        if np.bincount(targets, minlength=n_classes).max() < n_folds:
            return []
        kind = StratifiedKFold
    with warnings.catch_warnings():
        # Classes of fewer rows than folds cannot be in all of them.
        warnings.simplefilter("ignore", UserWarning)
        folds = list(kind(n_folds).split(np.empty(n_samples), targets[order]))
    n_wanted = int(np.clip(settings.rows_to_judge // n_samples, 1, n_folds))
    return [
        Fold(number, order[train], order[held_out])
        for number, (train, held_out) in enumerate(folds[:n_wanted])
    ]
