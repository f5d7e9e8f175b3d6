"""The classes whose instances a model file may hold. Each is imported when it is first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from askl.errors import ModelFileError

# Names of classes in files, and the modules of the classes. A name in files never changes; a module
# may.
CLASSES = {
    "AutoSpectralKernelClassifier": "askl.auto.classifier",
    "AutoSpectralKernelRegressor": "askl.auto.regressor",
    "LogScale": "askl.preprocessing.target_scaling",
    "Progress": "askl.learning",
    "Scaling": "askl.preprocessing.input_scaling",
    "SpectralFeatures": "askl.estimators.features",
    "SpectralKernelClassifier": "askl.estimators.classifier",
    "SpectralKernelRegressor": "askl.estimators.regressor",
    "Candidate": "askl.auto.candidates",
    "CostConstants": "askl.auto.settings",
    "SearchSettings": "askl.auto.settings",
    "TableEncoder": "askl.preprocessing.table_encoder",
    "ColumnTransformer": "sklearn.compose",
    "FunctionTransformer": "sklearn.preprocessing",
    "KFold": "sklearn.model_selection",
    "LabelBinarizer": "sklearn.preprocessing",
    "LabelEncoder": "sklearn.preprocessing",
    "MissingIndicator": "sklearn.impute",
    "OneHotEncoder": "sklearn.preprocessing",
    "OrdinalEncoder": "sklearn.preprocessing",
    "Pipeline": "sklearn.pipeline",
    "QuantileTransformer": "sklearn.preprocessing",
    "RobustScaler": "sklearn.preprocessing",
    "SimpleImputer": "sklearn.impute",
    "StandardScaler": "sklearn.preprocessing",
    "StratifiedKFold": "sklearn.model_selection",
    "TargetEncoder": "sklearn.preprocessing",
}
# Types that are values themselves, as in OneHotEncoder(dtype=numpy.float64).
TYPES = {
    f"{kind.__module__}.{kind.__name__}": kind
    for kind in (bool, int, float, str, object, np.int32, np.int64, np.float32, np.float64)
}


# The encoders of the automatic models are listed where they are fitted.
ENCODERS = "askl.auto.encoders"


def _import_class(name: str) -> Any:
    """Import an allowed class; None for a name that is not allowed."""
    if name in CLASSES:
        return getattr(import_module(CLASSES[name]), name)
    encoders = import_module(ENCODERS)
    return encoders.find_encoder(name) if name in encoders.ENCODERS else None


def find_class(name: str, *, record: bool) -> Any:
    """Return the class of a name in a file, which must be a NamedTuple if ``record`` is True."""
    kind = _import_class(name)
    if kind is None or issubclass(kind, tuple) != record:
        raise ModelFileError(f"{name!r} is not a class that a model file may hold there")
    return kind


def name_class(kind: type) -> str | None:
    """Return the name of a class in files, None for a class that they may not hold."""
    name = kind.__name__
    return name if _import_class(name) is kind else None
