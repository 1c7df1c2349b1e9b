from dataclasses import replace

import pytest
import torch
from kk3fast_flydsl_cases import (
    SCHEDULES,
    Launched,
    bits,
    builds_of,
    case_of,
    complaints,
    differing,
    verified,
    with_inputs,
)

from kk3fast.flydsl.build import BuildError
from kk3fast.flydsl.k2 import K2Build
from kk3fast.flydsl.k2.layer import K2Layer
from kk3fast.flydsl.layout import total_bytes
from kk3fast.flydsl.run import simulated
from kk3fast.flydsl.run.layer import UnsupportedStep
from kk3fast.flydsl.run.memory import StepMemory
from kk3fast.sim import Kill, Schedule
from verify.run import output_storage

SMALL = {"rows": 2, "query_rows": 1, "tp": 2}
TAPS = {
    "o_partial", "x", "logits", "ids", "pick_weights", "lat", "lat_codes", "lat_scales",
    "h_codes", "h_scales", "moe_partial", "ln", "gu", "sh", "final", "out", "prefix_after",
}  # fmt: skip


@pytest.mark.parametrize("family", ["normal", "ties", "saturating", "cancelling-ranks"])
def test_every_stage_passes_sanitized(family):
    record = verified(case_of("k2", **SMALL, family=family), workgroups=24)
    assert not complaints(record)
    assert record.verdict.value == "pass"
    assert {o.output for s in record.stages for o in s.outputs} >= TAPS


def test_eight_ranks_on_a_layer_whose_prefix_restarts_and_whose_experts_are_shared():
    """8 rows pick 4 of 32 experts: nearly every expert is picked by several rows."""
    case = case_of("k2", rows=8, query_rows=1, tp=8, writes_block=True)
    assert builds_of(case)[0].reset
    assert not complaints(verified(case, workgroups=33))


def test_schedules_and_further_steps_do_not_move_a_bit():
    case = case_of("k2", **SMALL)
    first = Launched(case, workgroups=24)
    for schedule in SCHEDULES[1:]:
        again = Launched(case, schedule, workgroups=24, memory=first.memory)
        assert not differing(first, again)
        assert not again.problems
    assert not [n for n in ("out", "prefix_after") if not torch.equal(*(t[n] for t in first.taps))]


@pytest.mark.parametrize("schedule", SCHEDULES[1:3], ids=lambda s: s.describe())
def test_two_layers_of_a_step_share_their_mailboxes(schedule):
    """The second launch pushes into regions that other ranks may still be reading for the first."""
    cases = [case_of("k2", **SMALL, index=index) for index in (9, 10)]
    apart = [Launched(case, workgroups=24).taps for case in cases]
    launches, buffers = [], []
    for case in cases:
        storage = [output_storage(case, rank) for rank in case.ranks]
        buffers.append([{name: g.tensor for name, g in named.items()} for named in storage])
        options = {"workgroups": 24}
        launches += K2Layer().launches(case.contexts, case.inputs, buffers[-1], options)
    memory = StepMemory.for_builds([launch.build for launch in launches], 2)
    memory.begin_step()
    late = replace(schedule, delays={1: 20_000})
    run = simulated.run(launches, memory, schedule=late, sanitize=True, isa=False)
    assert not run.result.findings
    for found, expected in zip(buffers, apart, strict=True):
        for mine, wanted in zip(found, expected, strict=True):
            assert torch.equal(bits(mine["out"]), bits(wanted["out"]))


def test_the_chain_has_eight_hand_offs():
    assert Launched(case_of("k2", **SMALL), workgroups=24).result.longest_chain == 8


def test_a_nan_stays_in_its_row():
    case = case_of("k2", **SMALL)
    core = case.inputs[0]["core"].clone()
    core[1, 3] = float("nan")
    run = Launched(with_inputs(case, core=core), workgroups=24)
    assert not run.problems
    for taps in run.taps:
        assert taps["out"][1].isnan().all()
        assert taps["out"][0].isfinite().all()


def test_a_stalled_workgroup_ends_every_launch_of_every_rank_and_is_named():
    case = case_of("k2", **SMALL)
    run = Launched(case, Schedule(kills=(Kill(rank=1, block=2),)), workgroups=24)
    assert run.memory.failed() == [0, 1]  # rank 0 waits for what rank 1 does not push
    assert run.memory.alarms() == [0, 1]
    assert any("rank 0, workgroup 0: waited in vain for attention[" in p for p in run.problems)


def test_every_width_has_the_same_peer_buffer():
    sizes = {
        total_bytes(build.peer())
        for rows in (1, 2, 4, 8)
        for build in builds_of(case_of("k2", rows=rows, query_rows=1))
    }
    assert len(sizes) == 1


def test_a_build_refuses_what_does_not_fit_with_every_reason():
    fitting = dict(builds_of(case_of("k2", **SMALL))[0].parameters())
    with pytest.raises(BuildError) as caught:
        K2Build(**fitting | {"rows": 9, "latent": 100, "picks": 20, "routed": 48, "plant": "x"})
    for reason in (
        "rows must be 1 to 8, got 9",
        "latent must be a multiple of 128, got 100",
        "picks must be at most 16, got 20",
        "routed must be a multiple of 32, got 48",
        "plant must be one of",
    ):
        assert reason in str(caught.value)


def test_a_step_without_all_its_ranks_is_refused():
    case = case_of("k2", **SMALL)
    with pytest.raises(UnsupportedStep, match="all of at most 8 ranks must run, got 1 of 2"):
        K2Layer().launches(case.contexts[:1], case.inputs[:1], [{}], {})
