"""Power, detectable effect and sample size."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multinomial
from statsmodels.stats.power import NormalIndPower

from verify.stats import (
    mcnemar_exact,
    mcnemar_power,
    minimum_detectable_effect,
    noninferiority,
    noninferiority_power,
    sample_size,
)
from verify.stats.score import score


def test_figures_to_know() -> None:
    mde, size = minimum_detectable_effect(1319, 0.03), sample_size(0.005, 0.03)
    assert mde.normal == pytest.approx(0.0134, abs=5e-5)
    assert mde.connor == pytest.approx(0.01335, abs=5e-6)
    assert mde.exact == pytest.approx(0.01379, abs=5e-6)
    assert (size.connor, size.normal, size.exact) == (9417, 9419, 9752)


@pytest.mark.parametrize("difference", [0.0, 0.1, -0.3])
def test_exact_power_by_enumeration(difference: float) -> None:
    n, rate, margin = 24, 0.4, 0.2
    off, on = (rate - difference) / 2, (rate + difference) / 2
    found, shown = 0.0, 0.0
    for b, c in itertools.product(range(n + 1), repeat=2):
        if b + c <= n:
            chance = multinomial.pmf([b, c, n - b - c], n, [off, on, 1 - rate])
            found += chance * (mcnemar_exact(b, c).p <= 0.05)
            shown += chance * noninferiority(b, c, n, margin).shown
    assert mcnemar_power(n, rate, difference).exact == pytest.approx(found, abs=1e-10)
    assert noninferiority_power(n, rate, margin, difference).exact == pytest.approx(
        shown, abs=1e-10
    )


@given(st.integers(1, 400), st.floats(0.001, 0.5))
@settings(deadline=None, derandomize=True)
def test_statistic_rises_with_c(total: int, margin: float) -> None:
    # What the bisection of noninferiority_power rests on.
    c = np.arange(total + 1)
    assert np.all(np.diff(score(total - c, c, 500, -margin)) > 0)


@pytest.mark.parametrize(("n", "effect"), [(1319, 0.0134), (500, 0.02), (9416, 0.005)])
def test_normal_power_agrees_with_statsmodels(n: int, effect: float) -> None:
    # One sample of differences with standard deviation √discordance.
    standard = effect / math.sqrt(0.03)
    expected = NormalIndPower(ddof=0).power(standard, n, 0.05, ratio=0, alternative="larger")
    one_sided = mcnemar_power(n, 0.03, effect, alpha=0.1).normal
    assert one_sided == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("n", "rate", "effect"), [(1319, 0.03, 0.0138), (198, 0.1, 0.06)])
def test_exact_power_by_simulation(
    n: int,
    rate: float,
    effect: float,
    draw_counts: Callable[..., tuple[np.ndarray, np.ndarray]],
    monte_carlo_error: Callable[[float, int], float],
) -> None:
    runs = 5000
    b, c = draw_counts(n, rate, effect, runs)
    found = np.mean([mcnemar_exact(int(x), int(y)).p <= 0.05 for x, y in zip(b, c, strict=True)])
    expected = mcnemar_power(n, rate, effect).exact
    assert abs(found - expected) <= monte_carlo_error(expected, runs)


@given(st.integers(1, 5000), st.floats(0.005, 1.0))
@settings(deadline=None, derandomize=True)
def test_size_stays_below_alpha(n: int, rate: float) -> None:
    assert mcnemar_power(n, rate, 0.0).exact <= 0.05 + 1e-9


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.2])
@pytest.mark.parametrize("n", [198, 500, 1319, 5000])
def test_size_of_the_noninferiority_test(n: int, rate: float) -> None:
    # An asymptotic test: nothing keeps its size below the level. Here it does not exceed it by
    # more than 1e-4 (the largest is 0.02503); a sum, so nothing moves it but the test itself.
    assert noninferiority_power(n, rate, 0.01, -0.01).exact < 0.0251


@given(st.integers(200, 20_000), st.floats(0.01, 0.3), st.sampled_from([0.8, 0.9]))
@settings(deadline=None, derandomize=True)
def test_detectable_effect_has_its_power(n: int, rate: float, power: float) -> None:
    found = minimum_detectable_effect(n, rate, power=power)
    for name in ("exact", "connor", "normal"):
        effect = getattr(found, name)
        if effect is None:
            assert getattr(mcnemar_power(n, rate, rate), name) < power
        else:
            assert getattr(mcnemar_power(n, rate, effect), name) == pytest.approx(power, abs=1e-6)


@given(st.integers(500, 5000), st.floats(0.02, 0.3))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_more_questions_detect_less(n: int, rate: float) -> None:
    small, large = minimum_detectable_effect(n, rate), minimum_detectable_effect(2 * n, rate)
    for name in ("exact", "connor", "normal"):
        before, after = getattr(small, name), getattr(large, name)
        assert before is None or after < before


@pytest.mark.parametrize(("effect", "rate"), [(0.005, 0.03), (-0.02, 0.05), (0.1, 0.1), (0.3, 0.5)])
def test_sample_size_is_enough_and_one_fewer_is_not(effect: float, rate: float) -> None:
    found = sample_size(effect, rate)
    for name in ("exact", "connor", "normal"):
        n = getattr(found, name)
        assert getattr(mcnemar_power(n, rate, effect), name) >= 0.8
        assert n == 1 or getattr(mcnemar_power(n - 1, rate, effect), name) < 0.8


def test_unreachable_power_is_none() -> None:
    found = minimum_detectable_effect(20, 0.03)
    assert found.exact is found.connor is found.normal is None


def test_all_pairs_discordant_one_way() -> None:
    assert mcnemar_power(10, 1.0, 1.0).exact == 1
    assert mcnemar_power(10, 1.0, 1.0).connor == 1
    assert mcnemar_power(5, 1.0, 1.0).exact == 0  # the least p of five pairs is 0.0625
    assert noninferiority_power(1000, 1.0, 0.1, 1.0).normal == 1


def test_every_reason_is_listed() -> None:
    with pytest.raises(ValueError, match=r"n must be .*; effect must be .*; alpha must be"):
        mcnemar_power(0, 0.03, 0.04, 1)
    with pytest.raises(ValueError, match=r"discordance must be .*; power must be"):
        minimum_detectable_effect(9, 0, power=0.01)
    with pytest.raises(ValueError, match="effect must be different from 0"):
        sample_size(0.0, 0.03)
    with pytest.raises(ValueError, match="effect must be findable"):
        sample_size(1e-7, 0.03)
    with pytest.raises(ValueError, match=r"n must be .*; difference must be .*; margin must be"):
        noninferiority_power(True, 0.03, -0.01, 0.1)
