"""Mutated model files: random damage, and forgeries with the right checksum."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

_START = b'{"__metadata__":{"askl":"{\\"checksum\\":\\"'
_CHECKSUM = slice(8 + len(_START), 8 + len(_START) + 64)
_JUNK: list[Any] = [
    *(None, True, 0, -1, 1, 2**31, 2**63, 10**400, 1e308, -0.5),
    *("", "nan", "weights_", "|O8", "<U9"),
    *([], {}, [[]], [0, 0], {"tuple": []}, {"float": "x"}, {"object": ["Pipeline", {"steps": []}]}),
    *({"dict": [[[], 1]]}, {"slice": [1, 2, 3, 4]}, {"dtype": "<f8"}, {"type": "builtins.object"}),
    *({"device": "nowhere"}, {"random_state": {"tuple": ["MT19937", [1], 0, 0, 0.0]}}, "\ud800"),
    *({"scalar": ["<M8[s]", 2**70]}, {"array": {"items": [1, 2], "shape": [2**40, 2**40]}}),
    *({"records": ["Progress", [[1], [2]]]}, {"record": ["Scaling", ["quantile", {"dict": []}]]}),
]


class Mutation(NamedTuple):
    """A mutated file, the name of the mutation, and whether the checksum is right."""

    name: str
    content: bytes
    sealed: bool


def seal(content: bytes) -> bytes:
    """Write the right checksum into a file."""
    changed = bytearray(content)
    if len(changed) >= _CHECKSUM.stop:
        changed[_CHECKSUM] = b"0" * 64
        changed[_CHECKSUM] = sha256(changed).hexdigest().encode()
    return bytes(changed)


def edited_table(content: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """Change the outer header, which holds the text of the inner one and the table of tensors."""
    (length,) = struct.unpack("<Q", content[:8])
    table = change(json.loads(content[8 : 8 + length]))
    text = json.dumps(table, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return seal(struct.pack("<Q", len(text)) + text + content[8 + length :])


def edited(content: bytes, change: Callable[[str], str]) -> bytes:
    """Change the text of the inner header."""

    def apply(table: dict[str, Any]) -> dict[str, Any]:
        table["__metadata__"]["askl"] = change(table["__metadata__"]["askl"])
        return table

    return edited_table(content, apply)


def sealed(content: bytes, change: Callable[[Any], Any]) -> bytes:
    """Change the values of the inner header."""
    return edited(content, lambda text: json.dumps(change(json.loads(text)), separators=(",", ":")))


def mutations(content: bytes, *, count: int, seed: int) -> Iterator[Mutation]:
    """Yield mutated files, with all mutations in turn."""
    rng = random.Random(seed)
    ways = [*_DAMAGES, *_FORGERIES]
    for number in range(count):
        mutate = ways[number % len(ways)]
        changed = mutate(content, rng)
        while changed == content:
            changed = mutate(content, rng)
        yield Mutation(mutate.__name__.lstrip("_"), changed, mutate in _FORGERIES)


def _flip_bits(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 8])):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _change_bytes(content: bytes, rng: random.Random) -> bytes:
    changed, start = bytearray(content), rng.randrange(len(content))
    for position in range(start, min(start + rng.choice([1, 4, 64]), len(content))):
        changed[position] = rng.randrange(256)
    return bytes(changed)


def _truncate(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content))]


def _insert(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.randbytes(rng.choice([1, 8, 100])) + content[place:]


def _remove(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content))
    return content[:place] + content[place + rng.choice([1, 8, 100]) :]


def _change_length(content: bytes, rng: random.Random) -> bytes:
    length = rng.choice([0, 1, len(content), len(content) - 8, 2**31, 2**63, rng.randrange(2**64)])
    return struct.pack("<Q", length) + content[8:]


def _forge_bits(content: bytes, rng: random.Random) -> bytes:
    return seal(_flip_bits(content, rng))


def _forge_bytes(content: bytes, rng: random.Random) -> bytes:
    return seal(rng.choice([_change_bytes, _truncate, _insert, _remove])(content, rng))


def _forge_values(content: bytes, rng: random.Random) -> bytes:
    return sealed(content, lambda header: _change_node(header, rng))


def _forge_table(content: bytes, rng: random.Random) -> bytes:
    return edited_table(content, lambda table: _change_node(table, rng))


def _nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the parent and the key of every value inside a value."""
    items: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield value, key
        if isinstance(item, (dict, list)):
            yield from _nodes(item)


def _change_node(value: Any, rng: random.Random) -> Any:
    """Replace, remove, rename or copy a few values anywhere inside a value."""
    for _ in range(rng.choice([1, 1, 3])):
        nodes = list(_nodes(value))
        parent, key = rng.choice(nodes)
        other, other_key = rng.choice(nodes)
        action = rng.choice(["junk", "junk", "copy", "remove", "rename"])
        if action == "remove":
            del parent[key]
        elif action == "rename" and isinstance(parent, dict):
            parent[rng.choice([*map(str, _JUNK[:15]), "tuple", "object"])] = parent.pop(key)
        elif action == "copy":
            parent[key] = json.loads(json.dumps(other[other_key]))
        else:
            parent[key] = rng.choice(_JUNK)
    return value


_DAMAGES = [_flip_bits, _change_bytes, _truncate, _insert, _remove, _change_length]
_FORGERIES = [_forge_bits, _forge_bytes, _forge_values, _forge_values, _forge_table]
