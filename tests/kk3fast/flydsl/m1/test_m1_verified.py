import pytest
import torch
from kk3fast_flydsl_cases import SCHEDULES, Launched, case_of, complaints, differing, verified

from kk3fast.flydsl.layers import FUSED
from kk3fast.flydsl.run.layer import UnsupportedStep
from kk3fast.sim import Kill, Schedule
from kk3ref.stages import LayerOptions
from verify.run import output_storage

EVERY_TAP = {
    *("prefix_after", "x", "proj_a", "q_c_normed", "kv_normed", "q", "q_lat", "query"),
    *("kv_cache_after", "o_lat", "attn", "core"),
}
SMALL_SPLITS = {"workgroups": 16, "split_tiles": 1, "max_splits": 16}


def outputs(record):
    return {o.output for s in record.stages for o in s.outputs if o.verdict.value == "pass"}


@pytest.mark.parametrize(
    ("rows", "query_rows"), [(1, 1), (2, 1), (4, 4), (6, 3), (8, 8), (8, 2), (8, 1)], ids=str
)
def test_every_stage_passes_sanitized(rows, query_rows):
    record = verified(case_of("m1", rows=rows, query_rows=query_rows, tp=2), **SMALL_SPLITS)
    assert not complaints(record)
    assert record.verdict.value == "pass"
    assert outputs(record) >= EVERY_TAP


@pytest.mark.parametrize("tp", [1, 4, 8])
def test_tensor_parallel_sizes(tp):
    assert not complaints(verified(case_of("m1", tp=tp, rows=8, query_rows=4), workgroups=24))


@pytest.mark.parametrize(
    "options",
    [
        LayerOptions(kv_dtype="bf16"),
        LayerOptions(fp8_query=False),
        LayerOptions(kv_scale=0.25, query_scale=0.5),
        LayerOptions(kv_scale=0.3, query_scale=0.07),
        LayerOptions(absorb_format="mxfp4"),
        LayerOptions(page_size=8),
        LayerOptions(page_size=64),
        LayerOptions(page_size=24, kv_scale=0.25, absorb_format="mxfp4"),
    ],
    ids=lambda o: f"{o.kv_dtype}-{o.query_dtype}-{o.kv_scale}-{o.absorb_format}-{o.page_size}",
)
def test_options_of_a_deployment(options):
    case = case_of("m1", rows=6, query_rows=3, options=options)
    record = verified(case, **SMALL_SPLITS)
    assert not complaints(record)
    codes = {"q_codes", "q_scales", "o_codes", "o_scales"}
    assert outputs(record) >= EVERY_TAP | (codes if options.absorb_format == "mxfp4" else set())


def test_groups_of_queries():
    """128 queries of a request are more than a workgroup holds: two groups read the context."""
    case = case_of("m1", size="small", tp=1, rows=8, query_rows=8)
    assert not complaints(verified(case, workgroups=32))


@pytest.mark.parametrize("family", ["padded", "heavy-tails", "saturating", "tiny"])
def test_input_families(family):
    case = case_of("m1", rows=6, query_rows=2, family=family, padded=int(family == "padded"))
    assert not complaints(verified(case, **SMALL_SPLITS))


@pytest.mark.parametrize("schedule", SCHEDULES[1:], ids=lambda s: s.describe())
def test_schedules_do_not_move_a_bit(schedule):
    case = case_of("m1", rows=4, query_rows=2, tp=2)
    one, other = (Launched(case, s, **SMALL_SPLITS) for s in (None, schedule))
    assert not differing(one, other)


@pytest.mark.parametrize("workgroups", [1, 5, 40])
def test_any_number_of_workgroups_has_the_same_bits(workgroups):
    case = case_of("m1", rows=4, query_rows=2, tp=2)
    sizes = {"split_tiles": 1}
    one, other = (Launched(case, workgroups=n, **sizes) for n in (workgroups, 16))
    assert not differing(one, other)


def test_the_chain_of_hand_offs_is_x_the_projection_the_query_and_the_splits():
    """Three in M1a, one in M1c; M1b has none."""
    case = case_of("m1", size="small", tp=8)
    result = Launched(case, workgroups=64).result
    assert [int(x.depth.max()) for x in result.launches if x.rank == 0] == [3, 1, 0]
    assert result.longest_chain == 4


def test_a_stalled_workgroup_ends_every_launch_and_is_named():
    case = case_of("m1", tp=2)
    run = Launched(case, Schedule(kills=(Kill(rank=1, block=2),)), **SMALL_SPLITS)
    assert run.memory.failed() == [1]
    assert run.memory.alarms() == [1]
    assert [p for p in run.problems if "waited in vain for x_ready[2]" in p]
    assert all("rank 1" in p for p in run.problems)


def test_what_it_does_not_serve_is_named_all_at_once():
    case = case_of("m1", options=LayerOptions(kv_dtype="fp8_e4m3fnuz", dcp=2))
    with pytest.raises(UnsupportedStep) as caught:
        Launched(case)
    assert "fp8_e4m3fnuz" in str(caught.value)
    assert "dcp must be 1, got 2" in str(caught.value)


def test_a_cache_whose_rows_are_apart_is_refused():
    case = case_of("m1")
    buffers = [{n: g.tensor for n, g in output_storage(case, rank).items()} for rank in case.ranks]
    pool = buffers[0]["kv_cache_after"]
    apart = torch.zeros(*pool.shape[:2], 2 * pool.shape[2], dtype=pool.dtype)
    buffers[0]["kv_cache_after"] = apart[..., : pool.shape[2]]
    with pytest.raises(UnsupportedStep, match="contiguous inside"):
        FUSED["m1"].launches(case.contexts, case.inputs, buffers, {})
