"""Columns that may change places: orders of the columns in which the rows look the same.

The cards of a hand, the pixels around a point, sensors of one kind: what a row says does not depend
on which of them comes first. A model need not learn that from what rows there are if it is shown
every row in all such orders (:mod:`askl.estimators.symmetry_augmentation`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_X_y

from askl._typing import Array
from askl.discovery.probe import ecdf_distance, has_two_values, is_varied, make_probe
from askl.preprocessing.column_orders import Order
from askl.preprocessing.input_scaling import fit_scaling
from askl.preprocessing.validation import is_regression

# Targets that are numbers are cut into so many parts of even size.
N_PARTS = 5
# With fewer rows, chance makes columns look alike; of very many columns, some do in any case.
LEAST_ROWS = 500
MOST_COLUMNS = 200
# How far moments in units of deviations, or the distributions of two columns, may differ: so much,
# and so many deviations of chance. Partial correlations are larger where columns say nearly the
# same, and so are their differences.
TOLERANCE = 0.05
PARTIAL_TOLERANCE = 0.2
CHANCE = 3.0
# A column that the others explain but for so small a share of its variance stays where it is: what
# is left of it is rounding. But not one of two values, such as those that a category is made into.
LEAST_OWN_SHARE = 1e-4
# Steps of one search for an order, and of all searches.
MOST_STEPS = 500
MOST_STEPS_IN_ALL = 2_000
# Evenly from all rows, so many are looked at.
MOST_ROWS = 50_000
# Of what a small smooth model explains of rows it has not seen, so much may be lost when their
# columns change places, and so many deviations of chance. It learns from so many rows at most.
MOST_LOST = 0.05
LOSS_CHANCE = 2.0
ROWS_TO_LEARN = 5_000


def find_symmetries(X: Any, y: Any, *, task: str = "auto") -> list[Order]:
    """Find orders of the columns in which rows look the same, to each other and to the targets.

    Columns may change places if they are distributed alike, and alike in every class, as far as
    two moments tell; if the products of any two are, in every class, before and after the change;
    and if their partial correlations are, which tell apart what correlations of columns that say
    nearly the same do not. And a small smooth model must predict rows it has not seen about as
    well after the change.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Labels of classes, or numbers.
    task : {"auto", "classification", "regression"}, default="auto"
        What ``y`` is; ``"auto"`` goes by its values.

    Returns
    -------
    list of tuple of int
        Each says for every column which one comes in its place. Empty where there are none, or
        with fewer than 500 rows or more than 200 columns.

    Examples
    --------
    Only the distance of the first two columns matters:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(4000, 3))
    >>> find_symmetries(X, np.abs(X[:, 0] - X[:, 1]) + X[:, 2])
    [(1, 0, 2)]
    """
    X, y = check_X_y(X, y, dtype=np.float64, multi_output=True)
    if task == "auto":
        task = "regression" if is_regression(y) else "classification"
    n_samples, n_features = X.shape
    if n_samples < LEAST_ROWS or not 2 <= n_features <= MOST_COLUMNS:
        return []
    some = slice(None, None, -(-n_samples // MOST_ROWS))
    X, y = X[some], y[some]
    targets = _standardize(y.reshape(len(y), -1)) if task == "regression" else _classes(y)
    likeness = _compare(X, _fifths(targets) if task == "regression" else targets)
    pairs = np.argwhere(np.triu(likeness.alike, 1)).tolist()
    if not pairs:
        return []
    judge = _Judge(X, targets)
    found: list[Order] = []
    orbit = np.arange(n_features)  # alike for columns that what was found lets change places
    steps = 0
    for place, taken in pairs:
        if orbit[place] == orbit[taken] or steps >= MOST_STEPS_IN_ALL:
            continue
        search = _Search(likeness)
        order = search.run(place, taken)
        steps += search.steps
        if order is not None and judge.accepts(order):
            found.append(order)
            for here, there in enumerate(order):
                orbit[orbit == orbit[there]] = orbit[here]
    return found


class Likeness(NamedTuple):
    """What is known of columns: which are alike, and what any two have to do with each other.

    A relation has a moment of two columns for every part of the rows, and how far it may differ.
    """

    alike: Array  # (n_features, n_features)
    relations: list[tuple[Array, float]]  # arrays of shape (n_parts, n_features, n_features)


def _standardize(numbers: Array) -> Array:
    """Bring columns to mean zero and deviation one."""
    return fit_scaling(numbers, "standard").apply(numbers).astype(np.float64)


def _classes(labels: Array) -> Array:
    """Return a column of zeros and ones for every class."""
    names, codes = np.unique(labels, return_inverse=True)
    return np.asarray(np.eye(len(names))[codes])


def _fifths(targets: Array) -> Array:
    """Return a column of zeros and ones for every fifth of each target."""
    levels = np.linspace(0.0, 1.0, N_PARTS + 1)[1:-1]
    return np.hstack(
        [
            np.eye(N_PARTS)[np.searchsorted(np.quantile(column, levels), column)]
            for column in targets.T
        ]
    )


def _compare(X: Array, parts: Array) -> Likeness:
    """Compare columns with each other, as they are and within every part."""
    n_samples, n_features = X.shape
    unit = _standardize(X)
    shares = parts.mean(axis=0)
    parts, shares = parts[:, shares > 0.0], shares[shares > 0.0]
    # A part's moments count by the root of its share: then chance is alike in all of them.
    weights = parts / (n_samples * np.sqrt(shares))
    tolerance = TOLERANCE + CHANCE * np.sqrt(len(shares) / n_samples)
    partial_tolerance = PARTIAL_TOLERANCE + CHANCE * np.sqrt(1.0 / n_samples)
    products = np.stack([(unit * weight[:, None]).T @ unit for weight in weights.T])
    correlation = unit.T @ unit / n_samples + 0.1 * LEAST_OWN_SHARE * np.eye(n_features)
    precision = np.linalg.inv(correlation)
    own = 1.0 / np.diagonal(precision)  # share of the variance that the others do not explain
    partial = precision * np.sqrt(own * own[:, None])
    slopes = np.sqrt(own) * (weights.T @ unit @ precision)
    is_explained = own < LEAST_OWN_SHARE
    partial[is_explained] = partial[:, is_explained] = slopes[:, is_explained] = 0.0
    own[is_explained] = 1.0
    means, squares = weights.T @ unit, np.diagonal(products, axis1=1, axis2=2)
    alike = _distance(np.log(own)[None], np.log(own)[None]) <= partial_tolerance
    for moments in (means, squares, slopes):
        alike &= _distance(moments, moments) <= tolerance
    alike &= ecdf_distance(X) <= TOLERANCE + CHANCE * np.sqrt(0.5 / n_samples)
    stays = ~is_varied(X) | (is_explained & ~has_two_values(X))
    alike[:, stays] = alike[stays] = False
    np.fill_diagonal(alike, True)
    return Likeness(alike, [(products, tolerance), (partial[None], partial_tolerance)])


def _distance(left: Array, right: Array) -> Array:
    """Return the distance of any two columns of two tables of moments."""
    return np.asarray(np.sqrt(np.square(left[:, :, None] - right[:, None, :]).sum(axis=0)))


class _Judge:
    """A small smooth model, and the rows it has not seen."""

    def __init__(self, X: Array, targets: Array) -> None:
        targets = targets - targets.mean(axis=0)
        order = np.random.default_rng(0).permutation(len(X))
        rows, others = np.split(order, [min(ROWS_TO_LEARN, len(X) // 2)])
        others = others[:ROWS_TO_LEARN]
        self.model = make_probe().fit(X[rows], targets[rows])
        self.X, self.targets = X[others], targets[others]
        self.errors = self._errors(self.X)
        self.explained = np.square(self.targets).sum(axis=1).mean() - self.errors.mean()

    def accepts(self, order: Order) -> bool:
        """Say whether the model predicts about as well when the columns change places."""
        lost = self._errors(self.X[:, order]) - self.errors
        chance = lost.std() / np.sqrt(len(lost))
        return bool(lost.mean() <= MOST_LOST * max(self.explained, 0.0) + LOSS_CHANCE * chance)

    def _errors(self, X: Array) -> Array:
        predictions = self.model.predict(X).reshape(self.targets.shape)
        return np.asarray(np.square(predictions - self.targets).sum(axis=1))


class _Search:
    """A search for an order that puts one column in another's place: depth first, bounded."""

    def __init__(self, likeness: Likeness) -> None:
        self.likeness, self.steps = likeness, 0

    def run(self, place: int, taken: int) -> Order | None:
        """Find an order with one column in another's place."""
        order = np.arange(len(self.likeness.alike))
        order[[place, taken]] = taken, place
        if not self._keeps_relations(order):
            possible = self._put(self.likeness.alike, place, taken)
            found = self._fill(possible, set(order.tolist()) - {place})
            if found is None:
                return None
            order = found
        return tuple(order.tolist())

    def _keeps_relations(self, order: Array) -> bool:
        return all(
            bool((np.square(moments - moments[:, order][:, :, order]).sum(axis=0) <= most**2).all())
            for moments, most in self.likeness.relations
        )

    def _fill(self, possible: Array, left: set[int]) -> Array | None:
        """Fill the places that are left; a column stays in its own where it can."""
        if not possible.any(axis=1).all():
            return None
        if not left:
            order: Array = possible.argmax(axis=1)
            return order
        # The place with the fewest candidates first.
        place = min(left, key=lambda each: (possible[each].sum(), each))
        for taken in sorted(np.flatnonzero(possible[place]), key=lambda each: each != place):
            self.steps += 1
            if self.steps > MOST_STEPS:
                return None
            found = self._fill(self._put(possible, place, int(taken)), left - {place})
            if found is not None:
                return found
        return None

    def _put(self, possible: Array, place: int, taken: int) -> Array:
        """Put a column in a place; return what remains possible for all places."""
        possible = possible.copy()
        for moments, most in self.likeness.relations:
            possible &= _distance(moments[:, :, place], moments[:, :, taken]) <= most
        is_here = np.arange(len(possible)) == taken
        possible[:, is_here] = False
        possible[place] = is_here & self.likeness.alike[place]
        return possible
