"""Two one-sided tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ttost_paired

from verify.stats import clustered_difference, tango_interval, tost_clustered, tost_paired


@given(st.integers(0, 60), st.integers(0, 60), st.integers(120, 3000), st.floats(0.002, 0.2))
@settings(deadline=None, derandomize=True)
def test_agrees_with_the_interval(b: int, c: int, n: int, margin: float) -> None:
    found, interval = tost_paired(b, c, n, margin), tango_interval(b, c, n)
    mirrored = tost_paired(c, b, n, margin)
    edge = max(-interval.lower, interval.upper)
    if abs(edge - margin) > 1e-9:
        assert found.shown == (edge < margin)
    assert found.p == pytest.approx(mirrored.p, rel=1e-9)
    assert found.p_lower == pytest.approx(mirrored.p_upper, rel=1e-9)


def test_a_tie_of_many_is_no_equivalence_and_a_tie_of_few_is() -> None:
    assert not tost_paired(60, 60, 1319, 0.01).shown
    assert tost_paired(5, 5, 1319, 0.01).shown


@pytest.mark.parametrize("difference", [0.01, -0.01])
def test_the_edge_of_equivalence_rarely_passes(
    difference: float,
    draw_counts: Callable[..., tuple[np.ndarray, np.ndarray]],
    monte_carlo_error: Callable[[float, int], float],
) -> None:
    b, c = draw_counts(3000, 0.03, difference, 2000)
    shown = [tost_paired(int(x), int(y), 3000, 0.01).shown for x, y in zip(b, c, strict=True)]
    assert np.mean(shown) <= 0.025 + monte_carlo_error(0.025, 2000)


def test_clustered_agrees_with_statsmodels() -> None:
    random = np.random.default_rng(1)
    off = random.random(60)
    on = np.clip(off + random.normal(0, 0.05, 60), 0, 1)
    ids = np.arange(60)
    found = tost_clustered(clustered_difference(off, on, ids, ids), 0.02)
    p, low, high = ttost_paired(on, off, -0.02, 0.02)
    assert found.p == pytest.approx(p, rel=1e-9)
    assert found.p_lower == pytest.approx(low[1], rel=1e-9)
    assert found.p_upper == pytest.approx(high[1], rel=1e-9)


def test_no_spread_is_no_proof() -> None:
    ids, marks = np.arange(9), np.ones(9)
    found = tost_clustered(clustered_difference(marks, marks, ids, ids), 0.4)
    assert not found.shown
    assert found.p == 1


def test_every_reason_is_listed() -> None:
    with pytest.raises(ValueError, match=r"c must be .*; margin must be .*; alpha must be"):
        tost_paired(1, -1, 9, 1.0, 0.6)
