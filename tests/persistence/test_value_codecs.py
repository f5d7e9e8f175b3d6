from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from askl.errors import AsklError, ModelFileError
from askl.learning import Progress
from askl.persistence.codec import MAX_RECORDS, Decoder, Encoder
from askl.persistence.value_codecs import CODECS
from askl.preprocessing.input_scaling import Scaling
from askl.preprocessing.table_encoder import TableEncoder

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.just(Progress(1, 2, 3.0, 4.0, 5.0, np.inf, None, 7.0))
    | st.just(Scaling("standard", {"center": np.zeros(2), "scale": np.ones(2)}))
    | st.sampled_from([np.float32(0.1), np.int8(3), np.str_("é"), np.bool_(True), np.float64(2)])
    | st.sampled_from([np.datetime64("2020-02-03"), np.timedelta64(4, "h"), np.datetime64("NaT")])
    | st.sampled_from([np.dtype("f4"), np.dtype("M8[ns]"), np.float64, float, slice(1, None)])
    | st.sampled_from([Path("here.txt"), np.array(["a", None, np.nan], dtype=object)])
    | nps.arrays(
        nps.scalar_dtypes().filter(lambda dtype: dtype.kind in "biufMm" and dtype.itemsize <= 8)
        | nps.unicode_string_dtypes(max_len=5),
        nps.array_shapes(min_dims=0, min_side=0, max_side=4),
    ),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def same(first, second) -> bool:
    if type(first) is not type(second):
        return False
    if isinstance(first, np.ndarray):
        equal_nan = first.dtype.kind in "fMm"
        return (
            first.dtype == second.dtype.newbyteorder(first.dtype.byteorder)
            and first.shape == second.shape
            and all(map(same, first.tolist(), second.tolist()))
            if first.dtype.kind == "O"
            else np.array_equal(first, second, equal_nan=equal_nan)
        )
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return list(first) == list(second) and all(map(same, first.values(), second.values()))
    return bool(first == second) or (first != first and second != second)


def round_trip(value):
    encoder = Encoder(CODECS)
    text = json.dumps(encoder(value), allow_nan=False)
    return Decoder(CODECS, encoder.tensors)(json.loads(text))


@given(VALUES)
def test_values_come_back_as_they_were(value):
    assert same(value, round_trip(value))


def test_tensors_and_devices_come_back_as_they_were():
    tensor = torch.arange(6.0).reshape(2, 3)
    assert torch.equal(round_trip(tensor), tensor)
    assert round_trip(torch.device("cpu")) == torch.device("cpu")


def test_a_random_state_continues():
    state = np.random.RandomState(3)
    state.normal(size=3)
    again = round_trip(state)
    assert again.normal() == state.normal()


def test_an_object_is_made_without_its_constructor():
    encoder = TableEncoder(one_hot_limit=3)
    encoder.note_ = "kept"
    again = round_trip(encoder)
    assert type(again) is TableEncoder
    assert vars(again) == vars(encoder)


def test_callbacks_and_caches_are_left_out_but_not_texts():
    encoder = TableEncoder()
    encoder.callback, encoder.memory = print, "folder"
    assert (round_trip(encoder).callback, round_trip(encoder).memory) == (None, "folder")


def test_a_history_becomes_one_tensor_for_each_number():
    records = [Progress(i, i // 2, 0.5 * i, 1.0, 2.0, np.inf, None, 7.0) for i in range(100)]
    encoder = Encoder(CODECS)
    encoded = encoder(records, ".history_")
    assert Decoder(CODECS, dict(encoder.tensors))(encoded) == records
    assert len(encoder.tensors) == len(Progress._fields) - 1
    assert all(len(tensor) == 100 for tensor in encoder.tensors.values())


def test_records_are_counted():
    encoder = Encoder(CODECS)
    tall = {"records": ["Scaling", [encoder(np.zeros(MAX_RECORDS + 1)), []]]}
    with pytest.raises(ModelFileError, match="more than 250000 records"):
        Decoder(CODECS, encoder.tensors)(tall)
    with pytest.raises(AsklError, match=r"at most 250000 records, .*history_\[::10\]"):
        Encoder(CODECS)([Scaling("none", {})] * (MAX_RECORDS + 1), ".history_")


def test_a_tensor_can_be_used_once():
    encoder = Encoder(CODECS)
    encoded = encoder(np.zeros(3), ".weights_")
    with pytest.raises(KeyError, match="weights_"):
        Decoder(CODECS, encoder.tensors)([encoded, encoded])


@pytest.mark.parametrize("value", [np.zeros(2, dtype="f4,i4"), np.sin, {1, 2}, b"bytes", object()])
def test_other_values_are_refused(value):
    with pytest.raises(AsklError, match=r"cannot hold steps\.1, a .*Keep such a model with joblib"):
        Encoder(CODECS)([0, value], ".steps")
