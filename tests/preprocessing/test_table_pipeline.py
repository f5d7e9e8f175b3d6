from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

from askl import SpectralKernelClassifier, TableEncoder, make_table_pipeline
from tests.auto.cases import messy_table


def test_a_pipeline_is_an_encoder_and_an_estimator():
    table = pd.DataFrame({"word": ["a", "b", "a", "b"], "size": [1.0, None, 3.0, 4.0]})
    y = [1.0, 2.0, 3.0, 5.0]
    model = make_table_pipeline(LinearRegression(), one_hot_limit=2).fit(table, y)
    assert model["table"].one_hot_limit == 2
    expected = LinearRegression().fit(TableEncoder().fit_transform(table), y)
    np.testing.assert_allclose(model["model"].coef_, expected.coef_)


def test_a_pipeline_goes_through_cross_validation_and_search():
    table, signal = messy_table()
    y = np.where(signal > 0.5, "high", "low")
    pipeline = make_table_pipeline(
        SpectralKernelClassifier(n_components=32, max_epochs=3, random_state=0)
    )
    assert cross_val_score(pipeline, table, y, cv=3).mean() > 0.6
    search = GridSearchCV(pipeline, {"model__n_components": [16, 32]}, cv=3).fit(table, y)
    assert search.best_score_ > 0.6
