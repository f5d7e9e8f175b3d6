from __future__ import annotations

import numpy as np
import pytest
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline

from askl.learning import METHODS
from tests.models import classifier, regressor, transformer


@pytest.mark.parametrize("method", METHODS)
def test_without_targets_features_are_as_drawn(method, classes):
    X, _ = classes
    model = transformer(method).fit(X)
    assert model.transform(X).shape == (240, 60)
    assert model.transform(X).dtype == np.float32
    assert model.history_ == []
    assert model.n_iter_ == 0
    assigned = transformer(method, learn_frequencies=False).fit(X)
    np.testing.assert_array_equal(model.frequencies_, assigned.frequencies_)


@pytest.mark.parametrize("method", ["sk", "nsk"])
def test_assigned_methods_ignore_targets(method, classes):
    X, y = classes
    with_targets, without = transformer(method).fit(X, y), transformer(method).fit(X)
    np.testing.assert_array_equal(with_targets.transform(X), without.transform(X))


def test_one_assigned_gaussian_branch_stands_where_rbf_sampler_stands(classes):
    X, _ = classes
    model = transformer("sk", density="gaussian", scale_inputs="none").fit(X)
    sampler = RBFSampler(n_components=60).fit(X)
    sampler.random_weights_, sampler.random_offset_ = model.frequencies_[0], model.phases_[0]
    np.testing.assert_allclose(model.transform(X), sampler.transform(X), rtol=0, atol=1e-6)


@pytest.mark.parametrize(("make", "data"), [(classifier, "classes"), (regressor, "numbers")])
@pytest.mark.parametrize("method", ["skl", "nskl", "askl"])
def test_with_targets_features_are_those_of_the_estimator(make, data, method, request):
    X, y = request.getfixturevalue(data)
    weights = np.linspace(0.5, 1.5, 240)
    learned = transformer(method, refit_head=True).fit(X, y, weights)
    estimator = make(method, refit_head=True).fit(X, y, weights)
    np.testing.assert_array_equal(learned.transform(X), estimator.transform(X))
    np.testing.assert_array_equal(learned.feature_relevance_, estimator.feature_relevance_)
    assert learned.n_iter_ == len(learned.history_) == 10


def test_several_outputs_can_be_learned_from(numbers):
    X, y = numbers
    model = transformer().fit(X, np.column_stack([y, -y]))
    assert model.transform(X).shape == (240, 60)


def test_learned_features_beat_drawn_ones_in_a_pipeline(classes):
    X, y = classes
    scores = [
        make_pipeline(
            transformer(n_components=30, max_epochs=60, learn_frequencies=learned),
            LogisticRegression(C=10.0),
        )
        .fit(X[:160], y[:160])
        .score(X[160:], y[160:])
        for learned in (False, True)
    ]
    assert scores[1] > scores[0] + 0.05


def test_it_works_in_a_pipeline_of_numbers(numbers):
    X, y = numbers
    pipeline = make_pipeline(transformer(n_components=100, max_epochs=20), Ridge(1e-2)).fit(X, y)
    assert pipeline.score(X, y) > 0.8


def test_features_have_names_and_can_be_frames(classes):
    pandas = pytest.importorskip("pandas")
    X, y = classes
    model = transformer(n_components=4).fit(X, y)
    names = [f"spectralfeatures{number}" for number in range(4)]
    assert list(model.get_feature_names_out()) == names
    frame = model.set_output(transform="pandas").transform(X)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == names


@pytest.mark.parametrize("method", ["sk", "askl"])
def test_weights_of_zero_are_rows_that_are_not_there(method, classes):
    X, y = classes
    kept = np.arange(240) % 5 > 0
    spoiled = np.where(kept[:, None], X, 1e6)
    weighted = transformer(method).fit(spoiled, y, kept.astype(float))
    removed = transformer(method).fit(X[kept], y[kept])
    np.testing.assert_array_equal(weighted.transform(X), removed.transform(X))


def test_a_warm_start_continues_from_the_last_fit(classes):
    X, y = classes
    model = transformer(warm_start=True).fit(X, y)
    first = model.history_
    assert model.fit(X, y).history_[0].loss < first[0].loss


def test_relevance_of_drawn_features_is_the_mean_squared_frequency(classes):
    X, _ = classes
    for scale_inputs in ("robust", "robust+quantile"):
        model = transformer("nsk", scale_inputs=scale_inputs).fit(X)
        squares = (model.frequencies_**2).mean(axis=(0, 2))
        expected = squares.reshape(-1, 3).sum(axis=0)
        np.testing.assert_allclose(model.feature_relevance_, expected, rtol=1e-6)
