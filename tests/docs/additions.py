"""The things that CONTRIBUTING tells how to add: code, a row, and a program that uses it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Addition(NamedTuple):
    """One thing to add to a copy of the tree.

    Attributes
    ----------
    table : str
        The name of the table that gets a row.
    file : str
        The file of the table.
    row : str
    program : str
        It runs after :data:`START`, in an empty folder.
    code : str
        Functions, put before the table.
    new_files : dict of str to str
        Their paths and contents.
    """

    table: str
    file: str
    row: str
    program: str
    code: str = ""
    new_files: dict[str, str] = {}  # noqa: RUF012

    def apply(self, root: Path) -> None:
        """Put the code before the table, and the row first in it."""
        for name, text in self.new_files.items():
            (root / name).write_text(text, encoding="utf-8")
        path = root / self.file
        before, head, after = path.read_text(encoding="utf-8").partition(f"\n{self.table}: dict[")
        line, rest = after.split("\n", maxsplit=1)
        text = f"{before}\n{self.code}\n{head}{line}\n    {self.row},\n{rest}"
        path.write_text(text, encoding="utf-8")


START = """
import numpy as np, pandas as pd
import askl
from askl.cli import app
from askl.theory import bounds

rng = np.random.default_rng(0)
X = rng.normal(size=(160, 3))
numbers = np.sin(2 * X[:, 0]) + X[:, 1]
classes = (numbers > 0).astype(int)
small = {"n_components": 40, "max_epochs": 5, "random_state": 0}

def run(*words):
    app(list(words), standalone_mode=False)

def check(model, targets):
    "Save, load and report a model, and compute its bounds."
    loaded = askl.load(askl.save(model, "model.askl"))
    assert (loaded.predict(X) == model.predict(X)).all()
    askl.write_report(model, X, targets, "report.html")
    assert bounds(model, X, targets).trace > 0

def write_table():
    pd.DataFrame(X, columns=list("abc")).assign(y=numbers).to_csv("table.csv", index=False)
"""

LOSS = Addition(
    "LOSSES",
    "src/askl/learning/losses.py",
    '"logcosh": NamedLoss(logcosh_loss, "regression")',
    """
model = askl.SpectralKernelRegressor(loss="logcosh", **small).fit(X, numbers)
assert model.score(X, numbers) > 0.5
check(model, numbers)
write_table()
run("fit", "table.csv", "-t", "y", "-o", "cli.askl", "--method", "askl", "--set", "loss=logcosh",
    "--set", "max_epochs=3")
assert askl.load("cli.askl").loss == "logcosh"
""",
    """
def logcosh_loss(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    residuals = outputs - targets
    return residuals.cosh().log().sum(dim=1), residuals.tanh()

""",
)

METHOD = Addition(
    "METHODS",
    "src/askl/learning/methods.py",
    '"wide": Method(3, True, "trace", 1e-4, 0.0)',
    """
model = askl.SpectralKernelClassifier("wide", **small).fit(X, classes)
assert model.frequencies_.shape == (3, 3, 40)
check(model, classes)
write_table()
run("fit", "table.csv", "-t", "y", "-o", "cli.askl", "--method", "wide", "--set", "max_epochs=3")
assert askl.load("cli.askl").method == "wide"
""",
)

DENSITY = Addition(
    "DENSITIES",
    "src/askl/spectral/densities.py",
    '"laplace": Density(laplace, natural_scale=lambda n_features: 1.0 / n_features)',
    """
model = askl.SpectralKernelRegressor("nsk", density="laplace", **small).fit(X, numbers)
assert model.score(X, numbers) > 0.5
check(model, numbers)
portfolio = {"laplace": {"density": "laplace", "n_components": 40, "max_epochs": 3}}
auto = askl.AutoSpectralKernelRegressor(portfolio=portfolio, max_members=2, random_state=0)
assert np.isfinite(auto.fit(X, numbers).predict(X)).all()
""",
    """
def laplace(n_features: int, n_draws: int, generator: torch.Generator) -> Tensor:
    draws = torch.rand(n_features, n_draws, generator=generator) - 0.5
    return -draws.sign() * (1.0 - 2.0 * draws.abs()).clamp(min=1e-6).log()

""",
)

ACTIVATION = Addition(
    "ACTIVATIONS",
    "src/askl/spectral/activations.py",
    '"tanh": Activation(_tanh_value, _tanh_pullback)',
    """
model = askl.SpectralKernelClassifier(activation="tanh", **small).fit(X, classes)
assert model.score(X, classes) > 0.7
check(model, classes)
stacked = askl.SpectralKernelClassifier(activation="tanh", hidden_components=(20,), **small)
assert stacked.fit(X, classes).score(X, classes) > 0.7
""",
    """
def _tanh_value(angles: Tensor, out: Tensor) -> Tensor:
    return torch.sum(angles.tanh(), dim=0, out=out)


def _tanh_pullback(angles: Tensor, gradient: Tensor) -> Tensor:
    return angles.copy_((1.0 - angles.tanh().square()) * gradient)

""",
)

PENALTY = Addition(
    "HEAD_NORMS",
    "src/askl/learning/penalties.py",
    '"lasso": HeadNorm(_absolute_sum, _soft_threshold)',
    """
model = askl.SpectralKernelClassifier(head_norm="lasso", head_penalty=0.5, **small)
model.fit(X, classes)
assert (model.weights_ == 0).any()
check(model, classes)
regressor = askl.SpectralKernelRegressor(head_norm="lasso", **small)
assert regressor.fit(X, numbers).score(X, numbers) > 0.5
""",
    """
def _absolute_sum(weights: Tensor) -> Tensor:
    return weights.double().abs().sum()


def _soft_threshold(weights: Tensor, threshold: float) -> Tensor:
    return weights.sign() * (weights.abs() - threshold).clamp(min=0.0)

""",
)

PRODUCTS = '''
"""The product of the first two columns, as a new column."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin


class ProductEncoder(TransformerMixin, BaseEstimator):
    def __init__(self, *, n_columns: Any = None, random_state: Any = None) -> None:
        self.n_columns, self.random_state = n_columns, random_state

    def fit(self, X: Any, y: Any = None) -> ProductEncoder:
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        return np.hstack([X, X[:, :1] * X[:, 1:2]])

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        return np.array([*input_features, "product"], dtype=object)

    def source_columns(self) -> list[tuple[int, ...]]:
        return [*((column,) for column in range(self.n_features_in_)), (0, 1)]

    def extend(self, order: tuple[int, ...]) -> tuple[int, ...] | None:
        return (*order, len(order)) if {order[0], order[1]} == {0, 1} else None
'''

ENCODER = Addition(
    "ENCODERS",
    "src/askl/auto/encoders.py",
    '"ProductEncoder": EncoderRow("askl.discovery.products", extends_symmetries=True)',
    """
portfolio = {"one": {"n_components": 40, "max_epochs": 3}}
auto = askl.AutoSpectralKernelRegressor(portfolio=portfolio, max_members=2, random_state=0)
table = pd.DataFrame(X, columns=list("abc"))
auto.fit(table, X[:, 0] * X[:, 1])
assert [type(encoder).__name__ for encoder in auto.encoders_] == ["TableEncoder", "ProductEncoder"]
assert auto.members_[0].n_features_in_ == 4
loaded = askl.load(askl.save(auto, "auto.askl"))
assert (loaded.predict(table) == auto.predict(table)).all()
askl.write_report(auto, table, X[:, 0] * X[:, 1], "report.html")
""",
    new_files={"src/askl/discovery/products.py": PRODUCTS},
)

CANDIDATE = Addition(
    "PORTFOLIO",
    "src/askl/auto/portfolio.py",
    '"small and quick": Candidate({"n_components": 30, "max_epochs": 3})',
    """
auto = askl.AutoSpectralKernelRegressor(time_budget=1, random_state=0).fit(X, numbers)
assert "small and quick" in auto.leaderboard_["candidate"]
assert np.isfinite(askl.load(askl.save(auto, "auto.askl")).predict(X)).all()
""",
)

PEER = Addition(
    "PEERS",
    "benchmarks/peers/models.py",
    '"neighbours": Peer(_neighbours, "`KNeighborsClassifier()`", "scikit-learn", 0.1)',
    """
from pathlib import Path
from benchmarks.peers.cli import main
from benchmarks.peers.records import open_store, read_records
np.savez("segment.npz", X=X.astype(np.float32), y=classes)
words = ["--model", "neighbours", "--dataset", "segment", "--splits", "1", "--results", "results"]
main(["run", *words])
(record,) = read_records(open_store(results=Path("results")))
assert record["status"] == "done" and record["score"] > 60
""",
    """
def _neighbours(task: Task) -> Any:
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    return (KNeighborsRegressor if task.regression else KNeighborsClassifier)(n_jobs=task.threads)

""",
)

ADDITIONS = {
    "a loss": LOSS,
    "a method": METHOD,
    "a density": DENSITY,
    "an activation": ACTIVATION,
    "a penalty": PENALTY,
    "an encoder": ENCODER,
    "a candidate": CANDIDATE,
    "a peer": PEER,
}
