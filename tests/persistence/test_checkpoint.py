"""Checkpoints of a fit: the same bits after a stop, and what happens to bad files."""

from __future__ import annotations

import json
import resource
import signal
import threading
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from askl import SpectralFeatures, SpectralKernelClassifier, SpectralKernelRegressor
from askl.errors import CheckpointError
from askl.learning import RunState
from askl.persistence.checkpoint import Checkpoint, read_checkpoint

SMALL = {"n_components": 20, "max_epochs": 4, "batch_size": 32, "random_state": 0}


class Crash(Exception):
    """Raised where a process would end."""


def crash_at(iteration):
    def callback(progress, estimator):
        if progress.iteration >= iteration:
            raise Crash

    return callback


def outcome(model):
    arrays = [array for layer in model.layers_ for array in layer]
    history = [tuple(record)[:-1] for record in model.history_]
    return [*(array.tolist() for array in arrays), model.weights_.tolist(), history]


def crashed(model, X, y, iteration=10):
    """Let a fit fail, and return a new estimator with the same parameters."""
    model.set_params(callback=crash_at(iteration), record_every=1, checkpoint_every=3)
    with pytest.raises(Crash):
        model.fit(X, y)
    parameters = {**model.get_params(), "callback": None}
    return type(model)(**parameters)


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"early_stopping": True},
        {"hidden_components": (8,), "optimizer": "adadelta"},
        {"weigh_inputs": True, "decorrelate_inputs": True},
        {"symmetries": [(1, 0, 2)], "weigh_inputs": True},
    ],
)
@pytest.mark.parametrize("kind", [SpectralKernelClassifier, SpectralKernelRegressor])
def test_a_resumed_fit_ends_with_the_same_bits(kind, extra, classes, numbers, tmp_path):
    X, y = classes if kind is SpectralKernelClassifier else numbers
    expected = kind(**SMALL, **extra, record_every=1).fit(X, y)
    path = tmp_path / "state"
    model = crashed(kind(**SMALL, **extra, checkpoint=path), X, y)
    header, _ = read_checkpoint(path)
    assert header["numbers"]["iterations"] == 9
    model.fit(X, y)
    assert outcome(model) == outcome(expected)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))
    assert list(tmp_path.iterdir()) == []


def test_checkpoints_change_no_bit(classes, tmp_path):
    plain = SpectralKernelClassifier(**SMALL).fit(*classes)
    kept = SpectralKernelClassifier(**SMALL, checkpoint=str(tmp_path / "state"))
    assert outcome(kept.fit(*classes)) == outcome(plain)


def test_the_exact_head_is_solved_after_a_crash_behind_training(numbers, tmp_path, monkeypatch):
    expected = SpectralKernelRegressor(**SMALL).fit(*numbers)
    model = SpectralKernelRegressor(**SMALL, checkpoint=tmp_path / "state")

    def fail(*arguments, **options):
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr("askl.estimators.head.solve_exact_head", fail)
        with pytest.raises(Crash):
            model.fit(*numbers)
    assert read_checkpoint(tmp_path / "state")[0]["numbers"]["stop"] == "max_epochs"
    model.set_params(callback=fail).fit(*numbers)  # no epoch is trained again
    assert outcome(model) == outcome(expected)
    assert model.head_strength_ == expected.head_strength_


def test_without_a_random_state_the_seed_comes_from_the_checkpoint(classes, tmp_path):
    def make(random_state):
        return SpectralKernelClassifier(**{**SMALL, "random_state": random_state})

    model = make(np.random.RandomState(5)).set_params(checkpoint=tmp_path / "state")
    again = crashed(model, *classes).set_params(random_state=None).fit(*classes)
    same = make(np.random.RandomState(5)).set_params(record_every=1).fit(*classes)
    assert again.seed_ == same.seed_
    assert outcome(again) == outcome(same)


def test_a_warm_start_resumes_only_from_its_own_first_model(classes, tmp_path):
    X, y = classes
    warm = {**SMALL, "warm_start": True, "record_every": 1}
    expected = SpectralKernelClassifier(**warm).fit(X, y).fit(X, y)
    first = SpectralKernelClassifier(**warm).fit(X, y)
    layers, weights = first.layers_, first.weights_
    model = crashed(first.set_params(checkpoint=tmp_path / "state"), X, y)
    with pytest.raises(CheckpointError, match="first model"):
        model.fit(X, y)
    model.__dict__.update(first.__dict__, callback=None)
    model.layers_ = [(f.copy(), p) for f, p in layers]
    model.weights_ = weights.copy()
    assert outcome(model.fit(X, y)) == outcome(expected)


def test_the_transformer_learns_with_checkpoints_too(numbers, tmp_path):
    expected = SpectralFeatures(**SMALL, record_every=1).fit(*numbers)
    model = crashed(SpectralFeatures(**SMALL, checkpoint=tmp_path / "state"), *numbers)
    assert outcome(model.fit(*numbers)) == outcome(expected)


@pytest.mark.parametrize(
    ("change", "named"),
    [({"n_components": 21}, "n_components is 20"), ({"random_state": 1}, "seed is")],
)
def test_a_checkpoint_of_other_parameters_is_refused(change, named, classes, tmp_path):
    model = crashed(SpectralKernelClassifier(**SMALL, checkpoint=tmp_path / "state"), *classes)
    before = (tmp_path / "state").read_bytes()
    with pytest.raises(CheckpointError, match=f"another fit: its {named}.*Remove the file"):
        model.set_params(**change).fit(*classes)
    assert (tmp_path / "state").read_bytes() == before


@pytest.mark.parametrize("change", ["inputs", "targets", "rows", "weights"])
def test_a_checkpoint_of_other_data_is_refused(change, classes, tmp_path):
    X, y = classes
    model = crashed(SpectralKernelClassifier(**SMALL, checkpoint=tmp_path / "state"), X, y)
    X, y, weights = X.copy(), y.copy(), None
    if change == "inputs":
        X[5, 1] += 1e-9
    elif change == "targets":
        y[7] = (y[7] + 1) % 3
    elif change == "rows":
        X, y = X[:-1], y[:-1]
    else:
        weights = np.linspace(1, 2, len(y))
    with pytest.raises(CheckpointError, match="another fit: its data"):
        model.fit(X, y, weights)


@pytest.mark.parametrize("damage", ["empty", "short", "flipped", "text", "version"])
def test_a_damaged_file_is_named_and_left_alone(damage, classes, tmp_path):
    path = tmp_path / "state"
    model = crashed(SpectralKernelClassifier(**SMALL, checkpoint=path), *classes)
    content = bytearray(path.read_bytes())
    if damage == "empty":
        content = bytearray()
    elif damage == "short":
        del content[-100:]
    elif damage == "flipped":
        content[-50] ^= 1
    elif damage == "text":
        content = bytearray(b"some notes of mine, nothing else")
    else:
        content = content.replace(b"askl checkpoint 1", b"askl checkpoint 9")
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"state' is not a complete checkpoint: .*Remove it"):
        model.fit(*classes)
    assert path.read_bytes() == content


def test_every_byte_of_the_tensors_counts(tmp_path):
    path = tmp_path / "state"
    state = RunState({"a": torch.arange(4.0), "b": torch.tensor(1.5)}, {"iterations": 3})
    Checkpoint(path, {}, 1).save(state)
    content = path.read_bytes()
    _, tensors = read_checkpoint(path)
    assert torch.equal(tensors["a"], torch.arange(4.0))
    for position in range(len(content) - 20, len(content)):
        changed = bytearray(content)
        changed[position] ^= 64
        path.write_bytes(changed)
        with pytest.raises(CheckpointError, match="checksum"):
            read_checkpoint(path)


def test_the_file_is_safetensors_with_a_json_header(classes, tmp_path):
    from safetensors import safe_open

    crashed(SpectralKernelClassifier(**SMALL, checkpoint=tmp_path / "state"), *classes)
    with safe_open(tmp_path / "state", framework="numpy") as file:
        assert "model/weights" in file.keys()  # noqa: SIM118
        header = json.loads(file.metadata()["header"])
    assert header["fit"]["n_components"] == "20"


@contextmanager
def full_disk(n_bytes):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_leaves_the_last_file_intact(classes, tmp_path):
    path = tmp_path / "state"
    model = crashed(SpectralKernelClassifier(**SMALL, checkpoint=path), *classes)
    before = path.read_bytes()
    with full_disk(2000), pytest.raises(CheckpointError, match="cannot be written: File too large"):
        model.fit(*classes)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    expected = SpectralKernelClassifier(**SMALL, record_every=1).fit(*classes)
    assert outcome(model.fit(*classes)) == outcome(expected)


@pytest.mark.parametrize("place", ["missing/state", "file/state", "/proc/state"])
def test_a_folder_that_cannot_be_used_fails_before_training(place, classes, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    steps = []
    model = SpectralKernelClassifier(
        **SMALL, checkpoint=tmp_path / place, callback=lambda *_: steps.append(1)
    )
    with pytest.raises(CheckpointError, match=r"cannot be (written|read): .*'checkpoint'"):
        model.fit(*classes)
    assert steps == []


@pytest.fixture
def ctrl_c():
    """Let SIGINT raise KeyboardInterrupt, even if the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def raise_signal_at(number, iteration):
    def callback(progress, estimator):
        if progress.iteration == iteration:
            signal.raise_signal(number)

    return callback


def test_ctrl_c_keeps_the_model_and_saves_that_iteration(classes, tmp_path, ctrl_c):
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    expected = SpectralKernelClassifier(**SMALL, record_every=1).fit(*classes)
    model = SpectralKernelClassifier(**SMALL, record_every=1, checkpoint=tmp_path / "state")
    model.set_params(callback=raise_signal_at(signal.SIGINT, 11))
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model.fit(*classes)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert len(model.history_) == 11
    assert read_checkpoint(tmp_path / "state")[0]["numbers"]["iterations"] == 11
    model.set_params(callback=None).fit(*classes)
    assert outcome(model) == outcome(expected)


def test_ctrl_c_while_the_first_state_is_written_keeps_the_model(
    classes, tmp_path, ctrl_c, monkeypatch
):
    write = Checkpoint._write

    def interrupted(self, state):
        signal.raise_signal(signal.SIGINT)
        write(self, state)

    model = SpectralKernelClassifier(**SMALL, checkpoint=tmp_path / "state")
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "_write", interrupted)
        with pytest.warns(ConvergenceWarning, match="interrupted after 0 epochs"):
            model.fit(*classes)
    assert model.predict(classes[0]).shape == classes[1].shape
    expected = SpectralKernelClassifier(**SMALL).fit(*classes)
    assert outcome(model.fit(*classes)) == outcome(expected)


def test_the_second_ctrl_c_does_not_wait(classes, tmp_path, ctrl_c):
    after = []

    def callback(progress, estimator):
        signal.raise_signal(signal.SIGINT)
        after.append("first")
        signal.raise_signal(signal.SIGINT)
        after.append("second")

    model = SpectralKernelClassifier(**SMALL, checkpoint=tmp_path / "state", callback=callback)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model.fit(*classes)
    assert after == ["first"]


def test_a_handler_of_the_users_own_is_called_after_the_write(classes, tmp_path):
    seen = []

    def handler(number, frame):
        seen.append(read_checkpoint(tmp_path / "state")[0]["numbers"]["iterations"])

    before = signal.signal(signal.SIGTERM, handler)
    try:
        model = SpectralKernelClassifier(**SMALL, record_every=1, checkpoint=tmp_path / "state")
        model.set_params(callback=raise_signal_at(signal.SIGTERM, 6)).fit(*classes)
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [6]
    assert model.n_iter_ == 4


def test_other_threads_can_fit_with_checkpoints(classes, tmp_path):
    model = SpectralKernelClassifier(**SMALL, checkpoint=tmp_path / "state")
    thread = threading.Thread(target=model.fit, args=classes)
    thread.start()
    thread.join()
    assert outcome(model) == outcome(SpectralKernelClassifier(**SMALL).fit(*classes))
