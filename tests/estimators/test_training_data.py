"""What the stages of a fit ask of arrays and of streams."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from askl.estimators.build import Plan
from askl.estimators.training_data import (
    RELEVANCE_ROWS,
    ArrayData,
    StreamData,
    column_orders,
)
from askl.preprocessing.input_scaling import fit_scaling
from askl.streaming.rows import Stream
from askl.streaming.sources import open_source
from askl.streaming.statistics import collect_statistics
from tests.models import regressor

N_ROWS = 700


@pytest.fixture
def arrays(rng):
    X = rng.normal(size=(N_ROWS, 3))
    return X, (X[:, :1] + X[:, 1:2]).astype(np.float32)


def stream_data(X, y, n_chunks=3):
    def chunks():
        return zip(np.array_split(X, n_chunks), np.array_split(y, n_chunks), strict=True)

    partitions = open_source(chunks, None)
    statistics = collect_statistics(partitions, 0, lambda y: None)
    return StreamData(Stream(partitions, statistics, 0), lambda y: y.astype(np.float32))


MAKERS = {"arrays": ArrayData, "stream": stream_data}


@pytest.fixture(params=MAKERS)
def data(request, arrays):
    return MAKERS[request.param](*arrays)


def plan_of(solves_head=False, **parameters):
    model = regressor(**parameters)
    return Plan(model, model.resolve_method(), "squared", solves_head, 1)


def all_inputs(source):
    return torch.cat([batch.inputs for batch in source.blocks(100)])


def test_all_rows_are_scaled_and_the_first_measure_relevance(data, arrays, generator):
    scaling = data.fit_scaling(regressor())
    rows = data.encode(plan_of(), scaling, generator)
    assert data.n_features == 3
    assert rows.split.held_out is None
    expected = torch.from_numpy(scaling.apply(arrays[0]))
    torch.testing.assert_close(all_inputs(rows.split.train), expected)
    assert rows.sample.shape == (RELEVANCE_ROWS, 3)


def test_the_scaling_is_that_of_the_parameters(data, arrays):
    for kind in ("robust", "standard", "quantile"):
        scaling = data.fit_scaling(regressor(scale_inputs=kind))
        expected = fit_scaling(arrays[0], kind)
        np.testing.assert_allclose(scaling.apply(arrays[0]), expected.apply(arrays[0]), atol=1e-6)


def test_exchangeable_columns_are_scaled_alike(data):
    center = data.fit_scaling(regressor(symmetries=[(1, 0, 2)])).arrays["center"]
    assert center[0] == center[1] != center[2]


@pytest.mark.parametrize("parameters", [{"early_stopping": True}, {"solves_head": True}])
def test_rows_are_held_out_where_the_plan_asks_for_it(data, arrays, parameters, generator):
    scaling = data.fit_scaling(regressor())
    train, held_out, _ = data.encode(plan_of(**parameters), scaling, generator).split
    assert (train.n_samples, held_out.n_samples) == (630, 70)
    together = torch.cat([all_inputs(train), all_inputs(held_out)])
    expected = torch.from_numpy(scaling.apply(arrays[0]))
    for column in range(3):
        torch.testing.assert_close(
            together[:, column].sort().values, expected[:, column].sort().values
        )


def test_a_stream_with_a_given_penalty_still_measures_the_noise(arrays, generator):
    plan = plan_of(True, head_penalty=1e-3, head_norm="frobenius")
    for make, expected in ((ArrayData, None), (stream_data, 70)):
        data = make(*arrays)
        held_out = data.encode(plan, data.fit_scaling(regressor()), generator).split.held_out
        assert expected == (held_out and held_out.n_samples)


def test_for_a_part_no_rows_are_held_out(arrays, generator):
    data = ArrayData(*arrays)
    plan, scaling = plan_of(True, early_stopping=True), data.fit_scaling(regressor())
    rows = data.encode(plan, scaling, generator, hold_out=False)
    assert rows.split.held_out is None
    assert rows.split.train.n_samples == N_ROWS


def test_weights_have_mean_one_and_count_in_the_scaling(arrays, generator):
    weights = np.linspace(0.0, 4.0, N_ROWS)
    data = ArrayData(*arrays, weights)
    scaling = data.fit_scaling(regressor(scale_inputs="standard"))
    mean = np.average(arrays[0], axis=0, weights=weights)
    np.testing.assert_allclose(scaling.arrays["center"], mean)
    source = data.encode(plan_of(), scaling, generator).split.train
    np.testing.assert_allclose(source.sample_weights, weights / 2.0, rtol=1e-6)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_other_data_have_another_digest(make, arrays):
    X, y = arrays
    digest = make(X, y).digest()
    assert digest == make(X.copy(), y.copy()).digest()
    assert digest != make(X + 1e-9, y).digest()
    assert digest != make(X, y + 1.0).digest()
    assert digest != make(X[:-1], y[:-1]).digest()


def test_symmetries_are_completed_by_composition():
    assert column_orders(regressor(), 3) is None
    assert column_orders(regressor(symmetries=[]), 3) is None
    orders = column_orders(regressor(symmetries=[(1, 2, 0)]), 3)
    assert orders.tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
