from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from askl import SpectralKernelClassifier
from askl.auto.encoders import ENCODERS
from askl.errors import ModelFileError
from askl.persistence.allowed_classes import CLASSES, TYPES, find_class, name_class
from askl.preprocessing.input_scaling import Scaling


@pytest.mark.parametrize("name", [*CLASSES, *ENCODERS])
def test_every_class_is_found_under_its_name(name):
    records = {"Candidate", "CostConstants", "LogScale", "Progress", "Scaling", "SearchSettings"}
    is_record = name in records
    kind = find_class(name, record=is_record)
    assert kind.__name__ == name
    assert name_class(kind) == name
    with pytest.raises(ModelFileError, match=f"'{name}' is not a class that a model file may hold"):
        find_class(name, record=not is_record)


def test_other_classes_have_no_name():
    class Subclass(SpectralKernelClassifier):
        pass

    impostor = type("Pipeline", (BaseEstimator,), {})
    assert name_class(Subclass) is None
    assert name_class(impostor) is None
    assert name_class(Pipeline) == "Pipeline"
    assert name_class(Scaling) == "Scaling"


@pytest.mark.parametrize("name", ["Popen", "", "askl.load", "Pipeline.fit", "os.system"])
def test_other_names_have_no_class(name):
    with pytest.raises(ModelFileError, match="is not a class that a model file may hold"):
        find_class(name, record=False)


def test_types_are_named_by_module():
    assert TYPES["numpy.float64"] is np.float64
    assert TYPES["builtins.str"] is str
    assert not {"builtins.type", "builtins.eval"} & TYPES.keys()


def test_automatic_models_are_imported_when_a_file_needs_them():
    code = "import sys, askl.persistence; print('askl.auto.classifier' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"
