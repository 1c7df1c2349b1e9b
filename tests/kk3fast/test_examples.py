"""The example kernel gives the sums it says, whatever the schedule."""

from __future__ import annotations

import pytest
import torch

from kk3fast import examples
from kk3fast.sim import Schedule

SCHEDULES = [Schedule(), Schedule("reverse", quantum=4), Schedule("random", seed=3, quantum=4)]


@pytest.mark.parametrize("schedule", SCHEDULES, ids=["forward", "reverse", "random"])
def test_every_workgroup_adds_its_share(schedule: Schedule) -> None:
    groups = 6
    result, out, stamps = examples.simulate_relay(examples.relay(groups), groups, schedule)
    want = torch.arange(1, groups + 1).cumsum(0).int()
    assert torch.equal(out, want[:, None].expand(groups, examples.LANES))
    assert result.longest_chain == groups - 1
    began, received, sent = stamps.T
    assert (began <= received).all()
    assert (received <= sent).all()
    assert (received[1:] >= sent[:-1]).all()


def test_waiting_shows_where_the_last_runs_first() -> None:
    _, _, stamps = examples.simulate_relay(examples.relay(6), 6, SCHEDULES[1])
    assert stamps[-1, 1] > stamps[-1, 0]
