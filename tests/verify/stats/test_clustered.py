"""Clustered standard errors of repeated sampling."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, ttest_rel
from statsmodels.regression.linear_model import WLS

from verify.stats import clustered_difference, clustered_mean


def uneven(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Right/wrong marks of 40 questions sampled 1 to 6 times, in mixed order."""
    random = np.random.default_rng(seed)
    ids = random.permutation(np.repeat(np.arange(40), random.integers(1, 7, 40)))
    return (random.random(ids.size) < random.beta(0.5, 0.5, 40)[ids]).astype(float), ids


@pytest.mark.parametrize("seed", range(3))
def test_mean_agrees_with_statsmodels(seed: int) -> None:
    scores, ids = uneven(seed)
    model = WLS(scores, np.ones_like(scores), weights=1 / np.bincount(ids)[ids])
    # statsmodels' own small-sample factor has (N − 1)/(N − 1) beside G/(G − 1) here.
    expected = model.fit(cov_type="cluster", cov_kwds={"groups": ids}, use_t=True)
    robust = model.fit(cov_type="HC1")
    found = clustered_mean(scores, ids)
    assert found.mean == pytest.approx(expected.params[0], rel=1e-12)
    assert found.standard_error == pytest.approx(expected.bse[0], rel=1e-12)
    assert found.naive_standard_error == pytest.approx(robust.bse[0], rel=1e-12)
    assert (found.lower, found.upper) == pytest.approx(tuple(expected.conf_int()[0]), rel=1e-9)
    assert found.design_effect == pytest.approx((expected.bse[0] / robust.bse[0]) ** 2)


@pytest.mark.parametrize("seed", range(3))
def test_difference_agrees_with_a_paired_t_test(seed: int) -> None:
    first, first_ids = uneven(seed)
    second, second_ids = uneven(seed + 10)
    found = clustered_difference(first, second, first_ids, second_ids)
    means = [
        np.array([scores[ids == i].mean() for i in range(40)])
        for scores, ids in ((first, first_ids), (second, second_ids))
    ]
    expected = ttest_rel(means[1], means[0])
    interval = expected.confidence_interval(0.95)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (found.lower, found.upper) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert found.degrees_of_freedom == 39


@given(st.integers(0, 1000))
@settings(deadline=None, derandomize=True)
def test_swapping_mirrors_and_order_does_not_matter(seed: int) -> None:
    first, ids = uneven(seed)
    second = np.random.default_rng(seed).permutation(first)
    found, mirrored = (
        clustered_difference(first, second, ids, ids),
        clustered_difference(second[::-1], first[::-1], ids[::-1], ids[::-1]),
    )
    assert found.difference == pytest.approx(-mirrored.difference, abs=1e-12)
    assert (found.lower, found.upper) == pytest.approx((-mirrored.upper, -mirrored.lower))
    assert found.lower <= found.difference <= found.upper


def test_copies_of_a_sample_add_nothing() -> None:
    random = np.random.default_rng(0)
    scores, ids = random.integers(0, 2, 50).astype(float), np.arange(50)
    once = clustered_mean(scores, ids)
    often = clustered_mean(np.tile(scores, 8), np.tile(ids, 8))
    assert often.standard_error == pytest.approx(once.standard_error)
    assert often.design_effect == pytest.approx(8, rel=0.05)


@pytest.mark.parametrize("shift", [0.0, 0.05])
def test_coverage_and_the_price_of_ignoring_clusters(
    shift: float, monte_carlo_error: Callable[[float, int], float]
) -> None:
    random = np.random.default_rng(0)
    runs, size, k = 1500, 60, 4
    ids = np.repeat(np.arange(size), k)
    covered = mean_covered = naive_covered = 0
    for _ in range(runs):
        ability = random.beta(0.6, 0.6, size)
        off = random.random(size * k) < 0.9 * ability[ids]
        on = random.random(size * k) < 0.9 * ability[ids] + shift
        found = clustered_difference(off, on, ids, ids)
        covered += found.lower <= shift <= found.upper
        mean = clustered_mean(off, ids)
        mean_covered += mean.lower <= 0.45 <= mean.upper
        naive_covered += abs(mean.mean - 0.45) <= norm.isf(0.025) * mean.naive_standard_error
    tolerance = monte_carlo_error(0.95, runs)
    assert abs(covered / runs - 0.95) <= tolerance
    assert abs(mean_covered / runs - 0.95) <= tolerance
    assert naive_covered / runs < 0.85


def test_pairing_pays() -> None:
    random = np.random.default_rng(0)
    ids = np.repeat(np.arange(100), 4)
    ability = random.beta(0.3, 0.3, 100)[ids]
    off, on = random.random((2, 400)) < ability
    found = clustered_difference(off, on, ids, ids)
    assert found.standard_error < 0.6 * found.unpaired_standard_error


def test_identical_runs_are_no_certainty() -> None:
    ids = np.repeat(np.arange(30), 4)
    marks = ids % 2
    found = clustered_difference(marks, marks, ids, ids)
    z2 = norm.isf(0.025) ** 2
    assert found.degenerate
    assert found.p == 1
    assert (found.lower, found.upper) == pytest.approx((-z2 / (30 + z2), z2 / (30 + z2)))
    assert found.differing == 0
    right = clustered_mean(np.ones(120), ids)
    assert right.degenerate
    assert (right.lower, right.upper) == pytest.approx((30 / (30 + z2), 1))
    assert math.isnan(right.design_effect)


def test_one_and_the_same_difference_everywhere() -> None:
    ids = np.arange(10)
    found = clustered_difference(np.zeros(10), np.ones(10), ids, ids)
    assert found.degenerate
    assert found.difference == found.upper == 1
    assert found.lower < 0.5
    assert found.p == pytest.approx(2 * 0.5**10)


def test_names_of_questions_may_be_text() -> None:
    found = clustered_mean([1, 0, 1, 1], ["a", "a", "b", "b"])
    assert found.mean == pytest.approx(0.75)
    assert (found.questions, found.samples) == (2, 4)


def test_every_reason_is_listed() -> None:
    with pytest.raises(
        ValueError, match=r"values must be scores.*; questions must be of the shape"
    ):
        clustered_mean([0.1, 1.2], [1, 2, 3])
    with pytest.raises(ValueError, match="values must be scores"):
        clustered_mean([0.1, float("nan")], [1, 2])
    with pytest.raises(ValueError, match="questions must be at least two"):
        clustered_mean([0, 1], [1, 1])
    with pytest.raises(ValueError, match="values must be numbers"):
        clustered_mean(["right"], [1], 2)
    with pytest.raises(ValueError, match=r"on_questions must be the same .*\[3, 4\]"):
        clustered_difference([0, 1, 1], [0, 1, 1], [1, 2, 3], [1, 2, 4])
