"""Every class of defect the sanitizer knows: planted it is caught, its correct twin is silent."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("kk3fast.compile")
import kk3fast_sim_kernels as kernels
from kk3fast_sim_kernels import DEVICE, PLAIN, SYSTEM

from kk3fast.sim import Result, Schedule, Simulator

SCHEDULES = [Schedule(), Schedule("random", seed=5)]


def run(
    text: str, *, ranks: bool = False, schedule: Schedule | None = None, blocks: int = 2
) -> tuple[Result, torch.Tensor]:
    data, flags, out = (torch.zeros(1024, dtype=torch.int32) for _ in range(3))
    sim = Simulator(schedule, sanitize=True)
    regions = [sim.region(n, t) for n, t in (("data", data), ("flags", flags), ("out", out))]
    for rank in range(2 if ranks else 1):
        sim.launch(text, (1 if ranks else blocks,), [*regions, 0, rank], rank=rank)
    return sim.run(raise_on_fault=False, timeout_s=60), out


def kinds(result: Result) -> set[str]:
    return {f.kind for f in result.findings}


@pytest.mark.parametrize(
    "schedule", [*SCHEDULES, Schedule("reverse")], ids=["forward", "random", "reverse"]
)
@pytest.mark.parametrize("ranks", [False, True], ids=["workgroups", "ranks"])
def test_correct_flag_handoff_is_silent(ranks: bool, schedule: Schedule) -> None:
    scope = SYSTEM if ranks else DEVICE
    text = kernels.flag_handoff(store=scope, flag=scope, poll=scope, load=scope, ranks=ranks)
    result, out = run(text, ranks=ranks, schedule=schedule)
    assert kinds(result) == set()
    assert torch.equal(out[:512], torch.arange(1, 513, dtype=torch.int32))


def test_correct_mailbox_needs_no_drain() -> None:
    result, _ = run(kernels.mailbox_handoff())
    assert kinds(result) == set()
    result, _ = run(kernels.mailbox_handoff(split=True))
    assert kinds(result) == {"flag_overtakes_data"}  # the value is another load's


PLANTED = {
    "no_wait": ({"wait": False}, "unordered_read"),
    "plain_read_without_wait": ({"wait": False, "load": PLAIN}, "unordered_read"),
    "no_drain": ({"drain": False}, "flag_overtakes_data"),
    "plain_data_load": ({"load": PLAIN}, "wrong_scope_load"),
    "plain_poll": ({"poll": PLAIN}, "wrong_scope_load"),
    "plain_data_store": ({"store": PLAIN}, "wrong_scope_store"),
    "plain_flag_store": ({"flag": PLAIN}, "wrong_scope_store"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_defect_between_workgroups(name: str) -> None:
    changes, kind = PLANTED[name]
    schedule = Schedule("random", seed=11) if "wait" not in changes else Schedule()
    result, _ = run(kernels.flag_handoff(**changes), schedule=schedule)
    assert kinds(result) == {kind}
    (found,) = result.of_kind(kind)
    assert found.where.frames
    assert found.other is not None
    assert found.other.frames
    assert found.where != found.other
    assert "kk3fast_sim_kernels" in str(found)
    assert schedule.describe() in str(found)
    assert "data" in found.address or "flags" in found.address


def test_device_scope_does_not_reach_another_rank() -> None:
    text = kernels.flag_handoff(store=SYSTEM, flag=DEVICE, poll=SYSTEM, load=SYSTEM, ranks=True)
    assert kinds(run(text, ranks=True)[0]) == {"wrong_scope_store"}
    text = kernels.flag_handoff(store=SYSTEM, flag=SYSTEM, poll=SYSTEM, load=DEVICE, ranks=True)
    assert kinds(run(text, ranks=True)[0]) == {"wrong_scope_load"}


def test_agent_fences_make_plain_data_reach_another_xcd() -> None:
    for schedule in (Schedule(), Schedule("random", seed=3)):
        text = kernels.flag_handoff(store=PLAIN, load=PLAIN, drain=False, fences=True)
        assert kinds(run(text, schedule=schedule)[0]) == set()


def test_line_the_readers_cache_already_held_is_stale() -> None:
    """In reverse order block 1 reads first, so that its L2 holds the old line."""
    text = kernels.flag_handoff(load=PLAIN, peek=True)
    assert kinds(run(text, schedule=Schedule("reverse"))[0]) == {"stale_line"}
    text = kernels.flag_handoff(load=DEVICE, peek=True)
    assert kinds(run(text, schedule=Schedule("reverse"))[0]) == set()


@pytest.mark.parametrize(
    ("reader", "found"), [(1, {"wrong_scope_store", "wrong_scope_load"}), (8, set())]
)
def test_workgroups_of_one_xcd_share_its_cache(reader: int, found: set[str]) -> None:
    """Blocks 0 and 8 are on one XCD, blocks 0 and 1 are not."""
    text = kernels.flag_handoff(store=PLAIN, load=PLAIN, reader=reader)
    assert kinds(run(text, blocks=9)[0]) == found


@pytest.mark.parametrize("schedule", SCHEDULES, ids=["forward", "random"])
def test_lds_race(schedule: Schedule) -> None:
    result, _ = run(kernels.lds_exchange(barrier=False), blocks=1, schedule=schedule)
    assert kinds(result) == {"lds_race"}
    assert run(kernels.lds_exchange(barrier=True), blocks=1, schedule=schedule)[0].findings == []


def test_waves_may_store_the_same_value_to_lds() -> None:
    assert run(kernels.lds_marks(alike=True), blocks=1)[0].findings == []
    assert kinds(run(kernels.lds_marks(alike=False), blocks=1)[0]) == {"lds_race"}


def test_slot_reused_before_its_reader_is_done() -> None:
    result, out = run(kernels.reused_slot(acknowledged=True), ranks=True)
    assert result.findings == []
    assert torch.equal(out[:64], torch.arange(64, dtype=torch.int32) * 2 + 102)
    result, _ = run(kernels.reused_slot(acknowledged=False), ranks=True)
    assert "slot_reused" in kinds(result)


def test_findings_are_not_faults() -> None:
    text = kernels.flag_handoff(drain=False)
    data, flags, out = (torch.zeros(1024, dtype=torch.int32) for _ in range(3))
    sim = Simulator(Schedule("random", seed=11), sanitize=True)
    sim.launch(
        text,
        (2,),
        [sim.region("data", data), sim.region("flags", flags), sim.region("out", out), 0, 0],
    )
    result = sim.run()  # raises for faults only
    assert [f.fatal for f in result.findings] == [False]
