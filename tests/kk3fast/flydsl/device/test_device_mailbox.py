from itertools import pairwise

import flydsl.expr as fx
import pytest
import torch
from flydsl.expr import const_expr
from kk3fast_flydsl_cases import builds_of, case_of
from kk3fast_flydsl_run import compiled, run, words

from kk3fast.flydsl import geometry
from kk3fast.flydsl.device import mailbox, memory
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.layout import PLAIN_AREA, Region, lay_out, shifted, total_bytes
from kk3fast.sim import Schedule, Simulator
from kk3fast.sim.schedule import Kill

EPOCH, SLOT = 5, 3
SCHEDULES = [Schedule(), Schedule("reverse"), *(Schedule("random", seed=s) for s in range(3))]


def regions():
    return lay_out({"first": 64, "values": 1024, "ready": 4}, {"rows": 4 * 2048})


def passed_on(*, announced, wait=True):
    """Workgroup 1 hands 1024 words to workgroup 0, by pairs or announced as a whole."""
    layout = regions()

    @traced
    def stage(scratch, out, epoch, health, alarm, f, slot):
        tid = fx.Int32(fx.thread_idx.x)
        mail = mailbox.open_mail(epoch, slot, health, alarm)
        values = mailbox.scratch_box(scratch, layout["values"])
        ready = mailbox.scratch_box(scratch, layout["ready"])
        rows = scratch + layout["rows"].offset
        if fx.block_idx.x == 1:
            if const_expr(announced):
                word = fx.Vector.from_elements([tid + 1, tid + 513], fx.Int32)
                memory.store(rows, tid * 2, word, memory.DEVICE)
                mailbox.announce(mail, ready, 2)
            else:
                mailbox.put(mail, values, tid * 2, tid + 1, tid + 513)
        if fx.block_idx.x == 0:
            if const_expr(announced):
                if const_expr(wait):
                    mailbox.await_all(mail, ready, 1, tid % 64, first=2)
                found = memory.load(rows, tid * 2, 2, memory.DEVICE)
                memory.store(out, tid * 2, found)
            else:
                a, b = mailbox.poll(mail, values, [tid * 2, tid * 2 + 1])
                memory.store(out, tid * 2, fx.Vector.from_elements([a, b], fx.Int32))

    return stage


def memory_of(layout, workgroups=2):
    health = words(geometry.health_words(workgroups))
    return words(total_bytes(layout) // 4), words(512, 2), torch.tensor([EPOCH, 0]).int(), health


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda s: s.describe())
@pytest.mark.parametrize("announced", [False, True], ids=["pairs", "announced"])
def test_values_arrive_under_every_schedule(announced, schedule):
    scratch, out, epoch, health = memory_of(regions())
    result = run(
        passed_on(announced=announced), scratch, out, epoch, health, words(4),
        workgroups=2, number=SLOT, schedule=schedule,
    )  # fmt: skip
    expected = torch.stack([torch.arange(512) + 1, torch.arange(512) + 513], 1)
    assert torch.equal(out, expected.int())
    assert result.longest_chain == 1
    assert not health.any()


def test_every_pair_carries_the_tag_of_its_launch():
    layout = regions()
    scratch, out, epoch, health = memory_of(layout)
    run(
        passed_on(announced=False), scratch, out, epoch, health, words(4), workgroups=2, number=SLOT
    )
    at = layout["values"].offset // 4
    tags = scratch[at : at + 2048].view(-1, 2)[:, 1]
    assert (tags == geometry.launch_tag(EPOCH, SLOT)).all()


def test_a_missing_announcement_is_a_race():
    scratch, out, epoch, health = memory_of(regions())
    with pytest.raises(AssertionError, match="unordered_read"):
        run(
            passed_on(announced=True, wait=False), scratch, out, epoch, health, words(4),
            workgroups=2, number=SLOT, schedule=Schedule("reverse"),
        )  # fmt: skip


def given_up(layout, killed, stage, number=SLOT, workgroups=2):
    scratch, out, epoch, health = memory_of(layout, workgroups)
    alarm = words(4)
    kernel = compiled(stage, workgroups)
    sim = Simulator(Schedule(kills=(killed,)))
    tensors = (scratch, out, epoch, health, alarm)
    sim.launch(
        kernel,
        (workgroups, 1, 1),
        [*(sim.region(f"t{i}", t) for i, t in enumerate(tensors)), 0, number],
    )
    result = sim.run()
    return health, alarm, result


def test_a_wait_gives_up_and_names_the_pair_that_was_stale():
    layout = regions()
    health, alarm, result = given_up(layout, Kill(rank=0, block=1), passed_on(announced=True))
    assert 10.0 <= result.virtual_seconds < 11.0
    record = health[geometry.HEALTH_HEADER_WORDS :][: geometry.RECORD_WORDS].tolist()
    tag = geometry.launch_tag(EPOCH, SLOT)
    assert record[:6] == [1, layout["ready"].number, 2, tag, 0, 0]
    assert health[geometry.FAILED_WORD] == 1
    assert alarm[0] == 1


def some_missing():
    """Workgroup 1 fills all pairs but 37; a wave of workgroup 0 polls twelve pairs a lane."""
    layout = regions()

    @traced
    def stage(scratch, out, epoch, health, alarm, f, slot):
        tid = fx.Int32(fx.thread_idx.x)
        mail = mailbox.open_mail(epoch, slot, health, alarm)
        box = mailbox.scratch_box(scratch, layout["first"])
        if (fx.block_idx.x == 1) & (tid < 64) & (tid != 37):
            mailbox.put(mail, box, tid, tid)
        if (fx.block_idx.x == 0) & (tid < 5):
            mailbox.poll(mail, box, [tid * 12 + i for i in range(12)])

    return stage


def test_the_record_names_the_stale_pair_of_a_batch_not_the_first():
    layout = regions()
    health, _, _ = given_up(layout, Kill(rank=7), some_missing())
    record = health[geometry.HEALTH_HEADER_WORDS :][: geometry.RECORD_WORDS].tolist()
    assert record[1:3] == [layout["first"].number, 37]


def one_lane_waits():
    """Lane 5 of workgroup 0 alone polls a pair that never comes."""
    layout = regions()

    @traced
    def stage(scratch, out, epoch, health, alarm, f, slot):
        tid = fx.Int32(fx.thread_idx.x)
        mail = mailbox.open_mail(epoch, slot, health, alarm)
        if (fx.block_idx.x == 0) & (tid == 5):
            mailbox.poll(mail, mailbox.scratch_box(scratch, layout["first"]), [tid])

    return stage


def test_the_record_is_right_where_the_first_lane_does_not_wait():
    layout = regions()
    health, _, _ = given_up(layout, Kill(rank=7), one_lane_waits())
    record = health[geometry.HEALTH_HEADER_WORDS :][: geometry.RECORD_WORDS].tolist()
    tag = geometry.launch_tag(EPOCH, SLOT)
    assert record[:6] == [1, layout["first"].number, 5, tag, 0, 0]


def test_no_builds_plain_data_can_pass_for_another_builds_tag():
    step = [case_of(kind, rows=2, query_rows=1, tp=1) for kind in ("k1", "k2", "m1")]
    scratch = [b.scratch() for case in step for b in builds_of(case)]
    pairs = [r.offset + r.bytes for regions in scratch for r in regions.values() if r.pairs]
    plain = [r.offset for regions in scratch for r in regions.values() if not r.pairs]
    assert max(pairs) <= min(plain)


def test_pairs_that_reach_into_the_plain_area_are_refused():
    with pytest.raises(ValueError, match="must end before byte"):
        lay_out({"pairs": PLAIN_AREA // 8 + 1})
    with pytest.raises(ValueError, match="must end before byte"):
        shifted(lay_out({"pairs": 1}), PLAIN_AREA)


def test_regions_do_not_overlap():
    layout = regions()
    ends = sorted((r.offset, r.offset + r.bytes) for r in layout.values())
    assert all(a[1] <= b[0] for a, b in pairwise(ends))
    assert layout["rows"] == Region(4, layout["rows"].offset, 8192, False)
