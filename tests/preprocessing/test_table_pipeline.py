from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from askl import TableEncoder, make_table_pipeline


def test_a_pipeline_is_an_encoder_and_an_estimator():
    table = pd.DataFrame({"word": ["a", "b", "a", "b"], "size": [1.0, None, 3.0, 4.0]})
    y = [1.0, 2.0, 3.0, 5.0]
    model = make_table_pipeline(LinearRegression(), one_hot_limit=2).fit(table, y)
    assert model["table"].one_hot_limit == 2
    expected = LinearRegression().fit(TableEncoder().fit_transform(table), y)
    np.testing.assert_allclose(model["model"].coef_, expected.coef_)
