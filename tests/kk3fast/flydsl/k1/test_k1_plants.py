"""Every test-only defect of K1 is seen by the sanitizer, a schedule or a value."""

import pytest
from kk3fast_flydsl_cases import case_of, complaints, verified

from kk3fast.flydsl.k1 import K1Build

CASE = {"rows": 4, "query_rows": 2, "tp": 1, "size": "small"}
SEEN_BY = {
    "x_not_announced": "sanitizer",
    "x_not_drained": "sanitizer",
    "x_wrong_scope": "sanitizer",
    "proj_stale_tag": "waits_and_alarms",
    "norm_before_exchange": "gated_norm.core",
    "missing_barrier": "faults: uninitialised_lds",
}


def test_every_defect_has_its_case():
    assert SEEN_BY.keys() == K1Build.PLANTS.keys()


@pytest.mark.parametrize("plant", K1Build.PLANTS)
def test_a_planted_defect_is_seen(plant):
    found = complaints(verified(case_of("k1", **CASE), workgroups=64, plant=plant))
    assert any(SEEN_BY[plant] in complaint for complaint in found), found


def test_without_a_defect_nothing_is_seen():
    assert not complaints(verified(case_of("k1", **CASE), workgroups=64))
