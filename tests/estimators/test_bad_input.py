"""Bad input gets a clear error, harmless input is harmless, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from askl import AutoSpectralKernelClassifier, SpectralKernelClassifier
from askl.learning import METHODS
from tests.models import classifier, regressor, transformer

NOT_FINITE = r"NaN|infinity"
MAKERS = [classifier, regressor, transformer]


def targets_for(make, classes, numbers):
    return numbers[1] if make is regressor else classes[1]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_inputs_that_are_not_finite(make, value, convert, classes, numbers):
    X, y = classes[0].copy(), targets_for(make, classes, numbers)
    model = make().fit(X, y)
    X[7, 1] = value
    with pytest.raises(ValueError, match=NOT_FINITE):
        make().fit(convert(X), y)
    with pytest.raises(ValueError, match=NOT_FINITE):
        model.transform(convert(X))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (["x", "y", "x", "y"], "Column 'b' of X holds text or categories"),
        (pd.Categorical(["x", "y", "x", "y"]), "Column 'b' of X holds text or categories"),
        (pd.date_range("2020-01-31", periods=4), "Column 'b' of X holds dates"),
        ([1.0, None, 2.0, 3.0], "Input X contains NaN"),
    ],
    ids=["text", "categories", "dates", "missing"],
)
def test_the_error_names_what_accepts_a_table(make, values, reason):
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": values})
    name = type(make()).__name__
    with pytest.raises(ValueError, match=rf"{reason}\. {name} takes numbers only; make_table_pipe"):
        make().fit(table, [0, 1, 0, 1])
    fitted = make().fit(table.assign(b=0.0), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="make_table_pipeline"):
        fitted.transform(table)


@pytest.mark.parametrize("make", MAKERS)
def test_text_in_an_array_is_an_error_that_names_it(make):
    X = np.array([[1.0, "x"], [2.0, "y"]], dtype=object)
    with pytest.raises(ValueError, match=r"could not convert string to float: 'x'\. Spectral"):
        make().fit(X, [0, 1])


def test_text_among_targets_is_not_taken_for_text_in_a_table():
    table = pd.DataFrame({"a": [1.0, 2.0]})
    with pytest.raises(ValueError, match="could not convert string to float") as caught:
        regressor().fit(table, np.array(["x", "y"], dtype=object))
    assert "make_table_pipeline" not in str(caught.value)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_targets_that_are_not_finite(value, numbers):
    X, y = numbers
    y = y.copy()
    y[3] = value
    with pytest.raises(ValueError, match=NOT_FINITE):
        regressor().fit(X, y)
    with pytest.raises(ValueError, match=NOT_FINITE):
        classifier().fit(X, y)


@pytest.mark.parametrize("make", MAKERS)
def test_the_wrong_width(make, classes, numbers):
    X, y = classes[0], targets_for(make, classes, numbers)
    model = make().fit(X, y)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3"):
        model.transform(X[:, :2])
    with pytest.raises(ValueError, match="Expected 2D array"):
        model.transform(X[0])


@pytest.mark.parametrize("make", [classifier, regressor])
def test_the_wrong_width_of_a_later_part(make, classes, numbers):
    X, y = classes[0], targets_for(make, classes, numbers)
    extra = {"classes": [0, 1, 2]} if make is classifier else {}
    model = make().partial_fit(X, y, **extra)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3"):
        model.partial_fit(X[:, :2], y)


@pytest.mark.parametrize("make", MAKERS)
def test_nothing_works_before_a_fit(make, classes):
    with pytest.raises(NotFittedError):
        make().transform(classes[0])
    with pytest.raises(NotFittedError):
        _ = make().frequencies_
    with pytest.raises(NotFittedError):
        _ = make().phases_


def test_one_class_only(classes):
    X, _ = classes
    with pytest.raises(ValueError, match="at least 2 classes, but y has one class only: 'a'"):
        classifier().fit(X, np.full(len(X), "a", dtype=object))


@pytest.mark.parametrize("kind", [SpectralKernelClassifier, AutoSpectralKernelClassifier])
def test_rows_without_a_label_are_counted_in_the_error(kind, classes):
    X, y = classes
    labels = y.astype(object)
    labels[[3, 5]] = None
    message = rf"y has no label in 2 of {len(y)} rows, the first of them row 3\. Leave"
    with pytest.raises(ValueError, match=message):
        kind().fit(X, labels)


def test_numbers_are_not_classes(numbers):
    with pytest.raises(ValueError, match="Unknown label type"):
        classifier().fit(*numbers)


@pytest.mark.parametrize(
    ("n_rows", "fraction"), [(1, 0.1), (2, 0.9), (3, 0.9)], ids=["1", "2", "3"]
)
def test_too_few_rows_for_a_validation_split(n_rows, fraction, numbers):
    X, y = numbers
    model = regressor(early_stopping=True, validation_fraction=fraction)
    with pytest.raises(
        ValueError, match=r"leaves no row to train on: n_samples=\d.*More rows|more"
    ):
        model.fit(X[:n_rows], y[:n_rows])


@pytest.mark.parametrize("make", [classifier, regressor])
def test_two_rows_are_enough(make, classes):
    X = classes[0][:2]
    model = make(early_stopping=True).fit(X, [0, 1])
    assert model.predict(X).shape == (2,)


def test_one_row_is_enough_for_a_regression(numbers):
    X, y = numbers
    assert regressor().fit(X[:1], y[:1]).predict(X[:1]) == pytest.approx(y[:1])


@pytest.mark.parametrize("loss", ["squared", "log", "hinge"])
def test_a_loss_of_the_other_task(loss, classes, numbers):
    (X, labels), (_, y) = classes, numbers
    wrong, target = (classifier, labels) if loss == "squared" else (regressor, y)
    model = wrong(loss=loss)
    pattern = rf"The 'loss' parameter of {type(model).__name__} must be .* Got '{loss}' instead"
    with pytest.raises(ValueError, match=pattern):
        model.fit(X, target)
    with pytest.raises(ValueError, match=pattern):
        model.partial_fit(X, target, **({"classes": [0, 1, 2]} if wrong is classifier else {}))


@pytest.mark.parametrize("method", METHODS)
def test_a_batch_larger_than_the_data_is_all_of_them(method, classes):
    X, y = classes
    large = classifier(method, batch_size=10**9).fit(X, y)
    whole = classifier(method, batch_size=len(X)).fit(X, y)
    np.testing.assert_array_equal(large.weights_, whole.weights_)
    assert large.history_[-1].iteration == 10


@pytest.mark.parametrize("scale_inputs", ["robust", "standard", "quantile", "none"])
@pytest.mark.parametrize("make", [classifier, regressor])
def test_constant_columns_are_fine(make, scale_inputs, classes, numbers):
    y = targets_for(make, classes, numbers)
    X = np.column_stack([classes[0], np.zeros(240), np.full(240, 1e6)])
    if scale_inputs == "none":
        X[:, -1] = 1.0
    model = make(scale_inputs=scale_inputs, max_epochs=20).fit(X, y)
    assert model.score(X, y) > 0.6


def test_nothing_but_constant_columns_is_fine(classes):
    _, y = classes
    model = classifier().fit(np.ones((240, 2)), y)
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 2))), 1 / 3, atol=0.05)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [0.0, -3.5, 1e8])
def test_a_constant_target_is_fine(method, value, numbers):
    X, _ = numbers
    model = regressor(method).fit(X, np.full(len(X), value))
    np.testing.assert_allclose(model.predict(X), value, rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize("make", [classifier, regressor])
def test_bad_sample_weights(make, classes, numbers):
    X, y = classes[0], targets_for(make, classes, numbers)
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        make().fit(X, y, -np.ones(240))
    with pytest.raises(ValueError, match="zero"):
        make().fit(X, y, np.zeros(240))
    with pytest.raises(ValueError, match="shape"):
        make().fit(X, y, np.ones(7))


def test_class_weights_that_leave_nothing(classes):
    with pytest.raises(ValueError, match="All sample weights are zero"):
        classifier(class_weight={0: 0.0, 1: 0.0, 2: 0.0}).fit(*classes)


@pytest.mark.parametrize("make", [classifier, regressor])
def test_a_failed_fit_leaves_the_fitted_model_as_it_was(make, classes, numbers):
    X, y = classes[0], targets_for(make, classes, numbers)
    model = make().fit(X, y)
    before = model.predict(X)
    broken = X.copy()
    broken[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(broken, y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_a_part_with_another_number_of_outputs(numbers):
    X, y = numbers
    model = regressor().partial_fit(X, y)
    with pytest.raises(ValueError, match="output"):
        model.partial_fit(X, np.column_stack([y, y]))
