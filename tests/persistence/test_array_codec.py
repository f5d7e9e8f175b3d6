from __future__ import annotations

import numpy as np
import pytest

from askl.errors import ModelFileError
from askl.persistence.array_codec import (
    is_known_dtype,
    pack_array,
    pack_scalar,
    parse_dtype,
    unpack_array,
    unpack_scalar,
)


@pytest.mark.parametrize("dtype", ["M8[ns]", "M8[D]", "m8[h]", ">f8", ">M8[s]", "U3", "f2", "?"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_arrays_come_back_as_they_were(dtype, shape):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    again = unpack_array(*pack_array(array))
    assert again.dtype == array.dtype.newbyteorder("<")
    np.testing.assert_array_equal(again, array)


def test_numbers_that_are_no_text_are_refused():
    stored, packed = pack_array(np.array(["ab"]))
    stored[0, 0] = 0x110000
    with pytest.raises(ModelFileError, match="not the text"):
        unpack_array(stored, packed)


def test_the_order_in_memory_is_kept():
    again = unpack_array(*pack_array(np.asfortranarray(np.arange(6.0).reshape(2, 3))))
    assert again.flags.f_contiguous
    np.testing.assert_array_equal(again, np.arange(6.0).reshape(2, 3))


def test_a_tensor_of_another_dtype_is_refused():
    stored, packed = pack_array(np.zeros(3))
    for wrong in (stored.astype("f4"), stored.view("i8")):
        with pytest.raises(ModelFileError, match="not of dtype float64"):
            unpack_array(wrong, packed)


@pytest.mark.parametrize(
    "value",
    [
        *(np.float32(0.1), np.int8(-3), np.bool_(True), np.str_("é"), np.datetime64("2020-02-03")),
        *(np.timedelta64(4, "h"), np.datetime64("NaT", "ns")),
    ],
)
def test_scalars_come_back_as_they_were(value):
    dtype, plain = pack_scalar(value)
    assert isinstance(plain, (bool, int, float, str))
    again = unpack_scalar(dtype, plain)
    assert again.dtype == value.dtype
    assert again == value or (np.isnat(again) and np.isnat(value))


def test_a_scalar_of_text_takes_no_more_memory_than_its_text():
    assert unpack_scalar("<U100000000", "short").nbytes < 100


@pytest.mark.parametrize("text", ["f4,f4", "|V8", "O", "<f8; import os", "", "<M8[ns]x"])
def test_other_dtypes_are_refused(text):
    with pytest.raises(ModelFileError, match="is not a dtype that a model file may hold"):
        parse_dtype(text)


def test_known_dtypes():
    known = ["f8", "<i4", "?", "M8[ns]", "m8[h]", "U7", "O", "u1"]
    assert all(is_known_dtype(np.dtype(text)) for text in known)
    assert not any(is_known_dtype(np.dtype(text)) for text in ["f4,f4", "V8", "c16", "S5"])
