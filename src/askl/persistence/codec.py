"""Values as JSON and tensors, and back, through a closed table of codecs.

Plain values and lists stand for themselves. Everything else is ``{"tag": payload}``, with a tag of
the table. Large arrays become tensors, named by the path of their value in the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from askl._typing import Array
from askl.errors import AsklError, ModelFileError

# A few bytes of a file can ask for much larger Python objects: their number and depth are bounded.
MAX_DEPTH = 64
MAX_OBJECTS = 1000
MAX_RECORDS = 250_000


class Codec(NamedTuple):
    """How some values become a payload of JSON, and a payload becomes a value again."""

    accepts: Callable[[Any], bool]
    encode: Callable[[Any, Encoder, str], Any]
    decode: Callable[[Any, Decoder], Any]


class Encoder:
    """Encodes values, and collects their arrays as tensors.

    Parameters
    ----------
    codecs : mapping of str to Codec
        By tag. The first codec that accepts a value encodes it.
    """

    def __init__(self, codecs: Mapping[str, Codec]) -> None:
        self.codecs = codecs
        self.tensors: dict[str, Array] = {}

    def __call__(self, value: Any, path: str = "") -> Any:
        """Encode a value; ``path`` leads to it in the model."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float and math.isfinite(value):
            return value
        if type(value) is list and not are_records(value):
            return self.all(value, path)
        for tag, codec in self.codecs.items():
            if codec.accepts(value):
                return {tag: codec.encode(value, self, path)}
        raise refusal(value, path)

    def all(self, values: Iterable[Any], path: str) -> list[Any]:
        """Encode several values, each with its position in the path."""
        return [self(value, f"{path}.{position}") for position, value in enumerate(values)]

    def add(self, tensor: Array, path: str) -> str:
        """Add a tensor, and return its name: its path, made unique."""
        name = path.lstrip(".")
        while name in self.tensors or not name:
            name += "_"
        self.tensors[name] = tensor
        return name


class Decoder:
    """Decodes values that may be hostile: any exception that it raises means a bad file.

    Parameters
    ----------
    codecs : mapping of str to Codec
        By tag.
    tensors : dict of str to ndarray
        By name. Each can be used once.
    """

    def __init__(self, codecs: Mapping[str, Codec], tensors: dict[str, Array]) -> None:
        self.codecs, self.tensors = codecs, tensors
        self.objects: list[Any] = []
        self.n_records = 0
        self._depth = 0

    def __call__(self, value: Any) -> Any:
        """Decode a value."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ModelFileError(f"values are nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, list):
            decoded: Any = self.all(value)
        else:
            ((tag, payload),) = value.items()
            decoded = self.codecs[tag].decode(payload, self)
        self._depth -= 1
        return decoded

    def all(self, values: Iterable[Any]) -> list[Any]:
        """Decode several values."""
        return [self(value) for value in values]

    def count_object(self, value: Any) -> None:
        """Remember an object whose attributes follow; raise where there are too many."""
        self.objects.append(value)
        if len(self.objects) > MAX_OBJECTS:
            raise ModelFileError(f"there are more than {MAX_OBJECTS} objects")

    def count_records(self, n_records: int) -> None:
        """Count records that are about to be made; raise where there are too many."""
        self.n_records += n_records
        if self.n_records > MAX_RECORDS:
            raise ModelFileError(f"there are more than {MAX_RECORDS} records")


def is_record(value: Any) -> bool:
    """Return True for a NamedTuple."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def are_records(value: Any) -> bool:
    """Return True for a list of NamedTuples of one class, such as a history."""
    return isinstance(value, list) and len({type(v) for v in value}) == 1 and is_record(value[0])


def refusal(value: Any, path: str) -> AsklError:
    """Make the error about a value that no codec accepts."""
    kind = type(value)
    what = f"of dtype {value.dtype}" if isinstance(value, np.ndarray) else ""
    return AsklError(
        f"A model file cannot hold {path.lstrip('.') or 'this model'}, "
        f"a {kind.__module__}.{kind.__qualname__} {what}".rstrip()
        + ". Keep such a model with joblib.dump, which trusts the writer of the file."
    )
