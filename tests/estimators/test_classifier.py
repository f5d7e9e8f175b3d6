from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score

from askl.estimators.classifier import accuracy
from tests.models import classifier

LABELS = {
    "strings": np.array(["low", "middle", "high"]),
    "objects": np.array(["low", "middle", "high"], dtype=object),
    "negative integers": np.array([-7, 0, 3]),
    "floats that are whole": np.array([1.0, 2.0, 5.0]),
    "small unsigned": np.array([0, 1, 255], dtype=np.uint8),
}


@pytest.mark.parametrize("names", LABELS.values(), ids=LABELS)
def test_labels_of_any_type_come_back_as_they_were(names, classes):
    X, codes = classes
    y = names[codes]
    model = classifier(max_epochs=20).fit(X, y)
    predicted = model.predict(X)
    assert predicted.dtype == y.dtype
    assert set(predicted) <= set(names)
    np.testing.assert_array_equal(model.classes_, np.unique(names))
    assert model.score(X, y) > 0.8


def test_booleans_are_labels(classes):
    X, codes = classes
    y = codes > 0
    model = classifier(max_epochs=20).fit(X, y)
    assert model.predict(X).dtype == bool
    assert model.score(X, y) > 0.8


def test_the_names_of_the_labels_do_not_matter(classes):
    X, codes = classes
    plain = classifier().fit(X, codes)
    named = classifier().fit(X, np.array(["a", "b", "c"])[codes])
    np.testing.assert_array_equal(plain.decision_function(X), named.decision_function(X))


def test_the_prediction_is_the_largest_output(classes):
    X, y = classes
    model = classifier().fit(X, y)
    outputs = model.decision_function(X)
    assert outputs.shape == (240, 3)
    np.testing.assert_array_equal(model.predict(X), model.classes_[outputs.argmax(axis=1)])
    np.testing.assert_allclose(outputs, model.transform(X) @ model.weights_, atol=1e-4)


@pytest.mark.parametrize("loss", ["log", "smoothed_log", "hinge"])
def test_two_classes_have_one_column_of_decisions(loss, classes):
    X, y = classes[0], classes[1] == 2
    model = classifier(loss=loss, max_epochs=20).fit(X, y)
    decisions = model.decision_function(X)
    assert decisions.shape == (240,)
    np.testing.assert_array_equal(model.predict(X), decisions > 0.0)
    assert model.score(X, y) > 0.85


def test_probabilities_sum_to_one_and_agree_with_the_decision(classes):
    X, y = classes
    model = classifier().fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    assert (probabilities >= 0.0).all()
    outputs = np.exp(model.decision_function(X))
    np.testing.assert_allclose(probabilities, outputs / outputs.sum(axis=1, keepdims=True))


def test_probabilities_of_two_classes_are_the_sigmoid_of_the_decision(classes):
    X, y = classes[0], classes[1] == 2
    model = classifier().fit(X, y)
    sigmoid = 1.0 / (1.0 + np.exp(-model.decision_function(X)))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], sigmoid)


def test_the_hinge_has_no_probabilities_and_says_what_has(classes):
    model = classifier(loss="hinge").fit(*classes)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as caught:
        model.predict_proba(classes[0])
    chain = f"{caught.value} {caught.value.__cause__}"
    assert "CalibratedClassifierCV" in chain
    assert "loss='log'" in chain


def test_the_named_remedy_works(classes):
    X, y = classes
    calibrated = CalibratedClassifierCV(classifier(loss="hinge", max_epochs=20), cv=2).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)
    assert calibrated.score(X, y) > 0.6


def test_balanced_weights_are_inverse_frequencies(classes):
    X, codes = classes
    y = (codes == 2) & (np.arange(240) % 4 == 0)
    counts = np.bincount(y)
    weights = (len(y) / (2.0 * counts))[y.astype(int)]
    options = {"batch_size": 1000}
    balanced = classifier(class_weight="balanced", **options).fit(X, y)
    weighted = classifier(**options).fit(X, y, weights)
    named = classifier(
        class_weight={False: len(y) / (2.0 * counts[0]), True: len(y) / (2.0 * counts[1])},
        **options,
    ).fit(X, y)
    plain = classifier(**options).fit(X, y)
    np.testing.assert_allclose(balanced.weights_, weighted.weights_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(balanced.weights_, named.weights_, rtol=1e-5, atol=1e-6)
    assert balanced.predict(X)[y].mean() > plain.predict(X)[y].mean()


def test_class_weights_multiply_sample_weights(classes):
    X, y = classes
    rows = np.linspace(0.5, 1.5, 240)
    both = classifier(class_weight={0: 3.0}, batch_size=1000).fit(X, y, rows)
    product = classifier(batch_size=1000).fit(X, y, rows * np.where(y == 0, 3.0, 1.0))
    np.testing.assert_allclose(both.weights_, product.weights_, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("loss", ["log", "smoothed_log", "hinge"])
def test_weights_are_repetition(loss, classes):
    X, y = classes[0][:60], classes[1][:60]
    repeats = np.arange(60) % 4
    options = {"loss": loss, "batch_size": 1000, "dropout": 0.0}
    weighted = classifier(**options).fit(X, y, repeats)
    repeated = classifier(**options).fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    scale = np.abs(repeated.decision_function(X)).max()
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=0, atol=1e-3 * scale
    )


def test_rows_of_weight_zero_are_not_there(classes):
    X, y = classes
    kept = np.arange(240) % 5 > 0
    spoiled = np.where(kept[:, None], X, 1e6)
    weighted = classifier().fit(spoiled, y, kept.astype(float))
    removed = classifier().fit(X[kept], y[kept])
    np.testing.assert_array_equal(weighted.weights_, removed.weights_)


def test_only_ratios_of_weights_matter(classes):
    X, y = classes
    weights = np.linspace(0.5, 1.5, 240)
    small, large = (classifier().fit(X, y, factor * weights) for factor in (1.0, 1e6))
    np.testing.assert_allclose(small.weights_, large.weights_, rtol=1e-4, atol=1e-4)


def test_the_score_of_early_stopping_is_weighted_accuracy():
    outputs, targets = torch.eye(3), torch.tensor([0, 1, 1])
    assert accuracy(outputs, targets, None) == pytest.approx(2 / 3)
    assert accuracy(outputs, targets, torch.tensor([1.0, 1.0, 2.0])) == pytest.approx(0.5)


def test_the_estimator_works_in_scikit_learn_s_searches(classes):
    X, y = classes
    search = GridSearchCV(classifier(), {"method": ["sk", "askl"]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.6
    assert cross_val_score(classifier(), X, y, cv=2, scoring="neg_log_loss").max() < 0.0


def test_the_held_out_score_is_the_accuracy_of_the_kept_state(classes):
    model = classifier(early_stopping=True, max_epochs=20).fit(*classes)
    best = max(record.score for record in model.history_)
    assert model.held_out_score_ == best
    assert classifier(max_epochs=2).fit(*classes).held_out_score_ is None


def noisy_classes(n_rows, seed=0):
    """Make rows of which the best labels are wrong for a quarter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6))
    y = (X[:, 0] > 0) ^ (rng.uniform(size=n_rows) < 0.25)
    return X, np.where(y, "yes", "no")


def test_a_solved_head_restrains_what_training_has_learned_of_noise():
    (X, y), (X_test, y_test) = noisy_classes(600), noisy_classes(2000, seed=1)
    losses = {}
    for refit_head in (False, True):
        model = classifier(n_components=300, max_epochs=30, refit_head=refit_head).fit(X, y)
        losses[refit_head] = log_loss(y_test, model.predict_proba(X_test))
    assert 0.0 < model.head_strength_ < 1.0
    assert losses[True] < 0.8 * losses[False]


def test_a_given_strength_of_the_head_is_used_and_one_is_the_null_model():
    X, y = noisy_classes(300)
    norms = []
    for strength in (0.01, 0.3, 1.0):
        model = classifier(refit_head=True, head_strength=strength).fit(X, y)
        assert model.head_strength_ == strength
        norms.append(np.linalg.norm(model.weights_))
    assert norms[0] > norms[1] > norms[2] == 0.0


def test_rows_of_the_user_choose_the_strength_and_are_not_learned_from():
    (X, y), held_out = noisy_classes(400), noisy_classes(400, seed=1)
    # They also choose the best epoch, of which there is one here.
    model = classifier(refit_head=True, max_epochs=1).fit(X, y, eval_set=held_out)
    given = classifier(refit_head=True, max_epochs=1, head_strength=model.head_strength_).fit(X, y)
    # The same optimum to the solver's tolerance: one comes along the path, the other directly.
    np.testing.assert_allclose(model.predict_proba(X), given.predict_proba(X), atol=0.02)
    np.testing.assert_array_equal(model.frequencies_, given.frequencies_)


def test_an_eval_set_that_is_no_pair_or_has_other_classes_is_refused():
    X, y = noisy_classes(200)
    with pytest.raises(ValueError, match=r"'eval_set' argument of SpectralKernelClassifier\.fit"):
        classifier().fit(X, y, eval_set=X)
    with pytest.raises(ValueError, match="maybe"):
        classifier().fit(X, y, eval_set=(X, np.full(200, "maybe")))
