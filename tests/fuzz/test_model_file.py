from __future__ import annotations

import pytest

from fuzz import model_file
from fuzz.mutations import mutations


def test_inputs_are_models_or_refused():
    files = model_file.corpus()
    before = dict(model_file.TOTALS)
    for content in files:
        model_file.try_one(content)
    assert model_file.TOTALS["loaded"] == before["loaded"] + len(files)
    for mutation in mutations(files[0], count=33, seed=0):
        model_file.try_one(mutation.content)
    tried = sum(model_file.TOTALS.values()) - sum(before.values())
    assert tried == len(files) + 33
    assert model_file.TOTALS["refused"] > before["refused"] + 10


def test_another_error_ends_the_program(monkeypatch):
    def load(path):
        raise KeyError("weights_")

    monkeypatch.setattr(model_file.askl, "load", load)
    with pytest.raises(KeyError, match="weights_"):
        model_file.try_one(b"anything")
