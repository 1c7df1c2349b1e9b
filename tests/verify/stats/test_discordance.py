"""The off/off control."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from verify.stats import discordance, excess_discordance, mcnemar_exact


@pytest.mark.parametrize(("b", "c", "n"), [(27, 18, 1319), (0, 0, 100), (0, 3, 198), (9, 11, 20)])
def test_limits_agree_with_statsmodels(b: int, c: int, n: int) -> None:
    found = discordance(b, c, n)
    expected = proportion_confint(b + c, n, 0.05, "beta")
    assert (found.lower, found.upper) == pytest.approx(expected, rel=1e-9)
    assert found.p == mcnemar_exact(b, c).p


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 3000))
@settings(deadline=None, derandomize=True)
def test_contains_the_rate_and_is_symmetric(b: int, c: int, rest: int) -> None:
    n = b + c + rest + 1
    found, swapped = discordance(b, c, n), discordance(c, b, n)
    assert 0 <= found.lower <= found.rate <= found.upper <= 1
    assert (found.lower, found.upper, found.p) == (swapped.lower, swapped.upper, swapped.p)


def test_a_trade_of_right_answers_is_seen() -> None:
    off = np.arange(400) % 2 == 0
    again, on = off.copy(), off.copy()
    again[:6] ^= True
    on[100:140] ^= True  # 20 lost, 20 won
    found = excess_discordance(off, again, on)
    assert found.treatment.b == found.treatment.c == 20
    assert found.treatment.p == 1
    assert found.p < 1e-5
    assert found.excess.difference == pytest.approx(34 / 400)
    assert found.excess.lower > 0


def test_size_under_exchangeable_runs(monte_carlo_error: Callable[[float, int], float]) -> None:
    random = np.random.default_rng(0)
    runs, found = 1500, 0
    for _ in range(runs):
        ability = random.beta(0.3, 0.2, 150)
        marks = random.random((3, 150)) < ability
        found += excess_discordance(*marks).p <= 0.05
    assert found / runs <= 0.05 + monte_carlo_error(0.05, runs)


def test_every_reason_is_listed() -> None:
    with pytest.raises(ValueError, match=r"n must be .*; confidence must be"):
        discordance(0, 0, 0, 0)
    with pytest.raises(ValueError, match=r"off_again must be as long.*; on must be as long"):
        excess_discordance([1, 0], [1], [1, 0, 1])
