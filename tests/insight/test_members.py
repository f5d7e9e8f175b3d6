"""Plain models and ensembles: members, weighted means, and the relevance of inputs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from askl.insight.members import (
    choose_member,
    drawn_parts,
    has_density,
    mean_diagonal,
    mean_kernel,
    parts_of,
    relevance_of,
)
from askl.theory import as_drawn, diagonal
from tests.models import classifier, regressor


def test_a_plain_model_is_its_only_part(fitted_classifier, classes):
    X, _ = classes
    ((weight, model, inputs),) = parts_of(fitted_classifier, X)
    assert (weight, model) == (1.0, fitted_classifier)
    assert inputs is X
    np.testing.assert_array_equal(mean_kernel(parts_of(model, X)), model.kernel(X))


def test_the_parts_of_an_ensemble_make_up_its_kernel(auto_regressor, houses):
    table, _ = houses
    parts = parts_of(auto_regressor, table)
    assert sum(part.weight for part in parts) == pytest.approx(1.0)
    np.testing.assert_allclose(mean_kernel(parts), auto_regressor.kernel(table))
    between = mean_kernel(parts_of(auto_regressor, table[:5]), parts_of(auto_regressor, table[5:9]))
    np.testing.assert_allclose(between, auto_regressor.kernel(table[:5], table[5:9]))


def test_drawn_parts_are_the_members_before_learning(auto_regressor, houses):
    table, _ = houses
    inputs = auto_regressor.encode_inputs(table)
    weights = auto_regressor.member_weights_
    expected = sum(
        weight * as_drawn(member).kernel(inputs)
        for weight, member in zip(weights, auto_regressor.members_, strict=True)
    )
    np.testing.assert_allclose(mean_kernel(drawn_parts(auto_regressor, table)), expected)
    assert not np.allclose(expected, auto_regressor.kernel(table))
    own = sum(
        weight * diagonal(member, inputs)
        for weight, member in zip(weights, auto_regressor.members_, strict=True)
    )
    np.testing.assert_allclose(mean_diagonal(parts_of(auto_regressor, table)), own)


def test_the_heaviest_member_is_chosen_unless_one_is_named(auto_classifier):
    weights = auto_classifier.member_weights_
    assert choose_member(auto_classifier) is auto_classifier.members_[int(weights.argmax())]
    assert choose_member(auto_classifier, 1) is auto_classifier.members_[1]


def test_the_heaviest_spectral_member_has_a_density(auto_classifier):
    kinds = [member.activation_ for member in auto_classifier.members_]
    assert {"relu", "cosine"} <= set(kinds)
    spectral = [place for place, kind in enumerate(kinds) if kind == "cosine"]
    heaviest = max(spectral, key=lambda place: auto_classifier.member_weights_[place])
    chosen = choose_member(auto_classifier, spectral=True)
    assert chosen is auto_classifier.members_[heaviest]
    assert has_density(chosen)


def test_a_named_member_without_a_density_is_refused_with_those_that_have_one(auto_classifier):
    kinds = [member.activation_ for member in auto_classifier.members_]
    spectral = [place for place, kind in enumerate(kinds) if kind == "cosine"]
    with pytest.raises(ValueError, match="activation='relu' has no spectral density") as caught:
        choose_member(auto_classifier, kinds.index("relu"), spectral=True)
    assert f"Choose another member: {spectral} have one." in str(caught.value)


def test_an_ensemble_without_spectral_members_has_no_density(auto_rectified):
    assert choose_member(auto_rectified).activation_ == "relu"
    with pytest.raises(ValueError, match=r"None of the \d members has a spectral density"):
        choose_member(auto_rectified, spectral=True)


@pytest.mark.parametrize("member", [-1, 3, 99])
def test_members_that_are_not_there_are_refused(member, auto_classifier):
    last = len(auto_classifier.members_) - 1
    with pytest.raises(ValueError, match=f"an integer from 0 to {last}. Got {member}"):
        choose_member(auto_classifier, member)


def test_a_plain_model_has_no_members(fitted_classifier):
    assert choose_member(fitted_classifier) is fitted_classifier
    with pytest.raises(ValueError, match="'member' parameter is for automatic models"):
        choose_member(fitted_classifier, 0)


def test_a_plain_model_of_rectified_units_names_the_remedy(classes):
    model = classifier(activation="relu", max_epochs=1).fit(*classes)
    with pytest.raises(ValueError, match="Fit with activation='cosine' or 'paired'"):
        choose_member(model, spectral=True)


@pytest.mark.parametrize(
    "other", [LogisticRegression(), make_pipeline(StandardScaler(), regressor())]
)
def test_other_estimators_are_refused(other, numbers):
    with pytest.raises(TypeError, match=f"Got {type(other).__name__} instead; of a pipeline"):
        parts_of(other, numbers[0])


def squared_gradients(model, X, step=1e-3):
    """Mean squared differences of the outputs along each scaled input, without autograd."""
    fitted, scaled = model.fitted_model, model.scaling_.apply(X)

    def outputs(rows):
        layer, weights = fitted.model.layers[0], fitted.model.weights.numpy()
        waves = np.cos(
            np.einsum("nd,bdk->bnk", rows, layer.frequencies.numpy())
            + layer.phases.numpy()[:, None]
        )
        return layer.scale * waves.sum(axis=0) @ weights

    shifts = step * np.eye(scaled.shape[1])
    scaled = scaled.astype(float)
    changes = [(outputs(scaled + shift) - outputs(scaled - shift)) / (2 * step) for shift in shifts]
    return np.array([np.square(change).sum(axis=1).mean() for change in changes])


def test_relevance_is_the_share_of_the_squared_gradient(numbers):
    X, y = numbers
    model = regressor().fit(X, y)
    expected = squared_gradients(model, X)
    found = relevance_of(model)
    assert found.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=0.05)
    assert found.argmin() == 2  # noise


def test_relevance_of_an_ensemble_is_in_terms_of_the_columns_of_the_table(auto_regressor, houses):
    sources = auto_regressor.encoded_sources()
    expected = np.zeros(4)
    for weight, member in zip(auto_regressor.member_weights_, auto_regressor.members_, strict=True):
        shares = member.feature_relevance_ / member.feature_relevance_.sum()
        for column, share in zip(sources, shares, strict=True):
            (source,) = column
            expected[source] += weight * share
    found = relevance_of(auto_regressor)
    np.testing.assert_allclose(found, expected)
    assert found.shape == (houses[0].shape[1],)
    assert found[:2].sum() > 0.9  # the town and the date have no effect on the price


def test_a_column_made_of_several_is_shared_among_them(auto_classifier):
    class Ensemble(type(auto_classifier)):
        def encoded_sources(self):
            return [(0,), (1,), (0, 2)]

    ensemble = Ensemble()
    ensemble.__dict__.update(auto_classifier.__dict__)
    found, plain = relevance_of(ensemble), relevance_of(auto_classifier)
    np.testing.assert_allclose(found, [plain[0] + plain[2] / 2, plain[1], plain[2] / 2])


def test_outputs_that_react_to_nothing_have_no_relevance(numbers):
    X, y = numbers
    model = regressor(max_epochs=1).fit(X, y)
    model.feature_relevance_ = np.zeros(3)
    assert relevance_of(model).tolist() == [0.0, 0.0, 0.0]
