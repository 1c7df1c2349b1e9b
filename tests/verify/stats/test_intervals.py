"""Tango's interval and the non-inferiority test."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, xlogy
from scipy.stats import binom, norm

from verify.stats import noninferiority, tango_interval
from verify.stats.score import score

Z = float(norm.isf(0.025))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[int, int, int]:
    """b, c and n."""
    n = draw(st.integers(1, 2000))
    b = draw(st.integers(0, n))
    return b, draw(st.integers(0, n - b)), n


def statistic_by_search(b: int, c: int, n: int, delta: float) -> float:
    """The score statistic with its restricted maximum found by a search instead of the root."""

    def loss(q: float) -> float:
        rest = max(1 - 2 * q - delta, 0.0)
        return -float(xlogy(b, q) + xlogy(c, max(q + delta, 0.0)) + xlogy(n - b - c, rest))

    found = minimize_scalar(
        loss, bounds=(max(0, -delta), (1 - delta) / 2), method="bounded", options={"xatol": 1e-12}
    )
    return (c - b - n * delta) / np.sqrt(n * (2 * found.x + delta - delta**2))


@pytest.mark.parametrize("delta", [-0.3, -0.05, 0.0, 0.02, 0.4])
@pytest.mark.parametrize(("b", "c", "n"), [(27, 18, 1319), (7, 1, 21), (12, 2, 50), (3, 30, 60)])
def test_statistic_maximises_the_likelihood(b: int, c: int, n: int, delta: float) -> None:
    expected = statistic_by_search(b, c, n, delta)
    assert float(score(b, c, n, delta)) == pytest.approx(expected, rel=1e-5)


def test_published_example() -> None:
    # Airway hyper-responsiveness: Fagerland, Lydersen & Laake 2014, Statistics in Medicine 33.
    found = tango_interval(7, 1, 21)
    assert round(found.difference, 3) == -0.286
    assert (round(found.lower, 3), round(found.upper, 3)) == (-0.517, -0.026)


@pytest.mark.parametrize("n", [1, 54, 1319])
def test_nothing_differs(n: int) -> None:
    found = tango_interval(0, 0, n)
    assert found.upper == pytest.approx(Z**2 / (n + Z**2), rel=1e-9)
    assert found.lower == -found.upper


def test_everything_differs_one_way() -> None:
    assert tango_interval(21, 0, 21).lower == -1
    assert tango_interval(0, 21, 21).upper == 1


@given(pairs(), st.sampled_from([0.8, 0.95, 0.99]))
@settings(deadline=None, derandomize=True)
def test_contains_the_estimate_and_mirrors(case: tuple[int, int, int], confidence: float) -> None:
    b, c, n = case
    found, mirrored = tango_interval(b, c, n, confidence), tango_interval(c, b, n, confidence)
    assert -1 <= found.lower <= found.difference <= found.upper <= 1
    assert found.lower == -mirrored.upper
    assert found.upper == -mirrored.lower


@given(pairs())
@settings(deadline=None, derandomize=True)
def test_limits_solve_the_score_equation(case: tuple[int, int, int]) -> None:
    b, c, n = case
    found = tango_interval(b, c, n)
    for limit, z in ((found.lower, Z), (found.upper, -Z)):
        if abs(limit) < 1:
            assert float(score(b, c, n, limit)) == pytest.approx(z, rel=1e-5)


@given(pairs(), st.integers(2, 5))
@settings(deadline=None, derandomize=True)
def test_more_questions_of_the_same_kind_narrow_it(case: tuple[int, int, int], by: int) -> None:
    b, c, n = case
    small, large = tango_interval(b, c, n), tango_interval(by * b, by * c, by * n)
    assert large.upper - large.lower < small.upper - small.lower


@given(pairs(), st.floats(0.001, 0.5))
@settings(deadline=None, derandomize=True)
def test_verdict_agrees_with_the_interval(case: tuple[int, int, int], margin: float) -> None:
    b, c, n = case
    lower = tango_interval(b, c, n).lower
    if abs(lower + margin) > 1e-9:
        assert noninferiority(b, c, n, margin).shown == (lower > -margin)


@given(pairs(), st.floats(0.001, 0.4))
@settings(deadline=None, derandomize=True)
def test_a_wider_margin_is_easier(case: tuple[int, int, int], margin: float) -> None:
    assert noninferiority(*case, margin * 1.5).p <= noninferiority(*case, margin).p + 1e-12


def exact_coverage(n: int, discordance: float, difference: float) -> float:
    """Chance that the interval holds the truth, summed over every b and c worth counting."""
    most = int(binom.isf(1e-12, n, discordance))
    b, c = np.mgrid[: most + 1, : most + 1]
    kept = b + c <= most
    off, on = (discordance - difference) / 2, (discordance + difference) / 2
    rest = np.where(kept, n - b - c, 0)
    log_chance = (
        gammaln(n + 1)
        - gammaln(b + 1)
        - gammaln(c + 1)
        - gammaln(rest + 1)
        + xlogy(b, off)
        + xlogy(c, on)
        + xlogy(rest, 1 - off - on)
    )
    chance = np.exp(np.where(kept, log_chance, -np.inf))
    return float(np.sum(chance * (np.abs(score(b, c, n, difference)) <= Z)))


@pytest.mark.parametrize(
    ("n", "discordance", "difference"),
    [(1319, 0.03, 0.0), (1319, 0.03, -0.01), (198, 0.1, -0.05), (198, 0.02, 0.0)],
)
def test_coverage(
    n: int,
    discordance: float,
    difference: float,
    draw_counts: Callable[..., tuple[np.ndarray, np.ndarray]],
    monte_carlo_error: Callable[[float, int], float],
) -> None:
    runs = 1000
    b, c = draw_counts(n, discordance, difference, runs)
    intervals = [tango_interval(int(x), int(y), n) for x, y in zip(b, c, strict=True)]
    # The interval of whole counts cannot cover exactly 95 % of the time; how often it does is
    # a sum, to which the simulation must come, and which must not lie much below 95 %.
    expected = exact_coverage(n, discordance, difference)
    found = np.mean([i.lower <= difference <= i.upper for i in intervals])
    assert abs(found - expected) <= monte_carlo_error(expected, runs)
    assert expected > 0.945


def test_the_edge_of_inferiority_rarely_passes(
    draw_counts: Callable[..., tuple[np.ndarray, np.ndarray]],
    monte_carlo_error: Callable[[float, int], float],
) -> None:
    b, c = draw_counts(1319, 0.03, -0.01, 4000)
    shown = [noninferiority(int(x), int(y), 1319, 0.01).shown for x, y in zip(b, c, strict=True)]
    assert np.mean(shown) <= 0.025 + monte_carlo_error(0.025, 4000)


def test_a_large_p_is_no_equivalence() -> None:
    assert not noninferiority(27, 18, 1319, 0.01).shown
    assert noninferiority(27, 18, 1319, 0.02).shown


def test_every_reason_is_listed() -> None:
    with pytest.raises(ValueError, match=r"b \+ c must be at most n = 9.*; confidence must be"):
        tango_interval(5, 6, 9, 1.0)
    with pytest.raises(ValueError, match=r"n must be .*; margin must be .*; alpha must be"):
        noninferiority(0, 0, 0, 0.0, 0.5)
