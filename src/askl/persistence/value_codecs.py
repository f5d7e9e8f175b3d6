"""The codecs of all values that a model file may hold."""

from __future__ import annotations

import inspect
from pathlib import Path, PurePath
from typing import Any

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
from askl.persistence.codec import (
    MAX_RECORDS,
    Codec,
    Decoder,
    Encoder,
    are_records,
    is_record,
    refusal,
)

# Attributes of estimators that are not part of the model, but where they are texts.
_LEFT_OUT = ("callback", "memory")


def _name_of(value: Any, path: str) -> str:
    name = name_class(type(value))
    if name is None:
        raise refusal(value, path)
    return name


def _encode_array(array: Array, encoder: Encoder, path: str) -> dict[str, Any]:
    if array.dtype.kind == "O":
        items = encoder.all(array.ravel().tolist(), path)
        return {"shape": list(array.shape), "items": items}
    if not is_known_dtype(array.dtype):
        raise refusal(array, path)
    tensor, packed = pack_array(array)
    return {"tensor": encoder.add(tensor, path), **packed}


def _decode_array(payload: dict[str, Any], decoder: Decoder) -> Array:
    if "items" not in payload:
        # Each tensor is used once: many copies of one could need far more memory than the file.
        return unpack_array(decoder.tensors.pop(payload["tensor"]), payload)
    objects = np.empty(len(payload["items"]), dtype=object)
    for position, item in enumerate(payload["items"]):
        objects[position] = decoder(item)  # one by one: a tuple is one item, not a row
    return objects.reshape(payload["shape"])


def _encode_scalar(value: Any, encoder: Encoder, path: str) -> list[Any]:
    dtype, plain = pack_scalar(value)
    return [dtype, encoder(plain, path)]


def _encode_records(values: list[Any], encoder: Encoder, path: str) -> list[Any]:
    """Encode the fields as columns, columns of numbers of one type as tensors."""
    if len(values) > MAX_RECORDS:
        raise AsklError(
            f"A model file holds at most {MAX_RECORDS} records, but {path.lstrip('.')} has "
            f"{len(values)}. Keep some of them, as in history_[::10]."
        )
    columns = []
    for field, column in zip(values[0]._fields, zip(*values, strict=True), strict=True):
        kinds = {type(item) for item in column}
        is_numeric = kinds == {float} or (kinds == {int} and max(map(abs, column)) < 2**63)
        collected: Any = np.array(column) if is_numeric else list(column)
        columns.append(encoder(collected, f"{path}.{field}"))
    return [_name_of(values[0], path), columns]


def _decode_records(payload: Any, decoder: Decoder) -> list[Any]:
    kind = find_class(payload[0], record=True)
    columns = [decoder(column) for column in payload[1]]
    arrays = [column for column in columns if isinstance(column, np.ndarray)]
    decoder.count_records(max((array.size for array in arrays), default=0))
    lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns]
    return [kind(*row) for row in zip(*lists, strict=True)]


def _encode_object(value: Any, encoder: Encoder, path: str) -> list[Any]:
    name = _name_of(value, path)
    # A callback is code, and a cache belongs to one machine: neither is part of the model.
    attributes = {
        key: None if key in _LEFT_OUT and not isinstance(item, str) else item
        for key, item in vars(value).items()
    }
    return [name, {key: encoder(item, f"{path}.{key}") for key, item in attributes.items()}]


def _decode_object(payload: Any, decoder: Decoder) -> Any:
    kind = find_class(payload[0], record=False)
    value = kind.__new__(kind)
    decoder.count_object(value)
    if kind.__module__.startswith("askl."):
        missing = inspect.signature(kind).parameters.keys() - payload[1].keys()
        if missing:
            raise ModelFileError(f"the parameter {min(missing)!r} of a {payload[0]} is missing")
    for key, item in payload[1].items():
        if not key.isidentifier() or key.startswith("__"):
            raise ModelFileError(f"{key!r} is not an attribute that a model file may hold")
        vars(value)[key] = decoder(item)
    return value


def _decode_random_state(payload: Any, decoder: Decoder) -> np.random.RandomState:
    state = np.random.RandomState(0)
    state.set_state(decoder(payload))
    return state


# In this order: the last codec accepts, or refuses, all other objects.
CODECS: dict[str, Codec] = {
    "float": Codec(
        lambda value: type(value) is float,  # nan and the infinities
        lambda value, encoder, path: repr(value),
        lambda payload, decoder: float(payload),
    ),
    "tuple": Codec(
        lambda value: type(value) is tuple,
        lambda value, encoder, path: encoder.all(value, path),
        lambda payload, decoder: tuple(decoder.all(payload)),
    ),
    "dict": Codec(
        lambda value: type(value) is dict,
        lambda value, encoder, path: [
            [encoder(key, path), encoder(item, f"{path}.{key}")] for key, item in value.items()
        ],
        lambda payload, decoder: {decoder(key): decoder(item) for key, item in payload},
    ),
    "slice": Codec(
        lambda value: isinstance(value, slice),
        lambda value, encoder, path: [value.start, value.stop, value.step],
        lambda payload, decoder: slice(*decoder.all(payload)),
    ),
    "path": Codec(
        lambda value: isinstance(value, PurePath),
        lambda value, encoder, path: str(value),
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
        lambda value, encoder, path: value.str,
        lambda payload, decoder: parse_dtype(payload),
    ),
    "type": Codec(
        lambda value: isinstance(value, type) and value in TYPES.values(),
        lambda value, encoder, path: f"{value.__module__}.{value.__name__}",
        lambda payload, decoder: TYPES[payload],
    ),
    "tensor": Codec(
        lambda value: isinstance(value, torch.Tensor),
        lambda value, encoder, path: _encode_array(value.cpu().numpy(), encoder, path),
        lambda payload, decoder: torch.from_numpy(_decode_array(payload, decoder)),
    ),
    "device": Codec(
        lambda value: isinstance(value, torch.device),
        lambda value, encoder, path: str(value),
        lambda payload, decoder: torch.device(payload),
    ),
    "random_state": Codec(
        lambda value: isinstance(value, np.random.RandomState),
        lambda value, encoder, path: encoder(value.get_state(), path),
        _decode_random_state,
    ),
    "records": Codec(are_records, _encode_records, _decode_records),
    "record": Codec(
        is_record,
        lambda value, encoder, path: [_name_of(value, path), encoder.all(value, path)],
        lambda payload, decoder: find_class(payload[0], record=True)(*decoder.all(payload[1])),
    ),
    "object": Codec(lambda value: hasattr(value, "__dict__"), _encode_object, _decode_object),
}
