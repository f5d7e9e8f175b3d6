"""The learners that are compared, each at its library's defaults.

Departures from the defaults, all of them in a peer's favour or neutral: inputs are standardised
where distances or step sizes depend on their scale, targets too where C, epsilon or step sizes
are absolute; random features are 2,000 and not 100; threads and seeds are set alike for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

# Each peer imports its own library, so that a process loads only one of them.

N_FEATURES = 2000
# Features have norm one, so the default strength of one would be much too large.
RIDGE_STRENGTH = 1e-2


class Task(NamedTuple):
    """What a learner is made for."""

    regression: bool
    threads: int = 1
    seed: int = 0


class Peer(NamedTuple):
    """A learner, its settings as a text for readers, its package, and its rough cost.

    The cost is in seconds for 10,000 units of :func:`benchmarks.peers.jobs.size`. It orders the
    jobs and estimates the time left, no more.
    """

    make: Callable[[Task], Any]
    settings: str
    package: str
    cost: float


def _lightgbm(task: Task) -> Any:
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMRegressor if task.regression else LGBMClassifier
    return kind(n_jobs=task.threads, random_state=task.seed, verbose=-1)


def _xgboost(task: Task) -> Any:
    from xgboost import XGBClassifier, XGBRegressor

    kind = XGBRegressor if task.regression else XGBClassifier
    return kind(n_jobs=task.threads, random_state=task.seed)


def _catboost(task: Task) -> Any:
    from catboost import CatBoostClassifier, CatBoostRegressor

    kind = CatBoostRegressor if task.regression else CatBoostClassifier
    return kind(
        thread_count=task.threads,
        random_seed=task.seed,
        logging_level="Silent",
        allow_writing_files=False,
    )


def _hist(task: Task) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingRegressor if task.regression else HistGradientBoostingClassifier
    return kind(random_state=task.seed)


def _standardized(*steps: Any, targets: bool = False) -> Any:
    """Standardise inputs before the given steps and, if asked for, the targets."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), *steps)
    if not targets:
        return model
    return TransformedTargetRegressor(model, transformer=StandardScaler())


def _support_vectors(task: Task) -> Any:
    from sklearn.svm import SVC, SVR

    return _standardized(SVR() if task.regression else SVC(), targets=task.regression)


def _tuned_support_vectors(task: Task) -> Any:
    from sklearn.svm import SVC, SVR

    return _standardized(SVR(C=30.0, epsilon=1.0) if task.regression else SVC(C=10.0))


def _ridge(task: Task) -> Any:
    from sklearn.linear_model import Ridge, RidgeClassifier

    return (Ridge if task.regression else RidgeClassifier)(alpha=RIDGE_STRENGTH)


def _random_features(task: Task) -> Any:
    from sklearn.kernel_approximation import RBFSampler

    sampler = RBFSampler(gamma="scale", n_components=N_FEATURES, random_state=task.seed)
    return _standardized(sampler, _ridge(task))


def _nystroem(task: Task) -> Any:
    from sklearn.kernel_approximation import Nystroem

    return _standardized(Nystroem(n_components=N_FEATURES, random_state=task.seed), _ridge(task))


def _perceptron(task: Task) -> Any:
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    kind = MLPRegressor if task.regression else MLPClassifier
    return _standardized(kind(random_state=task.seed), targets=task.regression)


def _xrfm(task: Task) -> Any:
    from benchmarks.peers.held_out import HeldOutXRFM

    return HeldOutXRFM(threads=task.threads, seed=task.seed)


def _realmlp(task: Task) -> Any:
    from pytabkit import RealMLP_TD_Classifier, RealMLP_TD_Regressor

    kind = RealMLP_TD_Regressor if task.regression else RealMLP_TD_Classifier
    return kind(device="cpu", n_threads=task.threads, random_state=task.seed)


def _askl(prefix: str) -> Callable[[Task], Any]:
    def make(task: Task) -> Any:
        import askl

        kind = "Regressor" if task.regression else "Classifier"
        return getattr(askl, f"{prefix}SpectralKernel{kind}")(random_state=task.seed)

    return make


# Ours first: wide tables are read from the left.
PEERS: dict[str, Peer] = {
    "askl-auto": Peer(
        _askl("Auto"),
        "`AutoSpectralKernelClassifier()`, `AutoSpectralKernelRegressor()`",
        "askl",
        20.0,
    ),
    "askl": Peer(
        _askl(""), "`SpectralKernelClassifier()`, `SpectralKernelRegressor()`", "askl", 1.5
    ),
    "lightgbm": Peer(_lightgbm, "`LGBMClassifier()`, `LGBMRegressor()`", "lightgbm", 2.0),
    "xgboost": Peer(_xgboost, "`XGBClassifier()`, `XGBRegressor()`", "xgboost", 2.0),
    "catboost": Peer(_catboost, "`CatBoostClassifier()`, `CatBoostRegressor()`", "catboost", 10.0),
    "svm": Peer(
        _support_vectors,
        "`SVC()`, `SVR()`; standardised inputs and targets",
        "scikit-learn",
        1.0,
    ),
    "svm-tuned": Peer(
        _tuned_support_vectors,
        "`SVC(C=10)`, `SVR(C=30, epsilon=1)` on targets in [0, 100]; standardised inputs",
        "scikit-learn",
        1.0,
    ),
    "rff": Peer(
        _random_features,
        '`RBFSampler(gamma="scale", n_components=2000)` and ridge of strength 0.01; '
        "standardised inputs",
        "scikit-learn",
        0.5,
    ),
    "nystroem": Peer(
        _nystroem,
        "`Nystroem(n_components=2000)` and ridge of strength 0.01; standardised inputs",
        "scikit-learn",
        1.5,
    ),
    "hist": Peer(
        _hist,
        "`HistGradientBoostingClassifier()`, `HistGradientBoostingRegressor()`",
        "scikit-learn",
        3.0,
    ),
    "mlp": Peer(
        _perceptron,
        "`MLPClassifier()`, `MLPRegressor()`; standardised inputs and targets",
        "scikit-learn",
        5.0,
    ),
    "xrfm": Peer(
        _xrfm,
        "`xRFM()`; standardised inputs; 20 % of the training rows are its validation set",
        "xrfm",
        15.0,
    ),
    "realmlp": Peer(
        _realmlp,
        "`RealMLP_TD_Classifier()`, `RealMLP_TD_Regressor()`, which scale, and hold out 20 % of "
        "the training rows, themselves",
        "pytabkit",
        40.0,
    ),
}
