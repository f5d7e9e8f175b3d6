from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askl.preprocessing.labels import (
    LabelCounts,
    check_labels,
    class_indices,
    look_up_labels,
    weigh_classes,
)

words = st.lists(st.sampled_from(["a", "b", "bb", "", "ü"]), min_size=1, max_size=20)


@given(words, st.sets(st.sampled_from(["a", "b", "bb", "", "ü"]), min_size=1))
def test_labels_are_looked_up_as_in_a_list(labels, classes):
    classes = sorted(classes)
    expected = [classes.index(label) if label in classes else -1 for label in labels]
    found = look_up_labels(np.array(labels), np.array(classes))
    assert found.dtype == np.int64
    assert found.tolist() == expected
    objects = look_up_labels(np.array(labels, dtype=object), np.array(classes, dtype=object))
    assert objects.tolist() == expected


def test_a_label_that_is_no_class_is_named():
    classes = np.array([2, 5])
    assert class_indices(np.array([5, 2]), classes).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"model's classes: array\(\[3, 9\]\)\. Leave"):
        class_indices(np.array([5, 9, 3, 9]), classes)


def test_a_longer_text_is_another_label():
    assert look_up_labels(np.array(["aa", "a"]), np.array(["a"])).tolist() == [-1, 0]


def test_missing_labels_are_counted_and_the_first_is_named():
    with pytest.raises(ValueError, match=r"no label in 2 of 4 rows, the first of them row 1"):
        check_labels(np.array(["a", None, np.nan, "b"], dtype=object))
    with pytest.raises(ValueError, match="Unknown label type"):
        check_labels(np.array([0.5, 1.25]))
    check_labels(np.array(["a", "b"], dtype=object))


def test_balanced_weights_give_every_class_the_same_sum():
    classes, counts = np.array(["a", "b", "c"]), np.array([1, 3, 8])
    weights = weigh_classes("balanced", classes, counts)
    np.testing.assert_allclose(weights * counts, counts.sum() / 3)
    assert weigh_classes(None, classes, counts) is None
    assert weigh_classes({"b": 4.0}, classes, counts).tolist() == [1.0, 4.0, 1.0]
    with pytest.raises(ValueError, match=r"There are none of \['b'\]"):
        weigh_classes("balanced", classes[:2], np.array([3, 0]))


@given(st.lists(words, min_size=1, max_size=4))
def test_counts_are_those_of_all_parts_together(parts):
    counts = LabelCounts()
    for part in parts:
        counts.add(np.array(part))
    labels, expected = np.unique(np.concatenate(parts), return_counts=True)
    assert counts.labels.tolist() == labels.tolist()
    assert counts.counts.tolist() == expected.tolist()
