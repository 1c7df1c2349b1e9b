"""Every test-only defect of the decode is seen by the sanitizer or a value."""

import pytest
from kk3fast_flydsl_cases import case_of, complaints, verified

from kk3fast.flydsl.kda_decode.build import KdaDecodeBuild
from verify.candidates.base import CandidateError

SEEN_BY = {
    "no_barrier": ("sanitizer", "uninitialised_lds"),
    "null_slot": ("conv_state_after", "recurrent_state_after", "null", "slot"),
    "stale_window": ("conv_state_after",),
    "half_norm": ("core",),
    "neighbour_bias": ("core", "recurrent_state_after"),
}


def test_every_defect_has_its_case():
    assert SEEN_BY.keys() == KdaDecodeBuild.PLANTS.keys()


@pytest.mark.parametrize("plant", KdaDecodeBuild.PLANTS)
def test_a_planted_defect_is_seen(plant):
    case = case_of("kda-decode", query_rows=1, padded=1, size="small", family="padded")
    try:
        found = complaints(verified(case, plant=plant))
    except CandidateError as error:  # the simulated run faulted
        found = [str(error)]
    assert any(place in complaint for complaint in found for place in SEEN_BY[plant]), found
