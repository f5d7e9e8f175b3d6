"""No model changes unless it is meant to: fits predict what they did when the record was made.

See :mod:`tests.same_bits` for when a new record may be written.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests.same_bits import data, record
from tests.same_bits.plain import fit_classes, fit_numbers


@pytest.mark.parametrize("name", record.comparable())
def test_a_fit_predicts_what_is_recorded(name):
    found, recorded = record.run(name), record.read()["fits"][name]
    assert record.differs(found, recorded, to_the_bit=not record.other_machine()) == ""


def test_the_record_is_of_these_fits():
    assert list(record.read()["fits"]) == list(record.FITS)


def test_one_bit_of_any_output_is_noticed():
    outputs = {"predict": np.arange(9.0), "return_std": np.ones((3, 2), dtype=np.float32)}
    recorded = record.summarize(outputs)
    for name, array in outputs.items():
        other = array.copy()
        other.flat[-1] = np.nextafter(other.flat[-1], np.inf, dtype=other.dtype)
        changed = record.summarize({**outputs, name: other})
        assert record.differs(changed, recorded, to_the_bit=True) == f"other bits: {name}"
    fewer = record.summarize({"predict": outputs["predict"]})
    assert record.differs(fewer, recorded, to_the_bit=True) == "other bits: return_std"
    assert record.differs(record.summarize(outputs), recorded, to_the_bit=True) == ""


def test_labels_count_too():
    assert record.digest(np.array(["a", "b"])) != record.digest(np.array(["a", "c"]))


@pytest.mark.parametrize("options", [{"random_state": 1}, {"learning_rate": 0.0101}])
@pytest.mark.parametrize(
    ("name", "fit"),
    [
        ("classes: askl", partial(fit_classes, data.iris)),
        ("numbers: askl", partial(fit_numbers, data.diabetes)),
    ],
)
def test_the_tolerance_tells_other_models_apart(name, fit, options):
    found, recorded = record.summarize(fit(**options)), record.read()["fits"][name]
    assert record.differs(found, recorded, to_the_bit=False) != ""


def test_the_tolerance_forgives_what_rounding_does():
    values = np.random.default_rng(0).normal(size=8)
    recorded = record.summarize({"predict": values})
    rounded = record.summarize({"predict": values.astype(np.float32).astype(np.float64)})
    assert record.differs(rounded, recorded, to_the_bit=True) != ""
    assert record.differs(rounded, recorded, to_the_bit=False) == ""
