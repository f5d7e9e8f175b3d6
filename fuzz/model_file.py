"""Look for a model file on which loading fails badly: ``python -m fuzz.model_file [seconds]``.

Every input must load as a model or be refused with a ``ModelFileError``. With atheris installed, it
is guided by coverage; otherwise the inputs come from :mod:`fuzz.mutations`. Half of the inputs get
the right checksum: without it, all would be refused at once.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

try:
    import atheris
except ImportError:
    atheris = None

if atheris is None:
    import askl
else:
    with atheris.instrument_imports(include=["askl.persistence"]):
        import askl

from askl.errors import ModelFileError
from fuzz.mutations import mutations, seal

TEMPORARY = tempfile.TemporaryDirectory(prefix="askl-fuzz-")
FOLDER = Path(TEMPORARY.name)
TOTALS = {"refused": 0, "loaded": 0}


def try_one(content: bytes) -> None:
    """Load one input; any exception but a ModelFileError ends the program."""
    path = FOLDER / "input.askl"
    path.write_bytes(seal(content) if sum(content[-8:]) % 2 else content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            askl.load(path)
        TOTALS["loaded"] += 1
    except ModelFileError:
        TOTALS["refused"] += 1


def corpus() -> list[bytes]:
    """Write small models of several kinds, and return the files."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    options = {"n_components": 4, "max_epochs": 1, "random_state": 0}
    models = [
        askl.SpectralKernelRegressor(**options).fit(X, y),
        askl.SpectralKernelRegressor(scale_inputs="quantile", **options).partial_fit(X, y),
        askl.SpectralKernelClassifier(**options).fit(X, np.where(y > 0.0, "yes", "no")),
        askl.make_table_pipeline(askl.SpectralFeatures(**options)).fit(X, y),
    ]
    folder = FOLDER / "corpus"
    folder.mkdir()
    return [
        askl.save(model, folder / f"{number}.askl").read_bytes()
        for number, model in enumerate(models)
    ]


def main() -> None:
    """Fuzz for some seconds, a minute by default."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    files = corpus()
    if atheris is not None:
        arguments = [sys.argv[0], f"-max_total_time={seconds:.0f}", str(FOLDER / "corpus")]
        atheris.Setup([*arguments, f"-max_len={2 * max(map(len, files))}"], try_one)
        atheris.Fuzz()
        return
    end = time.monotonic() + seconds
    for seed in itertools.count():
        for mutation in mutations(files[seed % len(files)], count=100, seed=seed):
            try_one(mutation.content)
        if time.monotonic() > end:
            break
    print(f"{sum(TOTALS.values())} inputs: {TOTALS}")


if __name__ == "__main__":
    main()
