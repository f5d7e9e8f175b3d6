"""Labels of classes: checks, positions among the classes, weights and counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from askl._typing import Array
from askl.preprocessing.missing_values import is_missing


def check_labels(y: Array) -> None:
    """Raise a ValueError where targets are not labels of classes, or some labels are missing."""
    if y.dtype.kind == "O" and y.ndim == 1:
        missing = [row for row, label in enumerate(y.tolist()) if is_missing(label)]
        if missing:
            raise ValueError(
                f"y has no label in {len(missing)} of {len(y)} rows, the first of them row "
                f"{missing[0]}. Leave such rows out, or give them a label of their own."
            )
    check_classification_targets(y)


def look_up_labels(y: Array, classes: Array) -> Array:
    """Return the position of every label among the sorted classes; -1 where it is none of them.

    Examples
    --------
    >>> look_up_labels(np.array(["b", "c", "a"]), np.array(["a", "b"]))
    array([ 1, -1,  0])
    """
    positions = np.searchsorted(classes, y)
    is_class = classes[np.minimum(positions, len(classes) - 1)] == y
    return np.where(is_class, positions, -1).astype(np.int64)


def class_indices(y: Array, classes: Array) -> Array:
    """Return the position of every label among the sorted classes.

    Raises
    ------
    ValueError
        Where a label is none of the classes.

    Examples
    --------
    >>> class_indices(np.array(["b", "a", "b"]), np.array(["a", "b"]))
    array([1, 0, 1])
    """
    indices = look_up_labels(y, classes)
    if (indices < 0).any():
        raise ValueError(
            f"y holds labels that are not among the model's classes: {np.unique(y[indices < 0])!r}."
            " Leave those rows out, or train with all classes."
        )
    return indices


def weigh_classes(class_weight: Any, classes: Array, counts: Array) -> Array | None:
    """Return the weight of every class, None where all weigh the same.

    Parameters
    ----------
    class_weight : dict of label to weight, "balanced" or None
    classes : ndarray of shape (n_classes,)
    counts : ndarray of int of shape (n_classes,)
        How many rows each class has.

    Returns
    -------
    ndarray of shape (n_classes,), or None

    Examples
    --------
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
    """The labels seen so far, sorted, and how often each of them was seen.

    Examples
    --------
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
        """Count the labels of some more rows."""
        labels, counts = np.unique(y, return_counts=True)
        if len(self.labels):
            labels = np.concatenate([self.labels, labels])
            counts = np.concatenate([self.counts, counts])
        self.labels, inverse = np.unique(labels, return_inverse=True)
        self.counts = np.bincount(inverse, weights=counts).astype(np.int64)
