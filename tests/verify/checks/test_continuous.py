"""The derived bound and the ratio on made-up values: nothing that is not a number gets through."""

import math

import pytest
import torch
from torch import Tensor

from kk3ref.precision import BASELINE
from verify.bounds import Bounded, BoundPolicy
from verify.checks.continuous import Continuous
from verify.checks.elements import Where
from verify.data import Check, Verdict

F64, BF16 = torch.float64, torch.bfloat16
WHERE = Where("stage-a", "y", 5)


def bounded(value: list[list[float]], error: list[list[float]]) -> Bounded:
    half = 0.5 * torch.tensor(error, dtype=F64)
    return Bounded(torch.tensor(value, dtype=F64), {"small": 0.2 * half, "large": 1.8 * half})


def judged(expected: Bounded, candidate: Tensor, baseline: Tensor | None = None) -> Continuous:
    collector = Continuous(candidate.dtype)
    collector.add(WHERE, expected, candidate)
    if baseline is not None:
        collector.add_baseline(expected, baseline)
    return collector


def verdicts(collector: Continuous) -> dict[str, Verdict]:
    return {check.name: check.verdict for check in collector.checks()}


def bound_check(collector: Continuous) -> Check:
    return next(check for check in collector.checks() if check.name == "bound")


EXPECTED = [[1.0, -2.0], [0.0, 4.0]]
ERROR = [[0.5, 0.25], [0.0, 1.0]]


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_inside_the_bound_passes(share: float) -> None:
    expected = bounded(EXPECTED, ERROR)
    candidate = (expected.value + share * expected.total()).float()
    collector = judged(expected, candidate)
    assert verdicts(collector) == {"bound": Verdict.PASS}
    assert collector.metrics().max_over_bound == pytest.approx(share)


def test_outside_fails_and_says_where_and_why() -> None:
    candidate = torch.tensor([[1.0, -2.0], [0.0, 5.5]])
    collector = judged(bounded(EXPECTED, ERROR), candidate)
    check = bound_check(collector)
    assert check.verdict is Verdict.FAIL
    assert check.value == pytest.approx(1.5)
    assert check.message == (
        "stage stage-a, output y, rank 5, index [1, 1]: candidate 5.5, oracle 4, "
        "error 1.500e+00 must be ≤ 1.000e+00; rounding point large"
    )
    worst = collector.worst
    assert worst is not None
    assert (worst.index, worst.rank, worst.point) == ([1, 1], 5, "large")
    assert worst.points == pytest.approx({"large": 0.9, "small": 0.1})


def test_an_exact_element_must_be_equal() -> None:
    candidate = torch.tensor([[1.0, -2.0], [2.0**-149, 4.0]])
    check = bound_check(judged(bounded(EXPECTED, ERROR), candidate))
    assert check.verdict is Verdict.FAIL
    assert "index [1, 0]" in check.message


@pytest.mark.parametrize("garbage", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("error", [0.0, 0.5, math.inf], ids=lambda e: f"bound={e}")
def test_garbage_fails_under_any_bound(garbage: float, error: float) -> None:
    expected = bounded([[1.0, 1.0]], [[0.5, error]])
    given, baseline = torch.tensor([[1.0, garbage]], dtype=BF16), torch.ones(1, 2, dtype=BF16)
    collector = judged(expected, given, baseline)
    assert verdicts(collector) == {"bound": Verdict.FAIL, "ratio": Verdict.FAIL}


@pytest.mark.parametrize("error", [math.inf, math.nan])
def test_an_infinite_bound_is_not_a_pass(error: float) -> None:
    expected = bounded([[1.0, 1.0]], [[0.5, error]])
    check = bound_check(judged(expected, torch.tensor([[1.0, 1e9]])))
    assert check.verdict is Verdict.NOT_CHECKED
    assert "1 elements have no finite bound, first stage stage-a, output y, rank 5" in check.message
    assert "index [0, 1]" in check.message


def test_a_failure_goes_before_an_infinite_bound() -> None:
    expected = bounded([[1.0, 1.0]], [[0.5, math.inf]])
    assert bound_check(judged(expected, torch.tensor([[2.0, 7.0]]))).verdict is Verdict.FAIL


def test_an_oracle_that_is_not_a_number_passes_nothing_finite() -> None:
    expected = bounded([[math.nan, 1.0]], [[0.5, 0.5]])
    assert bound_check(judged(expected, torch.tensor([[3.0, 1.0]]))).verdict is Verdict.FAIL


def test_one_bad_element_among_many_fails() -> None:
    value = torch.ones(100, 100, dtype=F64)
    candidate = torch.ones(100, 100)
    candidate[93, 7] = 1.02
    collector = judged(Bounded(value, {"p": 0.01 * value}), candidate)
    assert bound_check(collector).verdict is Verdict.FAIL
    assert collector.metrics().worst_row == 93


def test_ranks_accumulate() -> None:
    collector = Continuous(torch.float32)
    for rank, value in enumerate([1.0, 1.2, 1.9, 1.6]):
        expected = bounded([[1.0]], [[0.5]])
        collector.add(Where("s", "y", rank), expected, torch.tensor([[value]]))
    assert collector.failures == 2
    assert collector.worst is not None
    assert collector.worst.rank == 2
    message = bound_check(collector).message
    assert "rank 2" in message
    assert "rank 3" in message
    assert collector.metrics().max_error == pytest.approx(0.9)


def test_many_failures_are_counted_and_a_few_shown() -> None:
    collector = Continuous(torch.float32)
    for rank in range(8):
        expected = bounded([[1.0, 1.0]], [[0.1, 0.1]])
        collector.add(Where("s", "y", rank), expected, torch.full((1, 2), 3.0))
    message = bound_check(collector).message
    assert message.count("rounding point") == 4
    assert "16 elements over their bound in all" in message


# -- ratio ---------------------------------------------------------------------------------------


def ratio(candidate: float, baseline: float, wide: float = 100.0) -> Check:
    collector = judged(
        bounded([[8.0]], [[wide]]),
        torch.tensor([[candidate]], dtype=BF16),
        torch.tensor([[baseline]], dtype=BF16),
    )
    return next(check for check in collector.checks() if check.name == "ratio")


@pytest.mark.parametrize(
    ("candidate", "baseline", "ok"),
    [
        (8.0, 8.0, True),
        (8.125, 8.0, True),
        (8.1875, 8.0, False),
        (8.375, 8.125, True),
        (8.5, 8.125, False),
    ],
)
def test_ratio_is_twice_the_baselines_error_and_an_eps(
    candidate: float, baseline: float, ok: bool
) -> None:
    check = ratio(candidate, baseline)
    assert check.limit == pytest.approx(2 * (abs(baseline - 8) + 2.0**-7 * 8))
    assert check.verdict is (Verdict.PASS if ok else Verdict.FAIL)
    assert bool(check.message) is not ok


@pytest.mark.parametrize("rows", [1, 2, 8])
def test_a_sum_in_one_run_is_legal(rows: int) -> None:
    """Its error is many times that of a library's matrix product.

    Found with a router of 7168 columns and two rows: the reference failed as its own candidate.
    """
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(rows, 7168, generator=generator)
    w = torch.randn(64, 7168, generator=generator) / 85
    total = torch.zeros(rows, 64)
    for k in range(x.shape[1]):
        total = total + x[:, k, None] * w[:, k]
    expected = BoundPolicy().linear(x, w, "sum")
    collector = judged(expected, total, BASELINE.linear(x, w, "sum"))
    assert verdicts(collector) == {"bound": Verdict.PASS}
    error = collector.metrics()
    assert error.baseline_error is not None
    assert error.max_error > 2 * error.baseline_error


@pytest.mark.parametrize("baseline", [math.nan, math.inf])
def test_a_baseline_that_is_not_finite_widens_nothing(baseline: float) -> None:
    assert ratio(8.1875, baseline).verdict is Verdict.FAIL


def test_both_criteria_must_hold() -> None:
    """The bound is wide here and the ratio is not: the worse of the two counts."""
    expected = bounded([[8.0, 900.0, 900.0]], [[100.0, 1.0, 1.0]])
    candidate, baseline = (torch.tensor([[x, 900.0, 900.0]]).to(BF16) for x in (50.0, 8.0))
    collector = judged(expected, candidate, baseline)
    assert verdicts(collector) == {"bound": Verdict.PASS, "ratio": Verdict.FAIL}


def test_a_bound_wider_than_the_values_is_not_a_pass() -> None:
    expected = bounded([[8.0, -8.0, 8.0]], [[9.0, 9.0, 9.0]])
    collector = judged(expected, torch.tensor([[8.0, -8.0, 8.0]]), torch.tensor([[8.0, -8.0, 8.0]]))
    assert verdicts(collector)["bound"] is Verdict.NOT_CHECKED


# -- figures -------------------------------------------------------------------------------------


def test_figures() -> None:
    expected = bounded([[3.0, 4.0], [6.0, 8.0]], [[9.0, 9.0], [9.0, 9.0]])
    metrics = judged(expected, torch.tensor([[3.0, 5.0], [6.0, 8.5]])).metrics()
    assert metrics.max_error == 1.0
    assert metrics.nrmse == pytest.approx(math.sqrt(1.25 / 125))
    assert (metrics.worst_row, metrics.worst_row_rel_l2) == (0, pytest.approx(0.2))
    assert metrics.equal_fraction == 0.5


def test_an_error_where_the_oracle_is_zero_is_infinitely_wrong_not_nan() -> None:
    metrics = judged(bounded([[0.0]], [[9.0]]), torch.tensor([[1.0]])).metrics()
    assert metrics.nrmse == math.inf
    assert metrics.worst_row_rel_l2 == math.inf
