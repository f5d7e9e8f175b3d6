"""Dividing work between independent processes and machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class ShardError(ValueError):
    """A shard is not written as it must be."""


def take_shard(items: Sequence[Item], shard: str) -> list[Item]:
    """Take part ``i/n`` of a list, i from 0; n processes with their own i share it all.

    Examples
    --------
    >>> take_shard(["a", "b", "c"], "0/2")
    ['a', 'c']
    """
    index, _, count = shard.partition("/")
    if not (index.isdigit() and count.isdigit() and int(index) < int(count)):
        raise ShardError(
            f"The 'shard' parameter must be i/n with 0 <= i < n. Got {shard!r} instead. "
            "For instance, 0/2 and 1/2 divide the work between two processes."
        )
    return list(items[int(index) :: int(count)])
