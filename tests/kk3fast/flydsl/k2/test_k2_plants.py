"""Every test-only defect of K2 is seen by the sanitizer or a value."""

import pytest
from kk3fast_flydsl_cases import case_of, complaints, verified

from kk3fast.flydsl.k2 import K2Build

CASE = {"rows": 2, "query_rows": 1, "tp": 2}
SEEN_BY = {
    "x_not_drained": "sanitizer",
    "partial_wrong_scope": "sanitizer",
    "own_partial_only": "latent_norm.ln",
    "next_picks_weight": "experts_down.moe_partial",
    "missing_barrier": "faults: uninitialised_lds",
}


def test_every_defect_has_its_case():
    assert SEEN_BY.keys() == K2Build.PLANTS.keys()


@pytest.mark.parametrize("plant", K2Build.PLANTS)
def test_a_planted_defect_is_seen(plant):
    found = complaints(verified(case_of("k2", **CASE), workgroups=24, plant=plant))
    assert any(SEEN_BY[plant] in complaint for complaint in found), found
