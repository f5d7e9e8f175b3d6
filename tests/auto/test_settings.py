"""The tuned numbers: all are used, documented, and kept with a model."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import askl.auto
from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor, load
from askl.auto.settings import CostConstants, SearchSettings
from tests.auto.cases import QUICK

SOURCE = inspect.getsource(SearchSettings)


def test_every_number_is_used():
    folder = Path(askl.auto.__file__).parent
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in folder.rglob("*.py")
        if path.name != "settings.py"
    )
    used = set(re.findall(r"settings(?:\(\))?\.(\w+)", text))
    assert set(SearchSettings._fields) - used == set()


def test_every_group_of_numbers_says_where_it_comes_from():
    groups = re.split(r"\n\n|(?<=\d)\n(?=    #)", SOURCE.split('"""')[-1])
    for group in groups:
        if re.search(r"^    \w+: (?!CostConstants)", group, re.MULTILINE):
            assert "#" in group, group


@pytest.mark.parametrize("kind", [AutoSpectralKernelClassifier, AutoSpectralKernelRegressor])
def test_settings_are_a_parameter_that_is_cloned_and_kept_in_files(kind, tmp_path):
    settings = SearchSettings(n_folds=3, cost=CostConstants(each_layer=1e-3))
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = kind(time_budget=None, max_members=1, portfolio=QUICK, settings=settings)
    assert clone(model).settings == settings
    again = load(model.fit(X, X[:, 0] > 0.0).save(tmp_path / "model.askl"))
    assert again.settings == settings
    assert isinstance(again.settings.cost, CostConstants)
    assert set(again.leaderboard_["folds"]) <= {1, 2, 3}
