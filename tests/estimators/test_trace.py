"""The way from ``fit`` down to the gradient: short, and through each file once."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

import pytest

import askl
from tests.models import classifier, regressor

SOURCE = Path(askl.__file__).parent
MOST_FRAMES = 9


def frames_to_gradient(fit):
    """Return (file, function) of each of this package's frames, from the call to the gradient."""
    found = []

    def on_event(frame, event, argument):
        if event != "call" or found or frame.f_code.co_name != "compute_gradients":
            return
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(SOURCE):
                found.append((str(path.relative_to(SOURCE)), frame.f_code.co_name))
            frame = frame.f_back

    sys.setprofile(on_event)
    try:
        fit()
    finally:
        sys.setprofile(None)
    return found[::-1]


@pytest.mark.parametrize("make", [classifier, regressor])
@pytest.mark.parametrize("weigh_inputs", [False, True])
def test_the_way_to_the_gradient_is_short_and_visits_each_file_once(make, weigh_inputs, classes):
    model = make(weigh_inputs=weigh_inputs, max_epochs=1)
    frames = frames_to_gradient(lambda: model.fit(*classes))
    print(f"{type(model).__name__}.fit, weigh_inputs={weigh_inputs}:")
    print(*(f"  {place} {name}" for place, name in frames), sep="\n")
    assert frames[0][1] == "fit"
    assert frames[-1] == ("learning/gradients.py", "compute_gradients")
    assert len(frames) <= MOST_FRAMES
    files = [place for place, _ in groupby(place for place, _ in frames)]
    assert len(files) == len(set(files)), "a file is visited twice"


@pytest.mark.parametrize("call", ["partial_fit", "fit_stream"])
def test_other_ways_to_the_gradient_are_no_longer(call, numbers):
    X, y = numbers
    fits = {
        "partial_fit": lambda: regressor().partial_fit(X, y),
        "fit_stream": lambda: regressor(max_epochs=1).fit_stream(lambda: iter([(X, y)])),
    }
    frames = frames_to_gradient(fits[call])
    assert frames[0][1] == call
    assert len(frames) <= MOST_FRAMES
    files = [place for place, _ in groupby(place for place, _ in frames)]
    assert len(files) == len(set(files))
