"""Exported models, run."""

from __future__ import annotations

import pytest

from tests.interop.onnx_export.runs import run_model


@pytest.fixture
def run(tmp_path):
    return lambda model, X, **options: run_model(model, X, tmp_path / "model.onnx", **options)
