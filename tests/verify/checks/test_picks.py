"""Top-k picks: exact, with the oracle's margin as the only freedom."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kk3ref.precision import CONTRACT
from verify.bounds import Bounded, PickScores
from verify.checks.elements import Where
from verify.checks.picks import Picks
from verify.data import Verdict

NAN = math.nan
WHERE = Where("route", "ids", 2)


def picks(scores: list[float], error: float | list[float], ids: list[int]) -> Picks:
    value = torch.tensor([scores], dtype=torch.float64)
    errors = torch.tensor(error, dtype=torch.float64).expand(value.shape)
    collector = Picks()
    expected = PickScores(Bounded(value, {"logit sum": errors}), len(ids))
    collector.add(WHERE, expected, torch.tensor([ids], dtype=torch.int32))
    return collector


def verdict(collector: Picks) -> Verdict:
    return collector.checks()[0].verdict


@pytest.mark.parametrize(
    ("scores", "ids", "ok"),
    [
        pytest.param([1, 3, 2], [1, 2], True, id="in-order"),
        pytest.param([1, 3, 2], [2, 1], False, id="swapped"),
        pytest.param([1, 3, 2], [1, 0], False, id="missed"),
        pytest.param([2, 3, 2, 3], [1, 3], True, id="tie-lower-first"),
        pytest.param([2, 3, 2, 3], [3, 1], False, id="tie-higher-first"),
        pytest.param([2, 3, 2], [1, 0], True, id="tie-at-the-cut"),
        pytest.param([2, 3, 2], [1, 2], False, id="tie-at-the-cut-higher"),
        pytest.param([5, 5, 5, 5], [0, 1], True, id="all-equal"),
        pytest.param([5, 5, 5, 5], [0, 2], False, id="all-equal-skipped-one"),
        pytest.param([1, 3, 2], [1, 1], False, id="repeated"),
        pytest.param([1, 3, 2], [1, 3], False, id="too-large"),
        pytest.param([1, 3, 2], [-1, 1], False, id="negative"),
        pytest.param([1, 3, 2], [2**31 - 1, 1], False, id="poison"),
        pytest.param([NAN, 3, 2], [1, 2], True, id="nan-last"),
        pytest.param([NAN, 3, 2], [0, 1], False, id="nan-first"),
        pytest.param([NAN, 3, 2], [1, 0], False, id="nan-before-a-number"),
        pytest.param([NAN, 3, NAN], [1, 0], True, id="nan-fills-up"),
        pytest.param([NAN, 3, NAN], [1, 2], False, id="nan-fills-up-higher"),
        pytest.param([NAN, NAN, NAN], [0, 1], True, id="all-nan"),
        pytest.param([NAN, NAN, NAN], [1, 0], False, id="all-nan-swapped"),
        pytest.param([-math.inf, 3, -5e300], [1, 2], True, id="minus-infinity"),
        pytest.param([math.inf, 3, 2], [0, 1], True, id="infinity"),
        pytest.param([0.0, -0.0, -1], [0, 1], True, id="zeros-tie"),
        pytest.param([0.0, -0.0, -1], [1, 0], False, id="zeros-tie-higher"),
    ],
)
def test_exact_scores(scores: list[float], ids: list[int], ok: bool) -> None:
    collector = picks(scores, 0.0, ids)
    assert verdict(collector) is (Verdict.PASS if ok else Verdict.FAIL)
    if ok:
        assert [check.name for check in collector.checks()] == ["picks"], "no flips when exact"


@pytest.mark.parametrize("error", [0.0, 0.3, math.nan, math.inf])
def test_a_nan_score_has_no_margin_to_hide_in(error: float) -> None:
    collector = picks([NAN, 3.0, 2.0], [error, 0.0, 0.0], [0, 1])
    assert verdict(collector) is Verdict.FAIL


@pytest.mark.parametrize(
    ("error", "ids", "flips"),
    [
        pytest.param(0.06, [1, 2, 0], 2, id="inside"),
        pytest.param([0.12, 0.0, 0.0, 0.0], [1, 2, 0], 2, id="one-sided"),
        pytest.param(0.06, [1, 0, 2], 0, id="not-taken"),
    ],
)
def test_flips_inside_the_margin_are_counted(error, ids: list[int], flips: int) -> None:
    collector = picks([2.0, 3.0, 1.9, 1.0], error, ids)
    assert verdict(collector) is Verdict.PASS
    assert sum(c.value for c in collector.checks() if c.name == "flips") == flips


@pytest.mark.parametrize("error", [0.0, 0.04, [0.0, 9.0, 0.0, 0.0]])
def test_flips_outside_the_margin_fail(error) -> None:
    collector = picks([2.0, 3.0, 1.9, 1.0], error, [1, 2, 0])
    (check,) = collector.checks()
    assert check.verdict is Verdict.FAIL
    assert "stage route, output ids, rank 2, index [0, 1]: picked expert 2" in check.message
    assert "must be 0" in check.message
    assert "rounding point logit sum" in check.message


def test_a_flip_does_not_excuse_a_later_wrong_pick() -> None:
    assert verdict(picks([2.0, 3.0, 1.9, 1.0], 0.06, [1, 2, 3])) is Verdict.FAIL


def test_a_tie_is_exact_even_inside_the_margin() -> None:
    """Equal logits and biases are equal in every precision."""
    assert verdict(picks([2.0, 2.0, 1.0], 0.5, [1, 0])) is Verdict.FAIL


def test_unbounded_scores_are_not_a_pass() -> None:
    collector = picks([2.0, 3.0, 1.0], [math.inf, 0.0, 0.0], [1, 0])
    assert {check.name: check.verdict for check in collector.checks()} == {
        "picks": Verdict.PASS,
        "bounded": Verdict.NOT_CHECKED,
    }


def test_a_wrong_shape_fails() -> None:
    expected = PickScores(Bounded(torch.zeros(2, 4, dtype=torch.float64)), 2)
    collector = Picks()
    collector.add(WHERE, expected, torch.zeros(2, 3, dtype=torch.int32))
    assert verdict(collector) is Verdict.FAIL
    assert "must be (2, 2), got (2, 3)" in collector.messages[0]


def test_every_row_counts() -> None:
    scores = torch.rand(50, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    ids = CONTRACT.top_k(scores, 4, "p")
    ids[37, 3] = (ids[37, 3] + 1) % 16
    collector = Picks()
    collector.add(WHERE, PickScores(Bounded(scores), 4), ids)
    assert verdict(collector) is Verdict.FAIL
    assert all("index [37, 3]" in message for message in collector.messages)


def test_rounding_points_are_named_by_their_share() -> None:
    value = torch.tensor([[2.0, 3.0]], dtype=torch.float64)
    errors = {"small": torch.full((1, 2), 1e-9), "large": torch.full((1, 2), 1e-3)}
    collector = Picks()
    collector.add(WHERE, PickScores(Bounded(value, errors), 1), torch.tensor([[0]]))
    assert "rounding point large" in collector.messages[0]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    scores=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN]), min_size=4, max_size=8),
    seed=st.integers(0, 2**31),
    error=st.sampled_from([0.0, 1e-3, 0.13, 0.3]),
)
def test_picks_of_perturbed_scores_pass(scores: list[float], seed: int, error: float) -> None:
    """Whatever a legal candidate's own scores are, its picks are legal; equal ones move alike."""
    value = torch.tensor([scores], dtype=torch.float64)
    g = torch.Generator().manual_seed(seed)
    shift = {s: float(torch.rand((), generator=g)) * 2 - 1 for s in set(scores)}
    own = value + 0.999 * error * torch.tensor([[shift[s] for s in scores]])
    ids = CONTRACT.top_k(own, 3, "p")
    collector = Picks()
    collector.add(WHERE, PickScores(Bounded(value, {"p": torch.full_like(value, error)}), 3), ids)
    assert verdict(collector) is Verdict.PASS, collector.messages


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    scores=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN]), min_size=4, max_size=8),
    ids=st.lists(st.integers(-1, 8), min_size=3, max_size=3),
)
def test_with_exact_scores_only_the_right_ids_pass(scores: list[float], ids: list[int]) -> None:
    right = CONTRACT.top_k(torch.tensor([scores], dtype=torch.float64), 3, "p")[0].tolist()
    collector = picks(scores, 0.0, ids)
    assert (verdict(collector) is Verdict.PASS) == (ids == right)
