"""The cost model and its calibration."""

from __future__ import annotations

import pytest

from kk3fast.calibration import K1, K1_US, K2, K2_US, MODEL
from kk3fast.cost import CostModel, Work, calibrate


def test_the_calibration_gives_back_the_published_times() -> None:
    assert MODEL.predict_us(K1) == pytest.approx(K1_US)
    assert MODEL.predict_us(K2) == pytest.approx(K2_US)


def test_its_constants_are_physical() -> None:
    """A bandwidth below the GPU's caches', a hand-off of microseconds."""
    terabytes_a_second = 1e-6 / MODEL.us_per_byte
    assert 3 < terabytes_a_second < 20
    assert 0.5 < MODEL.us_per_handoff < 10


def test_two_launches_fix_the_constants() -> None:
    truth = CostModel(1e-7, 2.0)
    a, b = Work(10**8, 5), Work(10**9, 7)
    found = calibrate(a, truth.predict_us(a), b, truth.predict_us(b))
    assert found.us_per_byte == pytest.approx(truth.us_per_byte)
    assert found.us_per_handoff == pytest.approx(truth.us_per_handoff)


@pytest.mark.parametrize(
    ("second", "us", "message"),
    [(Work(200, 10), 20.0, "same work"), (Work(200, 5), 9.0, "must be positive")],
)
def test_what_cannot_be_solved_is_refused(second: Work, us: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        calibrate(Work(100, 5), 10.0, second, us)


def test_every_byte_outside_lds_counts() -> None:
    names = [f"{k}_{p}" for k in ("load", "store") for p in ("plain", "nt", "device", "system")]
    totals = dict.fromkeys([*names, "lds_load", "mfma"], 3)
    assert Work.of(totals, 4) == Work(24, 4)
