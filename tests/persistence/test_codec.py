from __future__ import annotations

import numpy as np
import pytest

from askl.errors import AsklError, ModelFileError
from askl.learning import Progress
from askl.persistence.codec import (
    MAX_DEPTH,
    MAX_OBJECTS,
    MAX_RECORDS,
    Codec,
    Decoder,
    Encoder,
    are_records,
    is_record,
    refusal,
)

# Complex numbers and bytes, for which model files have no codec.
CODECS = {
    "complex": Codec(
        lambda value: isinstance(value, complex),
        lambda value, encoder, path: encoder.all([value.real, value.imag], path),
        lambda payload, decoder: complex(*decoder.all(payload)),
    ),
    "bytes": Codec(
        lambda value: isinstance(value, bytes),
        lambda value, encoder, path: encoder.add(np.frombuffer(value, np.uint8), path),
        lambda payload, decoder: decoder.tensors.pop(payload).tobytes(),
    ),
}


def test_plain_values_and_lists_stand_for_themselves():
    value = [None, True, 3, -0.5, "text", [[]]]
    encoder = Encoder(CODECS)
    assert encoder(value) == value
    assert encoder.tensors == {}
    assert Decoder(CODECS, {})(value) == value


def test_other_values_are_tagged():
    encoder = Encoder(CODECS)
    encoded = encoder([1 + 2j, [b"ab", b"c"]], ".steps")
    assert encoded == [
        {"complex": [1.0, 2.0]},
        [{"bytes": "steps.1.0"}, {"bytes": "steps.1.1"}],
    ]
    assert Decoder(CODECS, encoder.tensors)(encoded) == [1 + 2j, [b"ab", b"c"]]


def test_names_of_tensors_are_unique():
    encoder = Encoder({})
    names = [encoder.add(np.zeros(1), path) for path in (".a", ".a", "", "", ".a_")]
    assert len(set(names)) == len(encoder.tensors) == 5
    assert names[:2] == ["a", "a_"]


def test_the_first_codec_that_accepts_a_value_encodes_it():
    anything = Codec(lambda value: True, lambda *_: None, lambda *_: None)
    assert Encoder({"any": anything, **CODECS})(1j) == {"any": None}
    assert Encoder({**CODECS, "any": anything})(1j) == {"complex": [0.0, 1.0]}


def test_deep_nesting_is_refused():
    value = []
    for _ in range(MAX_DEPTH - 1):
        value = [value]
    assert Decoder(CODECS, {})(value) == value
    with pytest.raises(ModelFileError, match="nested deeper than 64 levels"):
        Decoder(CODECS, {})([value])
    # The depth of one value does not add to that of the next.
    assert Decoder(CODECS, {}).all([value, value]) == [value, value]


def test_objects_and_records_are_counted():
    decoder = Decoder({}, {})
    for _ in range(MAX_OBJECTS):
        decoder.count_object(object())
    with pytest.raises(ModelFileError, match="more than 1000 objects"):
        decoder.count_object(object())
    decoder.count_records(MAX_RECORDS)
    with pytest.raises(ModelFileError, match="more than 250000 records"):
        decoder.count_records(1)


def test_records_are_named_tuples_of_one_class():
    record = Progress(1, 2, 3.0, 4.0, 5.0, 6.0, None, 7.0)
    assert is_record(record)
    assert not is_record((1, 2))
    assert are_records([record, record])
    assert not any(are_records(value) for value in ([], [record, 1], record, [(1, 2)], (record,)))


def test_a_refusal_names_the_value_and_its_path():
    assert isinstance(refusal(1j, ".a.0"), AsklError)
    assert str(refusal(1j, ".a.0")).startswith("A model file cannot hold a.0, a builtins.complex.")
    array = np.zeros(1, dtype=complex)
    assert "cannot hold this model, a numpy.ndarray of dtype complex128." in str(refusal(array, ""))
