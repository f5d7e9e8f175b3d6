"""Plain English, and one word for one thing: words that the project does not use.

Run ``python -m tests.test_language`` for the list of places.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

# A pattern of whole words, in any case: what to write instead. The patterns are for phrases that a
# reader may have to read twice; they leave ordinary English alone.
INSTEAD = {
    r"foret(?:old|ells?|elling)": "estimated, estimate",
    r"so many|so much": "a number: 'at most 10 rows', 'the number of rows'",
    r"says? (?:whether|which|how|what|of)": "return, describe, name",
    r"says? (?:nothing|little|much|something|nearly)": "has no effect, few, much information",
    r"what (?:came|comes|is to come) of|what comes out": "the result of",
    r"mend(?:ed|s|ing)?|put(?:s|ting)? right": "fix, correct",
    r"keepers?": "checkpointer",
    r"surveys?|surveyed": "statistics",
    r"turning|turned rows": "symmetry augmentation, permuted",
    r"left over|leaves over": "residuals",
    r"mixing": "input transform",
    r"sharpen(?:s|ed)?": "apply the temperature",
    r"climb(?:s|ing)? the rungs?": "run successive halving",
    r"good company": "the concrete effect",
    r"harder to mislead": "the concrete effect",
    r"gives? (?:the )?targets? away": "leaks the target",
    r"speaks? of (?:the )?targets?": "uses the user's labels",
    r"in torch's words": "such as 'cpu' or 'cuda'",
    r"told, not raised": "returned",
    r"outputs to wish for": "target outputs",
    r"columns? of one kind|of one kind|of like": "similarly distributed, of the same type, similar",
    r"(?:may )?change places": "exchangeable columns, are exchanged",
    r"whole or not at all|not a whole file": "in one step, atomically",
    r"write_whole|on_trial|share_members|from_first|anyone|widen": "the settled names",
    r"on the way back": "in the backward pass",
    r"the way back": "the backward pass",
    r"thrown away|throws? away": "discarded",
    r"nobody(?!\")|whoever": "a concrete subject",
    r"there(?:of|in|upon|to|by)|where(?:in|of|upon|to|by)|henceforth|by and by": "plain words",
    r"lest|whilst|hitherto|albeit|naught|nought|betwixt|unto|save for": "so that ... not, except",
    r"anew|afresh": "again",
    r"go(?:es)? on (?:from|with|where|as|until|while)|went on|gone on": "continue",
    r"begins? anew|beg[au]n anew": "start again",
    r"tell(?:s|ing)? (?:\w+ )?apart|told apart": "distinguish",
    r"(?:is|are|be) told (?:by|what|which|of)": "is chosen by, is given",
    r"held against": "compared with",
    r"in (?:other|others'|another's|other libraries') hands?": "in other models, libraries",
    r"to no avail|for nothing": "without effect, without cost",
    r"and the like": "and similar ones",
    r"drown(?:s|ed|ing)?": "dominate",
    r"lies? far out|far off": "an outlier, a large error",
    r"as many as there are": "all",
    r"say yes": "return True",
    r"is no (?:place|number|label|kind)": "is not a ...",
    r"knows? (?:no|nothing|of)": "has no, does not support",
    r"in sight|out of sight": "known, not known",
    r"last word|lights are out": "the concrete effect",
    r"by (?:far|little) (?:where|and|from)": "much, a little",
    r"by and large|under the hood|on the fly|rule of thumb|lion's share": "plain words",
    r"a word|without a word": "a message",
}
# Beginnings of sentences and comments, as they are written: what to write instead.
START = r"(?:[.:;][\s#]+|# |\"\"\")"
BEGINNINGS = {
    START + r"Of (?!course)[a-z]": "the noun that is meant, then 'of'",
    r"(?:[.;][\s#]+|# )Where (?!this )[a-z](?:(?!\n\n)[^.?:\"]){3,90},": "if, for",
}
SUFFIXES = {".py", ".md", ".toml", ".cff", ".yaml", ".yml", ""}
# This list itself.
LEFT_OUT = {"tests/test_language.py"}


def tracked_files() -> Iterator[Path]:
    """Yield text files of the checkout that people read; no records and no data."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in SUFFIXES and name not in LEFT_OUT and path.is_file():
            yield path


def find_words(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield (line number, what was found, what to write instead); line breaks count as spaces."""
    for pattern, instead in INSTEAD.items():
        words = pattern.replace(" ", r"[\s#]+")
        for match in re.finditer(rf"(?<![\w-])(?:{words})(?![\w-])", text, re.IGNORECASE):
            yield text.count("\n", 0, match.start()) + 1, match[0], instead
    for pattern, instead in BEGINNINGS.items():
        for match in re.finditer(pattern, text):
            yield text.count("\n", 0, match.end() - 1) + 1, match[0], instead


def places() -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line}: {' '.join(found.split())!r}: {instead}"
        for path in tracked_files()
        for line, found, instead in find_words(path.read_text(encoding="utf-8"))
    ]


def test_the_words_are_found_across_lines():
    text = "# There are so\n# many of them, and Keeper keeps them."
    assert [(line, found) for line, found, _ in find_words(text)] == [
        (1, "so\n# many"),
        (2, "Keeper"),
    ]


def test_beginnings_are_found():
    text = "Rows. Of these, some\n# Where rows are few, none are held out."
    assert [line for line, _, _ in find_words(text)] == [1, 2]


def test_ordinary_english_is_left_alone():
    text = "# A lesson: two of many rows.\n# Where a line lives. A turning-point, of course."
    assert list(find_words(text)) == []


def test_plain_english_everywhere():
    assert places() == []


if __name__ == "__main__":
    print("\n".join(places()))
