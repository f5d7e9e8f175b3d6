"""Shards divide work without loss."""

from __future__ import annotations

import pytest

from studies.shards import ShardError, take_shard


@pytest.mark.parametrize("count", [1, 3, 5, 20])
def test_shards_are_a_partition(count: int) -> None:
    items = list(range(11))
    parts = [take_shard(items, f"{index}/{count}") for index in range(count)]
    assert sorted(item for part in parts for item in part) == items
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("shard", ["2/2", "1", "a/b", "-1/2", "0/0"])
def test_a_wrong_shard_is_refused(shard: str) -> None:
    with pytest.raises(ShardError, match="must be i/n"):
        take_shard([], shard)
