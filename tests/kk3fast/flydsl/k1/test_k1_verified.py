import pytest
from kk3fast_flydsl_cases import SCHEDULES, Launched, case_of, complaints, differing, verified

from kk3fast.sim import Kill, Schedule
from kk3ref.stages import LayerOptions


@pytest.mark.parametrize(
    ("rows", "query_rows"), [(1, 1), (2, 1), (4, 2), (6, 3), (8, 8), (8, 1)], ids=str
)
def test_every_stage_passes_sanitized(rows, query_rows):
    record = verified(case_of("k1", rows=rows, query_rows=query_rows, tp=2), workgroups=16)
    assert not complaints(record)
    assert record.verdict.value == "pass"
    assert {o.output for s in record.stages for o in s.outputs} >= {"x", "proj", "core"}


@pytest.mark.parametrize("tp", [1, 4, 8])
def test_tensor_parallel_sizes(tp):
    assert not complaints(verified(case_of("k1", tp=tp), workgroups=24))


@pytest.mark.parametrize("workgroups", [1, 5, 16, 40])
def test_any_number_of_workgroups_has_the_same_bits_of_state(workgroups):
    """Tasks are dealt otherwise and heads are cut otherwise, the recurrence stays the same."""
    case = case_of("k1", rows=4, query_rows=2, tp=2)
    one, other = Launched(case, workgroups=workgroups), Launched(case, workgroups=32)
    assert not set(differing(one, other)) - {"core"}  # its norm is summed in another order


def test_a_block_write_layer_stores_the_updated_prefix():
    record = verified(case_of("k1", writes_block=True), workgroups=16)
    assert not complaints(record)


def test_the_first_layer_has_no_block():
    record = verified(case_of("k1", index=0), workgroups=16)
    assert not complaints(record)


def test_entries_first_conv_state():
    options = LayerOptions(conv_dim_first=False)
    assert not complaints(verified(case_of("k1", options=options), workgroups=16))


@pytest.mark.parametrize("family", ["padded", "heavy-tails", "saturating", "zero-keys", "slow-decay"])
def test_input_families(family):
    padded = int(family == "padded")
    case = case_of("k1", rows=6, query_rows=2, family=family, padded=padded)
    assert not complaints(verified(case, workgroups=16))


@pytest.mark.parametrize("schedule", SCHEDULES[1:], ids=lambda s: s.describe())
def test_schedules_do_not_move_a_bit(schedule):
    case = case_of("k1", rows=4, query_rows=2, tp=2)
    assert not differing(Launched(case, workgroups=16), Launched(case, schedule, workgroups=16))


def test_the_chain_of_hand_offs_is_x_then_proj_then_the_norm():
    case = case_of("k1", size="small", tp=8)
    assert Launched(case, workgroups=64).result.longest_chain == 3


def test_a_stalled_workgroup_ends_every_launch_and_is_named():
    case = case_of("k1", tp=2)
    schedule = Schedule(kills=(Kill(rank=1, block=2),))
    run = Launched(case, schedule, workgroups=16)
    assert run.memory.failed() == [1]
    assert run.memory.alarms() == [1]
    waits = [p for p in run.problems if "waited in vain for x_ready[2]" in p]
    assert waits
    assert all("rank 1" in p for p in run.problems)
