"""Messages of other libraries, cut to a line."""

from __future__ import annotations

MOST_CHARACTERS = 300


def first_line(error: BaseException) -> str:
    r"""Return the first line of an error's message, shortened if it is very long.

    Examples
    --------
    >>> first_line(ValueError("The first line\nThe second line"))
    'The first line.'
    """
    lines = str(error).strip().splitlines() or [type(error).__name__]
    text = lines[0] if len(lines[0]) <= MOST_CHARACTERS else f"{lines[0][:MOST_CHARACTERS]}..."
    return text if text.endswith(".") else f"{text}."
