"""Metrics computed block by block, in memory that does not grow with the number of rows."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from scipy.special import logit

from askl._typing import Array
from askl.preprocessing.labels import look_up_labels

# The area under a curve is computed from probabilities in bins of equal width in log odds.
N_BINS = 2**14
LARGEST_ODDS = 37.0
MOST_CLASSES = 100
LEAST_PROBABILITY = 1e-15


class ClassificationMetrics:
    """Accuracy, balanced accuracy, log loss and macro AUC of a stream of rows.

    A label that is none of the classes counts as wrong, and is left out of log loss and AUC.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Sorted.

    Examples
    --------
    >>> metrics = ClassificationMetrics(np.array(["a", "b"]))
    >>> metrics.add(np.array(["a", "b"]), np.array(["a", "a"]), np.array([[0.9, 0.1], [0.6, 0.4]]))
    >>> metrics.result()["accuracy"], metrics.result()["macro_auc"]
    (0.5, 1.0)
    """

    def __init__(self, classes: Array) -> None:
        self.classes = classes
        self.hits: Counter[Any] = Counter()
        self.rows: Counter[Any] = Counter()
        self.log_loss = 0.0
        self.n_scored = 0
        n_curves = len(classes) if len(classes) <= MOST_CLASSES else 0
        self.of_class = np.zeros((n_curves, N_BINS), dtype=np.int64)
        self.of_all = np.zeros((n_curves, N_BINS), dtype=np.int64)

    def add(self, y: Array, predicted: Array, probabilities: Array | None) -> None:
        """Add some rows.

        Parameters
        ----------
        y, predicted : ndarray of shape (n_samples,)
            Labels.
        probabilities : ndarray of shape (n_samples, n_classes), optional
        """
        for label in np.unique(y):
            rows = y == label
            self.rows[label.item()] += int(rows.sum())
            self.hits[label.item()] += int((predicted[rows] == label).sum())
        if probabilities is not None:
            truth = look_up_labels(y, self.classes)
            self._add_probabilities(truth[truth >= 0], probabilities[truth >= 0])

    def _add_probabilities(self, truth: Array, probabilities: Array) -> None:
        chosen = probabilities[np.arange(len(truth)), truth]
        self.log_loss -= float(np.log(np.maximum(chosen, LEAST_PROBABILITY)).sum())
        self.n_scored += len(truth)
        for position in range(len(self.of_all)):
            odds = np.clip(logit(probabilities[:, position]), -LARGEST_ODDS, LARGEST_ODDS)
            bins = ((odds + LARGEST_ODDS) * (N_BINS - 1) / (2.0 * LARGEST_ODDS)).astype(np.int64)
            self.of_all[position] += np.bincount(bins, minlength=N_BINS)
            self.of_class[position] += np.bincount(bins[truth == position], minlength=N_BINS)

    @property
    def unseen(self) -> dict[Any, int]:
        """Labels that are none of the classes, with the number of their rows."""
        known = set(self.classes.tolist())
        return {label: count for label, count in self.rows.items() if label not in known}

    def result(self) -> dict[str, float]:
        """Return the scores of all rows added.

        Returns
        -------
        dict of str to float
            Log loss only if probabilities were added, macro AUC only if every class has rows.
        """
        n_rows = sum(self.rows.values())
        recalls = [self.hits[label] / count for label, count in self.rows.items()]
        scores = {
            "accuracy": sum(self.hits.values()) / n_rows,
            "balanced_accuracy": sum(recalls) / len(recalls),
        }
        if self.n_scored:
            scores["log_loss"] = self.log_loss / self.n_scored
            area = self._macro_auc()
            if area is not None:
                scores["macro_auc"] = area
        return scores

    def _macro_auc(self) -> float | None:
        """Average the areas, each class against the others; None where one has no rows."""
        others = self.of_all - self.of_class
        pairs = self.of_class.sum(axis=1) * others.sum(axis=1).astype(np.float64)
        if len(pairs) == 0 or not pairs.all():
            return None
        below = np.cumsum(others, axis=1) - 0.5 * others
        return float(((self.of_class * below).sum(axis=1) / pairs).mean())


class RegressionMetrics:
    """RMSE, MAE, R2 and the coverage of 90 % intervals of a stream of rows.

    Examples
    --------
    >>> metrics = RegressionMetrics()
    >>> metrics.add(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    >>> metrics.result()["R2"]
    0.5
    """

    def __init__(self) -> None:
        self.n_rows = self.n_covered = self.n_intervals = 0
        self.squares = self.absolute = self.mean = self.deviations = 0.0

    def add(self, y: Array, predicted: Array, ends: tuple[Array, Array] | None = None) -> None:
        """Add some rows.

        Parameters
        ----------
        y, predicted : ndarray of shape (n_samples,)
        ends : pair of ndarray, optional
            Lower and upper ends of 90 % intervals.
        """
        errors = predicted - y
        self.squares += float((errors**2).sum())
        self.absolute += float(np.abs(errors).sum())
        # Squared deviations are merged: the difference of sums of squares would lose all digits.
        n_rows, mean = len(y), float(y.mean())
        total, shift = self.n_rows + n_rows, mean - self.mean
        self.deviations += float(((y - mean) ** 2).sum()) + shift**2 * self.n_rows * n_rows / total
        self.mean += shift * n_rows / total
        self.n_rows = total
        if ends is not None:
            self.n_covered += int(((ends[0] <= y) & (y <= ends[1])).sum())
            self.n_intervals += n_rows

    def result(self) -> dict[str, float]:
        """Return the scores of all rows added.

        Returns
        -------
        dict of str to float
            Coverage only if intervals were added; R2 is NaN for a constant target.
        """
        scores = {
            "RMSE": math.sqrt(self.squares / self.n_rows),
            "MAE": self.absolute / self.n_rows,
            "R2": 1.0 - self.squares / self.deviations if self.deviations > 0.0 else math.nan,
        }
        if self.n_intervals:
            scores["coverage_90"] = self.n_covered / self.n_intervals
        return scores
