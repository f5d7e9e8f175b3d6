"""A group of one process on real torch.distributed: what it sends, and how it fails."""

from __future__ import annotations

import pytest
import torch
import torch.distributed

from askl.errors import DistributedError
from askl.learning.parallel.process_group import join_process_group

pytestmark = pytest.mark.skipif(
    not torch.distributed.is_gloo_available(), reason="needs torch.distributed with gloo"
)
CPU = torch.device("cpu")


@pytest.fixture
def group(monkeypatch):
    """This process alone, in a group that the program has made itself."""
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield join_process_group(CPU)
    torch.distributed.destroy_process_group()


def test_a_group_that_the_program_has_made_is_joined(group):
    assert group.is_first
    assert tuple(group.shard) == (0, 1)


def test_tensors_are_summed_in_place_and_gathered_as_copies(group):
    tensor = torch.arange(4.0)
    assert group.all_reduce(tensor) is tensor
    assert tensor.tolist() == [0.0, 1.0, 2.0, 3.0]
    (copy,) = group.all_gather(tensor)
    assert torch.equal(copy, tensor)
    assert copy.data_ptr() != tensor.data_ptr()


def test_what_the_first_process_computes_or_raises_is_broadcast(group):
    assert group.broadcast(lambda: {"score": 0.5}) == {"score": 0.5}
    with pytest.raises(ZeroDivisionError):
        group.broadcast(lambda: 1 / 0)


def test_an_error_that_cannot_be_pickled_becomes_its_message(group):
    class LocalError(Exception):
        pass

    def fail():
        raise LocalError("no rows left")

    with pytest.raises(DistributedError, match="LocalError: no rows left"):
        group.broadcast(fail)


@pytest.mark.parametrize("operation", ["all_reduce", "all_gather", "broadcast_object_list"])
def test_a_lost_connection_is_explained(operation, group, monkeypatch, caplog):
    def fail(*arguments, **options):
        raise RuntimeError("Connection closed by peer")

    monkeypatch.setattr(torch.distributed, operation, fail)
    communicate = {
        "all_reduce": lambda: group.all_reduce(torch.ones(1)),
        "all_gather": lambda: group.all_gather(torch.ones(1)),
        "broadcast_object_list": lambda: group.broadcast(lambda: 1),
    }[operation]
    with pytest.raises(DistributedError, match="Another process of the distributed fit has ended"):
        communicate()
    assert "Another process" in caplog.text


def test_without_processes_the_remedy_is_named(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(DistributedError, match=r"RANK is not set.*torchrun --nproc-per-node=2"):
        join_process_group(CPU)
