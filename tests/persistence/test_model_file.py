from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from hashlib import sha256
from itertools import chain

import numpy as np
import pytest
import safetensors.numpy

import askl
from askl.errors import ModelFileError
from askl.persistence.model_file import MAX_VALUES, read_header
from fuzz.mutations import edited, sealed
from tests.models import classifier, regressor
from tests.persistence.limits import files_limited_to
from tests.persistence.models import refuse


def test_a_failed_write_leaves_what_was_there(classes, path):
    model = classifier().fit(*classes)
    askl.save(model, path)
    before = path.read_bytes()
    with (
        files_limited_to(1000),
        pytest.raises(ModelFileError, match=r"not be written: File too large.*is unchanged"),
    ):
        askl.save(model, path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_an_error(classes, path):
    with pytest.raises(ModelFileError, match="could not be written: No such file or directory"):
        askl.save(classifier().fit(*classes), path / "deeper.askl")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_read_only_folder_is_an_error(classes, path):
    path.parent.chmod(0o500)
    with pytest.raises(ModelFileError, match="Permission denied"):
        askl.save(classifier().fit(*classes), path)


def test_a_link_is_refused(classes, path):
    target = path.with_name("target.askl")
    path.symlink_to(target)
    with pytest.raises(
        ModelFileError, match="could not be written: The name is that of a symbolic"
    ):
        askl.save(classifier().fit(*classes), path)
    assert not target.exists()


def test_what_is_no_model_file_is_refused(path, content):
    refuse(path, b"", "is not a model file")
    refuse(path, b"PK\x03\x04" * 100, "is not a model file")
    refuse(path, struct.pack("<Q", 2**62) + content[8:], "is not a model file")
    refuse(path, safetensors.numpy.save({"a": np.zeros(2)}), "is not a model file")
    with pytest.raises(ModelFileError, match="could not be read: No such file"):
        askl.load(path.parent / "absent.askl")
    with pytest.raises(ModelFileError, match="could not be read: Is a directory"):
        read_header(path.parent)


def test_every_truncation_is_refused(path, content):
    for length in chain(range(0, 200), range(200, len(content), 97), [len(content) - 1]):
        refuse(path, content[:length], "is not a model file|changed or damaged")


def test_every_byte_counts(path, content):
    positions = [*range(0, 200), *range(200, len(content), 53), len(content) - 1]
    for position in positions:
        changed = bytearray(content)
        changed[position] ^= 1 << position % 8
        refuse(path, changed, "is not a model file|changed or damaged")
    refuse(path, content + b"\0", "was changed or damaged")


def test_another_schema_is_refused_with_both_versions(path, content):
    changed = sealed(content, lambda header: {**header, "schema": 7})
    refuse(path, changed, r"is of schema version 7; askl .* reads version 1\. Install")
    with pytest.raises(ModelFileError, match="schema version 7"):
        read_header(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"state": {"object": ["Popen", {}]}}, "'Popen' is not a class"),
        ({"state": {"object": ["Progress", {}]}}, "'Progress' is not a class"),
        ({"state": {"record": ["Pipeline", [[]]]}}, "'Pipeline' is not a class"),
        ({"state": {"object": ["Pipeline", {"__class__": 1}]}}, "'__class__' is not an attribute"),
        (
            {"state": {"array": {"tensor": "weights_", "dtype": "|O8", "shape": [1]}}},
            "not of dtype",
        ),
        ({"state": {"dtype": "f4,f4"}}, "'f4,f4' is not a dtype"),
        ({"state": 3}, "does not hold a model"),
        ({"state": {"object": ["LabelEncoder", {}]}}, "not fitted"),
        ({"state": {"tuple": [1], "dict": []}}, "does not hold a model"),
    ],
)
def test_a_header_that_was_made_up_is_refused(change, message, path, content):
    refuse(path, sealed(content, lambda header: {**header, **change}), message)


def test_deep_nesting_and_many_values_are_refused(path, content):
    nested: list[object] = []
    for _ in range(100):
        nested = [nested]
    refuse(path, sealed(content, lambda header: {**header, "state": nested}), "nested deeper")
    deep = edited(content, lambda text: text[:-1] + ',"x":' + "[" * 10**5 + "]" * 10**5 + "}")
    refuse(path, deep, "damaged header: .*recursion")
    many = sealed(content, lambda header: {**header, "state": [0] * (MAX_VALUES + 1)})
    refuse(path, many, "values; a model file has at most")


def test_few_bytes_cannot_ask_for_many_objects(path, content):
    def state(value):
        return sealed(content, lambda header: {**header, "state": value})

    refuse(path, state([{"object": ["KFold", {}]}] * 1001), "more than 1000 objects")
    weights = {"array": {"tensor": "weights_", "dtype": "<f4", "shape": [24], "by_column": False}}
    refuse(path, state([weights, weights]), "does not hold a model: 'weights_'")


def test_a_large_file_takes_its_own_size_of_memory(numbers, path):
    model = regressor().fit(*numbers)
    model.ballast_ = np.random.default_rng(0).normal(size=5_000_000)
    size = askl.save(model, path).stat().st_size
    assert size > 4e7
    code = (
        "import resource, sys, askl\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak(); model = askl.load(sys.argv[1]); print(1024 * (peak() - before))"
    )
    command = [sys.executable, "-c", code, str(path)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(shown.stdout) < 1.5 * size


def test_the_checksum_is_that_of_the_documentation(content):
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["askl"])
    blank = content.replace(header["checksum"].encode(), b"0" * 64)
    assert sha256(blank).hexdigest() == header["checksum"]
