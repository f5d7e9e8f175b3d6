"""Model files of the command line: the target and the kinds of columns come back."""

from __future__ import annotations

import numpy as np
import pytest

import askl
from askl.cli.console import Screen
from askl.cli.models.problem import Problem
from askl.cli.models.saved_model import load_model, save_model
from askl.errors import ModelFileError
from tests.models import classifier


def test_the_target_and_the_kinds_of_columns_are_in_the_header(houses):
    saved = load_model(Screen(), houses[1])
    assert saved.kinds == {"size": "number", "city": "text", "built": "time"}
    assert saved.target == "y"


def test_saving_changes_nothing_in_the_model(classes, tmp_path):
    X, y = classes
    model = classifier(max_epochs=1).fit(X, y)
    before = set(vars(model))
    save_model(model, Problem(X, y, False, "kind"), tmp_path / "m.askl")
    assert set(vars(model)) == before
    saved = load_model(Screen(), tmp_path / "m.askl")
    assert (saved.kinds, saved.target) == ({}, "kind")
    np.testing.assert_array_equal(saved.model.predict(X), model.predict(X))


def test_a_model_saved_from_python_has_no_target(classes, tmp_path):
    path = askl.save(classifier(max_epochs=1).fit(*classes), tmp_path / "m.askl")
    assert load_model(Screen(), path)[1:] == ({}, None)


@pytest.mark.parametrize(
    "extra", [{"target": 3}, {"column_kinds": ["number"]}, {"column_kinds": {"a": "colour"}}]
)
def test_a_header_with_other_values_is_refused(classes, tmp_path, extra):
    model = classifier(max_epochs=1).fit(*classes)
    path = askl.save(model, tmp_path / "m.askl", extra=extra)
    with pytest.raises(ModelFileError, match="not known"):
        load_model(Screen(), path)
