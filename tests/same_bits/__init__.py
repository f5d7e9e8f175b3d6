"""Small fits whose predictions are known to the last bit.

A change that moves, renames or simplifies code must change no model. These fits show whether it
did: ``record.json`` holds a SHA-256 digest of everything they predict, and
``tests/test_same_bits.py`` compares.

To write a new record::

    python -m tests.same_bits record

Do so only with a change that means to change models, in the same commit, and say there which
models change and why. A new record that is written because the test fails proves nothing. To see
which predictions differ, and by how much::

    python -m tests.same_bits compare

The fits use only the public names of ``askl``, so that they run before and after any change of the
modules behind them, and name every parameter that matters, so that a new default value is no new
model.
"""
