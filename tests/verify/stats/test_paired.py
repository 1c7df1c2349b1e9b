"""The exact McNemar test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from verify.stats import mcnemar_exact, paired_counts

counts = st.integers(0, 400)


@pytest.mark.parametrize(
    ("b", "c"), [(27, 18), (17, 8), (1, 7), (0, 1), (0, 9), (5, 5), (59, 121), (1000, 900)]
)
def test_agrees_with_statsmodels(b: int, c: int) -> None:
    expected = mcnemar([[10, b], [c, 10]], exact=True).pvalue
    assert mcnemar_exact(b, c).p == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("b", "c", "p"), [(27, 18, 0.2327), (17, 8, 0.1078), (7, 1, 0.0703)])
def test_known_figures(b: int, c: int, p: float) -> None:
    # The last: airway hyper-responsiveness, Fagerland, Lydersen & Laake 2013.
    assert round(mcnemar_exact(b, c).p, 4) == p


def test_no_discordant_pair_is_no_evidence() -> None:
    assert mcnemar_exact(0, 0).p == 1.0


@given(counts, counts)
@settings(deadline=None, derandomize=True)
def test_symmetric_and_a_probability(b: int, c: int) -> None:
    p = mcnemar_exact(b, c).p
    assert p == mcnemar_exact(c, b).p
    assert 0 < p <= 1


@given(st.integers(0, 100), st.integers(0, 99))
@settings(deadline=None, derandomize=True)
def test_more_imbalance_is_more_evidence(total: int, less: int) -> None:
    smaller = min(less, total) // 2
    if smaller:
        stronger = mcnemar_exact(smaller - 1, total - smaller + 1).p
        assert stronger <= mcnemar_exact(smaller, total - smaller).p


def test_counts_from_marks() -> None:
    off = np.array([True, True, False, False, True])
    on = np.array([True, False, True, False, False])
    found = paired_counts(off, on)
    assert (found.b, found.c, found.n) == (2, 1, 5)
    assert found.difference == pytest.approx(-0.2)
    assert found.discordance == pytest.approx(0.6)
    assert paired_counts(off.astype(float), on.astype(int)) == found


@pytest.mark.parametrize(
    ("off", "on", "message"),
    [
        ([1, 0], [1], "on must be as long as off"),
        ([1, 2], [1, 0], "off must be right/wrong marks"),
        ([1.0, float("nan")], [1, 0], "off must be right/wrong marks"),
        ([], [], "off must be a non-empty array"),
        ([[1]], ["x"], "off must be a non-empty array.*; on must be right/wrong marks"),
    ],
)
def test_bad_marks(off: list[object], on: list[object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        paired_counts(off, on)


def test_every_reason_is_listed() -> None:
    with pytest.raises(ValueError, match=r"b must be .* got -1; c must be .* got 1\.5"):
        mcnemar_exact(-1, 1.5)  # type: ignore[arg-type]
