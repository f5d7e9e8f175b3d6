"""``askl export``: the model as ONNX."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import askl


def test_an_exported_model_predicts_the_same(run, flowers, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    path = tmp_path / "model.onnx"
    result = run("export", flowers[1], path)
    assert result.exit_code == 0, result.stderr
    assert list(tmp_path.iterdir()) == [path]
    session = onnxruntime.InferenceSession(path)
    X = pd.read_csv(flowers[0])[["a", "b"]]
    outputs = session.run(None, {session.get_inputs()[0].name: X.to_numpy(np.float64)})
    np.testing.assert_allclose(outputs[1], askl.load(flowers[1]).predict_proba(X), atol=1e-4)


def test_a_model_that_onnx_cannot_express_is_refused_and_leaves_no_file(fails, houses, tmp_path):
    pytest.importorskip("onnx")
    message = fails("export", houses[1], tmp_path / "model.onnx")
    assert "no numbers" in message
    assert list(tmp_path.iterdir()) == []
