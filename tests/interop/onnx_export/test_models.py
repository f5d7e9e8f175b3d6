"""Classifiers, regressors and transformers as named outputs."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from sklearn.preprocessing import StandardScaler

from askl.errors import AsklError
from askl.interop import export_onnx
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.models import add_model
from tests.models import classifier, regressor, transformer


def outputs_of(model):
    return add_model(Graph(), model, "X")


def test_outputs_have_their_types_and_shapes(classes, numbers):
    X, y = classes
    assert outputs_of(classifier(max_epochs=1).fit(X, y)) == {
        "label": (np.dtype(np.int64), ["n"]),
        "probabilities": (np.float64, ["n", 3]),
        "decision": (np.float64, ["n", 3]),
    }
    two = classifier(max_epochs=1).fit(X, np.minimum(y, 1))
    assert outputs_of(two)["decision"] == (np.float64, ["n"])
    margins = classifier(max_epochs=1, loss="hinge").fit(X, y)
    assert list(outputs_of(margins)) == ["label", "decision"]
    X, y = numbers
    assert outputs_of(regressor(max_epochs=1).fit(X, y)) == {"prediction": (np.float64, ["n"])}
    both = regressor(max_epochs=1).fit(X, np.column_stack([y, y]))
    assert outputs_of(both) == {"prediction": (np.float64, ["n", 2])}
    assert outputs_of(transformer(max_epochs=1).fit(X, y)) == {
        "features": (np.dtype(np.float64), ["n", 60])
    }


def test_text_labels_are_texts_in_the_file(classes, tmp_path):
    X, y = classes
    model = classifier(max_epochs=1).fit(X, np.array(["a", "b", "c"])[y])
    exported = onnx.load(export_onnx(model, tmp_path / "model.onnx"))
    (label, *_) = exported.graph.output
    assert label.type.tensor_type.elem_type == onnx.TensorProto.STRING


def test_other_models_are_refused(classes):
    with pytest.raises(AsklError, match=r"does not support StandardScaler\. Give it a fitted"):
        outputs_of(StandardScaler().fit(classes[0]))
