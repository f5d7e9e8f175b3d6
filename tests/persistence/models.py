"""What the tests of model files share."""

from __future__ import annotations

import numpy as np
import pytest

import askl
from askl.errors import ModelFileError


def round_trip(model, path):
    return askl.load(askl.save(model, path))


def assert_equal_models(model, again, X):
    """Every method the two have agrees to the bit."""
    assert type(again) is type(model)
    for method in ("predict", "predict_proba", "decision_function", "transform", "kernel"):
        if hasattr(model, method):
            expected = getattr(model, method)(X)
            np.testing.assert_array_equal(getattr(again, method)(X), expected)
            assert getattr(again, method)(X).dtype == expected.dtype


def refuse(path, content, match):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=match):
        askl.load(path)
