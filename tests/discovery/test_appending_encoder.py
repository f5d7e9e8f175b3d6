from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from askl.discovery.appending_encoder import AppendingEncoder
from tests.discovery.sources import changed_by


@dataclass(eq=False, repr=False, kw_only=True)
class SumEncoder(AppendingEncoder):
    """Appends the sum and the product of the first columns."""

    def fit(self, X, y):
        table = self._check_training_table(X, y)
        self.group_ = tuple(range(table.X.shape[1])[: self.n_columns])
        self.targets_ = table.targets
        return self

    def _new_columns(self, X):
        part = X[:, self.group_]
        return [part.sum(axis=1, keepdims=True), part.prod(axis=1, keepdims=True)]

    def _describe(self, names):
        joined = " and ".join(names[column] for column in self.group_)
        return [(f"sum of {joined}", self.group_), (f"product of {joined}", self.group_)]


def test_new_columns_come_after_the_others(rng):
    X = rng.normal(size=(20, 3))
    found = SumEncoder(n_columns=2).fit(X, np.ones(20)).transform(X)
    expected = np.column_stack([X, X[:, 0] + X[:, 1], X[:, 0] * X[:, 1]])
    np.testing.assert_allclose(found, expected)


def test_names_and_sources_agree_with_the_columns(rng):
    table = pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"))
    encoder = SumEncoder(n_columns=2).fit(table, np.ones(20))
    names = ["a", "b", "c", "sum of a and b", "product of a and b"]
    assert encoder.get_feature_names_out().tolist() == names
    assert list(encoder.set_output(transform="pandas").transform(table)) == names
    unnamed = SumEncoder(n_columns=2).fit(table.to_numpy(), np.ones(20))
    assert unnamed.get_feature_names_out()[3] == "sum of x0 and x1"
    assert unnamed.source_columns() == changed_by(unnamed, table.to_numpy())


def test_targets_have_a_column_for_each_output(rng):
    X = rng.normal(size=(20, 3))
    assert SumEncoder().fit(X, np.ones(20)).targets_.shape == (20, 1)
    assert SumEncoder().fit(X, np.ones((20, 2))).targets_.shape == (20, 2)


@pytest.mark.parametrize("wrong", [{"n_columns": -1}, {"n_columns": 1.5}, {"random_state": "x"}])
def test_wrong_parameters_are_named(wrong, rng):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SumEncoder(**wrong).fit(rng.normal(size=(20, 3)), np.ones(20))
