"""Labels of classes: which there are, their numbers, and what a row of each weighs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from askl._typing import Array
from askl.preprocessing.column_types import is_missing


def check_labels(y: Array) -> None:
    """Raise where targets are no labels of classes, or some are missing."""
    if y.dtype.kind == "O" and y.ndim == 1:
        missing = [row for row, label in enumerate(y.tolist()) if is_missing(label)]
        if missing:
            raise ValueError(
                f"y has no label in {len(missing)} of {len(y)} rows, the first of them row "
                f"{missing[0]}. Leave such rows out, or give them a label of their own."
            )
    check_classification_targets(y)


def number_labels(y: Array, classes: Array) -> Array:
    """Number labels by their place among sorted classes.

    Examples
    --------
    >>> import numpy as np
    >>> number_labels(np.array(["b", "a", "b"]), np.array(["a", "b"]))
    array([1, 0, 1])
    """
    numbers = np.searchsorted(classes, y)
    known = classes[np.minimum(numbers, len(classes) - 1)] == y
    if not np.all(known):
        raise ValueError(f"y holds labels that classes did not name: {np.unique(y[~known])!r}.")
    return numbers.astype(np.int64)


def weigh_classes(class_weight: Any, classes: Array, counts: Array) -> Array | None:
    """Return a weight for every class, of which there are so many rows each; None for all alike.

    Examples
    --------
    >>> import numpy as np
    >>> weigh_classes("balanced", np.array(["a", "b"]), np.array([1, 3]))
    array([2.        , 0.66666667])
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, dict):
        return np.array([class_weight.get(label, 1.0) for label in classes], float)
    if not counts.all():
        raise ValueError(
            "The 'class_weight' parameter of SpectralKernelClassifier can be 'balanced' only "
            f"where there are rows of every class. There are none of {classes[counts == 0]}; "
            "give a dict of weights instead."
        )
    balanced: Array = counts.sum() / (len(counts) * counts.astype(np.float64))
    return balanced


class LabelCounts:
    """The labels seen so far, sorted, and how often each.

    Examples
    --------
    >>> import numpy as np
    >>> found = LabelCounts()
    >>> found.add(np.array(["b", "a"]))
    >>> found.add(np.array(["b"]))
    >>> found.labels.tolist(), found.counts.tolist()
    (['a', 'b'], [1, 2])
    """

    def __init__(self) -> None:
        self.labels: Array = np.array([])
        self.counts: Array = np.array([], dtype=np.int64)

    def add(self, y: Array) -> None:
        """Count some rows more."""
        labels, counts = np.unique(y, return_counts=True)
        if len(self.labels):
            labels = np.concatenate([self.labels, labels])
            counts = np.concatenate([self.counts, counts])
        self.labels, inverse = np.unique(labels, return_inverse=True)
        self.counts = np.bincount(inverse, weights=counts).astype(np.int64)
