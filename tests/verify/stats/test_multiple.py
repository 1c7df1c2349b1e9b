"""Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from verify.stats import holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(p_values, st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=25, deadline=None, derandomize=True)  # statsmodels takes 0.2 s a call
def test_agrees_with_statsmodels(p: list[float], alpha: float) -> None:
    found = holm(p, alpha)
    _, adjusted, *_ = multipletests(p, alpha, "holm")
    assert found.adjusted == pytest.approx(list(adjusted), rel=1e-12, abs=1e-300)
    assert found.rejected == tuple(v <= alpha for v in found.adjusted)


def test_worked_example() -> None:
    found = holm([0.01, 0.04, 0.03])
    assert found.adjusted == pytest.approx((0.03, 0.06, 0.06))
    assert found.rejected == (True, False, False)


@given(p_values)
@settings(deadline=None, derandomize=True)
def test_order_does_not_matter(p: list[float]) -> None:
    assert holm(p[::-1]).adjusted == holm(p).adjusted[::-1]


def test_family_wise_size() -> None:
    # Independent true hypotheses: any rejection at all is false.
    runs = 20_000
    p = np.random.default_rng(0).random((runs, 5))
    share = np.mean(p.min(axis=1) * 5 <= 0.05)
    found = np.mean([any(holm(row).rejected) for row in p[:2000]])
    assert found == np.mean(p[:2000].min(axis=1) * 5 <= 0.05)
    assert share <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / runs)


def test_every_reason_is_listed() -> None:
    with pytest.raises(ValueError, match=r"p\[1\] must be .*; p\[2\] must be .*; alpha must be"):
        holm([0.1, 1.2, float("nan")], 0)
    with pytest.raises(ValueError, match="p must be at least one p value"):
        holm([])
