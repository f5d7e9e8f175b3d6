"""Values as JSON and tensors, and back: a closed list of types, and no code in between.

Plain values and lists stand for themselves. Everything else is ``{"tag": payload}`` with a tag of
:data:`CODECS`; numbers in bulk go to tensors, named by the path of their value in the model.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import numpy as np
import torch

from askl._typing import Array
from askl.errors import AsklError, ModelFileError
from askl.persistence.allowed_classes import TYPES, find_class, name_class
from askl.persistence.array_codec import (
    is_known_dtype,
    pack_array,
    pack_scalar,
    parse_dtype,
    unpack_array,
    unpack_scalar,
)

# Python's objects are larger than what a file needs to ask for them: their number is bounded.
MAX_DEPTH = 64
MAX_OBJECTS = 1000
MAX_RECORDS = 250_000
_LEFT_OUT = ("callback", "memory")


class Encoder:
    """Encodes values, collecting their arrays as tensors."""

    def __init__(self) -> None:
        self.tensors: dict[str, Array] = {}

    def __call__(self, value: Any, place: str = "") -> Any:
        """Encode a value; ``place`` is its path in the model."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float and math.isfinite(value):
            return value
        if type(value) is list and not _are_records(value):
            return self.all(value, place)
        for tag, codec in CODECS.items():
            if codec.accepts(value):
                return {tag: codec.encode(value, self, place)}
        raise _refusal(value, place)

    def all(self, values: Iterable[Any], place: str) -> list[Any]:
        """Encode several values, each at its position."""
        return [self(value, f"{place}.{position}") for position, value in enumerate(values)]

    def add(self, tensor: Array, place: str) -> str:
        """Keep a tensor under its place, and return the name it got."""
        name = place.lstrip(".")
        while name in self.tensors or not name:
            name += "_"
        self.tensors[name] = tensor
        return name


class Decoder:
    """Decodes values that may be hostile: whatever exception it raises means a bad file."""

    def __init__(self, tensors: dict[str, Array]) -> None:
        self.tensors = tensors
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
            decoded = CODECS[tag].decode(payload, self)
        self._depth -= 1
        return decoded

    def all(self, values: Iterable[Any]) -> list[Any]:
        """Decode several values."""
        return [self(value) for value in values]


class Codec(NamedTuple):
    """How some values become a payload, and a payload a value again."""

    accepts: Callable[[Any], bool]
    encode: Callable[[Any, Encoder, str], Any]
    decode: Callable[[Any, Decoder], Any]


def _refusal(value: Any, place: str) -> AsklError:
    kind = type(value)
    what = f"of dtype {value.dtype}" if isinstance(value, np.ndarray) else ""
    return AsklError(
        f"A model file cannot hold {place.lstrip('.') or 'this model'}, "
        f"a {kind.__module__}.{kind.__qualname__} {what}".rstrip()
        + ". Keep such a model with joblib.dump, which trusts whoever wrote the file."
    )


def _name_of(value: Any, place: str) -> str:
    name = name_class(type(value))
    if name is None:
        raise _refusal(value, place)
    return name


def _encode_array(array: Array, encoder: Encoder, place: str) -> dict[str, Any]:
    if array.dtype.kind == "O":
        items = encoder.all(array.ravel().tolist(), place)
        return {"shape": list(array.shape), "items": items}
    if not is_known_dtype(array.dtype):
        raise _refusal(array, place)
    tensor, packed = pack_array(array)
    return {"tensor": encoder.add(tensor, place), **packed}


def _decode_array(payload: dict[str, Any], decoder: Decoder) -> Array:
    if "items" not in payload:
        # A tensor is one value's: many of one tensor could become more than the file is large.
        return unpack_array(decoder.tensors.pop(payload["tensor"]), payload)
    objects = np.empty(len(payload["items"]), dtype=object)
    for position, item in enumerate(payload["items"]):
        objects[position] = decoder(item)  # one by one: a tuple is an item, not a row
    return objects.reshape(payload["shape"])


def _encode_scalar(value: Any, encoder: Encoder, place: str) -> list[Any]:
    dtype, plain = pack_scalar(value)
    return [dtype, encoder(plain, place)]


def _are_records(value: Any) -> bool:
    """Say whether a value is a list of NamedTuples of one class, such as a history."""
    return isinstance(value, list) and len({type(v) for v in value}) == 1 and _is_record(value[0])


def _is_record(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _encode_records(values: list[Any], encoder: Encoder, place: str) -> list[Any]:
    """Encode by columns, those of one number type as tensors."""
    if len(values) > MAX_RECORDS:
        raise AsklError(
            f"A model file holds at most {MAX_RECORDS} records, but {place.lstrip('.')} has "
            f"{len(values)}. Keep some of them, as in history_[::10]."
        )
    columns = []
    for field, column in zip(values[0]._fields, zip(*values, strict=True), strict=True):
        kinds = {type(item) for item in column}
        in_bulk = kinds == {float} or (kinds == {int} and max(map(abs, column)) < 2**63)
        whole: Any = np.array(column) if in_bulk else list(column)
        columns.append(encoder(whole, f"{place}.{field}"))
    return [_name_of(values[0], place), columns]


def _decode_records(payload: Any, decoder: Decoder) -> list[Any]:
    kind = find_class(payload[0], record=True)
    columns = [decoder(column) for column in payload[1]]
    arrays = [column for column in columns if isinstance(column, np.ndarray)]
    decoder.n_records += max((array.size for array in arrays), default=0)
    if decoder.n_records > MAX_RECORDS:
        raise ModelFileError(f"there are more than {MAX_RECORDS} records")
    lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns]
    return [kind(*row) for row in zip(*lists, strict=True)]


def _encode_object(value: Any, encoder: Encoder, place: str) -> list[Any]:
    name = _name_of(value, place)
    # A user's callback is code, and a cache is of one machine: neither is the model.
    attributes = {
        key: None if key in _LEFT_OUT and not isinstance(item, str) else item
        for key, item in vars(value).items()
    }
    return [name, {key: encoder(item, f"{place}.{key}") for key, item in attributes.items()}]


def _decode_object(payload: Any, decoder: Decoder) -> Any:
    kind = find_class(payload[0], record=False)
    value = kind.__new__(kind)
    decoder.objects.append(value)
    if len(decoder.objects) > MAX_OBJECTS:
        raise ModelFileError(f"there are more than {MAX_OBJECTS} objects")
    # A parameter younger than the file has its default.
    parameters = inspect.signature(kind).parameters.values()
    vars(value).update({p.name: p.default for p in parameters if p.default is not p.empty})
    for key, item in payload[1].items():
        if not key.isidentifier() or key.startswith("__"):
            raise ModelFileError(f"{key!r} is not an attribute that a model file may hold")
        vars(value)[key] = decoder(item)
    return value


def _decode_random_state(payload: Any, decoder: Decoder) -> np.random.RandomState:
    state = np.random.RandomState(0)
    state.set_state(decoder(payload))
    return state


# Asked in this order; the last row takes, or refuses, what no other one has taken.
CODECS: dict[str, Codec] = {
    "float": Codec(
        lambda value: type(value) is float,  # nan and the infinities
        lambda value, encoder, place: repr(value),
        lambda payload, decoder: float(payload),
    ),
    "tuple": Codec(
        lambda value: type(value) is tuple,
        lambda value, encoder, place: encoder.all(value, place),
        lambda payload, decoder: tuple(decoder.all(payload)),
    ),
    "dict": Codec(
        lambda value: type(value) is dict,
        lambda value, encoder, place: [
            [encoder(key, place), encoder(item, f"{place}.{key}")] for key, item in value.items()
        ],
        lambda payload, decoder: {decoder(key): decoder(item) for key, item in payload},
    ),
    "slice": Codec(
        lambda value: isinstance(value, slice),
        lambda value, encoder, place: [value.start, value.stop, value.step],
        lambda payload, decoder: slice(*decoder.all(payload)),
    ),
    "path": Codec(
        lambda value: isinstance(value, PurePath),
        lambda value, encoder, place: str(value),
        lambda payload, decoder: Path(payload),
    ),
    "array": Codec(lambda value: isinstance(value, np.ndarray), _encode_array, _decode_array),
    "scalar": Codec(
        lambda value: isinstance(value, np.generic),
        _encode_scalar,
        lambda payload, decoder: unpack_scalar(payload[0], decoder(payload[1])),
    ),
    "dtype": Codec(
        lambda value: isinstance(value, np.dtype) and is_known_dtype(value),
        lambda value, encoder, place: value.str,
        lambda payload, decoder: parse_dtype(payload),
    ),
    "type": Codec(
        lambda value: isinstance(value, type) and value in TYPES.values(),
        lambda value, encoder, place: f"{value.__module__}.{value.__name__}",
        lambda payload, decoder: TYPES[payload],
    ),
    "tensor": Codec(
        lambda value: isinstance(value, torch.Tensor),
        lambda value, encoder, place: _encode_array(value.cpu().numpy(), encoder, place),
        lambda payload, decoder: torch.from_numpy(_decode_array(payload, decoder)),
    ),
    "device": Codec(
        lambda value: isinstance(value, torch.device),
        lambda value, encoder, place: str(value),
        lambda payload, decoder: torch.device(payload),
    ),
    "random_state": Codec(
        lambda value: isinstance(value, np.random.RandomState),
        lambda value, encoder, place: encoder(value.get_state(), place),
        _decode_random_state,
    ),
    "records": Codec(_are_records, _encode_records, _decode_records),
    "record": Codec(
        _is_record,
        lambda value, encoder, place: [_name_of(value, place), encoder.all(value, place)],
        lambda payload, decoder: find_class(payload[0], record=True)(*decoder.all(payload[1])),
    ),
    "object": Codec(lambda value: hasattr(value, "__dict__"), _encode_object, _decode_object),
}
