"""Which columns an encoder makes its output from, found by changing them."""

from __future__ import annotations

import numpy as np


def changed_by(encoder, X):
    """Return for each column of the output the columns of X on which it depends."""
    before = encoder.transform(X)
    random, changed = np.random.default_rng(0), []
    for column in range(X.shape[1]):
        other = X.copy()
        other[:, column] = random.permutation(other[:, column])
        changed.append((encoder.transform(other) != before).any(axis=0))
    return [tuple(np.flatnonzero(column)) for column in np.transpose(changed)]
