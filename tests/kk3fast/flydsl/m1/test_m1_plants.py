"""Every test-only defect of M1's kernels is seen by the sanitizer, a wait or a value."""

import pytest
from kk3fast_flydsl_cases import case_of, complaints, verified

from kk3fast.flydsl.m1a import M1aBuild
from kk3fast.flydsl.m1b import M1bBuild
from kk3fast.flydsl.m1c import M1cBuild
from kk3ref.stages import LayerOptions
from verify.candidates.base import CandidateError

CASE = {"rows": 4, "query_rows": 2, "tp": 1, "size": "small"}
SCALED = {"options": LayerOptions(kv_scale=0.25)}
MXFP4 = {"options": LayerOptions(absorb_format="mxfp4")}
PADDED = {"padded": 1, "family": "padded"}
SEEN_BY = {
    "x_not_drained": ("sanitizer", {}),
    "proj_stale_tag": ("waits_and_alarms", {}),
    "q_c_missing_barrier": ("uninitialised_lds", {}),
    "cache_scale_skipped": ("cache_write.kv_cache_after", SCALED),
    "null_page_written": ("untouched_slots", PADDED),
    "partials_not_drained": ("sanitizer", {}),
    "scores_missing_barrier": ("lds", {}),
    "causal_off_by_one": ("attend.o_lat", {}),
    "kv_scale_skipped": ("attend.o_lat", SCALED),
    "sums_missing_barrier": ("uninitialised_lds", {}),
    "gate_without_sigmoid": ("output_gate.core", {}),
    "last_depth_step_skipped": ("v_up.attn", {}),
    "scale_byte_off": ("v_up.attn", MXFP4),
}
"""what sees a defect, and on which case"""
ON_FURTHER_CONTEXTS = {"offset_32_bits", "one_split_more"}
"""seen in test_m1c_contexts"""
BUILD = {"workgroups": 64, "split_tiles": 1}


def test_every_defect_has_its_case():
    plants = M1aBuild.PLANTS.keys() | M1bBuild.PLANTS.keys() | M1cBuild.PLANTS.keys()
    assert SEEN_BY.keys() | ON_FURTHER_CONTEXTS == plants


@pytest.mark.parametrize("plant", SEEN_BY)
def test_a_planted_defect_is_seen(plant):
    place, changed = SEEN_BY[plant]
    try:
        found = complaints(verified(case_of("m1", **CASE | changed), plant=plant, **BUILD))
    except CandidateError as error:  # the simulated run faulted
        found = [str(error)]
    assert any(place in complaint for complaint in found), found


@pytest.mark.parametrize("changed", [{}, SCALED, MXFP4, PADDED], ids=["", "kv", "mxfp4", "padded"])
def test_without_a_defect_nothing_is_seen(changed):
    assert not complaints(verified(case_of("m1", **CASE | changed), **BUILD))
