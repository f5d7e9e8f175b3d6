"""Arrays as tensors of numbers, and back: texts and times become integers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from askl._typing import Array
from askl.errors import ModelFileError

_DTYPE = re.compile(r"[<>|][biufMmUO]\d*(\[\w+\])?")
_LAST_CODE_POINT = 0x10FFFF


def is_known_dtype(dtype: np.dtype[Any]) -> bool:
    """Return True for dtypes of numbers, booleans, times, texts or objects."""
    return bool(_DTYPE.fullmatch(dtype.str))


def parse_dtype(text: str) -> np.dtype[Any]:
    """Return the dtype of a text such as ``"<f8"``."""
    if not _DTYPE.fullmatch(text):
        raise ModelFileError(f"{text!r} is not a dtype that a model file may hold")
    return np.dtype(text)


def pack_array(array: Array) -> tuple[Array, dict[str, Any]]:
    """Return an array as a tensor, and what :func:`unpack_array` needs to know."""
    dtype = array.dtype.newbyteorder("<")
    # The order in memory is kept: matrix products may depend on it in the last bit.
    by_column = array.flags.f_contiguous and not array.flags.c_contiguous
    stored = np.array(array.T if by_column else array, dtype=dtype, order="C", ndmin=1)
    if dtype.kind in "Mm":
        stored = stored.view("<i8")
    elif dtype.kind == "U":
        stored = stored.reshape(*stored.shape, 1).view("<i4")
    return stored, {"dtype": dtype.str, "shape": list(array.shape), "by_column": by_column}


def unpack_array(stored: Array, packed: dict[str, Any]) -> Array:
    """Return the array that was packed; raise a ModelFileError where it was no array."""
    dtype, shape = parse_dtype(packed["dtype"]), packed["shape"]
    if dtype.kind in "Mm" and stored.dtype == np.int64:
        stored = stored.view(dtype)
    elif dtype.kind == "U" and stored.dtype == np.int32:
        if stored.size and not 0 <= stored.min() <= stored.max() <= _LAST_CODE_POINT:
            raise ModelFileError("a tensor is not the text it should be")
        stored = stored.view(dtype)[..., 0]
    if stored.dtype != dtype:
        raise ModelFileError(f"a tensor is not of dtype {dtype}")
    return stored.reshape(shape[::-1]).T if packed["by_column"] else stored.reshape(shape)


def pack_scalar(value: Any) -> tuple[str, Any]:
    """Return the dtype of a NumPy scalar, and its value as a plain Python object."""
    plain = int(value.view("i8")) if value.dtype.kind in "Mm" else value.item()
    return value.dtype.str, plain


def unpack_scalar(text: str, plain: Any) -> Any:
    """Return the NumPy scalar that was packed."""
    dtype = parse_dtype(text)
    if dtype.kind == "U":  # not by its dtype, which may claim any length
        return np.str_(plain)
    return np.array(plain, dtype="i8" if dtype.kind in "Mm" else dtype).view(dtype)[()]
