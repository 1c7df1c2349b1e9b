"""The bound of depth on made-up errors: what it lets pass, what it does not."""

from __future__ import annotations

import numpy as np
import pytest

from verify.data import Verdict
from verify.steps.bound import age_range, ages, cells, judge, judge_flips
from verify.steps.track import Error

LAYERS, LIVES, STEPS = 4, 10, 64


def made(seed: int, scale: float = 1.0, drift: float = 0.0, one: float = 1.0) -> list[Error]:
    """Errors that grow as a random walk does, log-normally spread over lives and steps."""
    draw = np.random.default_rng(seed)
    found = []
    for layer in range(LAYERS):
        for life in range(LIVES):
            own = np.exp(draw.normal(0, 0.1)) * (one if life == 3 else 1.0)
            for age in range(1, STEPS + 1):
                value = 1e-6 * scale * own * np.sqrt(age) * np.exp(draw.normal(0, 0.2))
                value += 1e-6 * drift * age
                found.append(Error("state", layer, "recurrent_state", life, age - 1, age, value))
    return found


def verdict(candidate: list[Error], baseline: list[Error]) -> Verdict:
    _, (check,) = judge(cells(candidate), cells(baseline))
    return check.verdict


@pytest.mark.parametrize("seed", range(40))
def test_no_false_alarm(seed: int) -> None:
    assert verdict(made(2 * seed), made(2 * seed + 1)) is Verdict.PASS


@pytest.mark.parametrize(
    "fault", [{"scale": 3.5}, {"drift": 1.0}, {"one": 9.0}], ids=["larger", "drift", "one-life"]
)
def test_what_must_be_seen(fault: dict[str, float]) -> None:
    assert verdict(made(1, **fault), made(2)) is Verdict.FAIL


def test_drift_is_seen_late_only() -> None:
    growth, _ = judge(cells(made(1, drift=1.0)), cells(made(2)))
    over = {g.ages[0] for g in growth if g.ratio > g.limit}
    assert over
    assert min(over) >= 4


def test_too_few_lives_are_not_judged() -> None:
    few = [e for e in made(1) if e.life < 2]
    assert verdict(few, few) is Verdict.NOT_CHECKED


def test_ages_are_in_ranges_of_powers_of_two() -> None:
    assert [age_range(n) for n in (1, 2, 3, 4, 7, 8)] == [0, 1, 1, 2, 2, 3]
    assert ages(3) == (8, 15)


def test_an_exact_value_may_not_go_wrong() -> None:
    """A baseline without any error leaves room for rounding to storage only."""
    exact = [Error("state", 0, "conv_state", life, 0, 1, 0.0) for life in range(5)]
    wrong = [Error("state", 0, "conv_state", life, 0, 1, 0.1) for life in range(5)]
    assert verdict(exact, exact) is Verdict.PASS
    assert verdict(wrong, exact) is Verdict.FAIL


def test_infinite_errors_fail() -> None:
    exact = [Error("depth", 0, "out", life, 0, 1, 1e-3) for life in range(5)]
    bad = [Error("depth", 0, "out", life, 0, 1, float("inf")) for life in range(5)]
    assert verdict(bad, exact) is Verdict.FAIL


def test_flips_are_counted_against_the_baseline() -> None:
    draw = np.random.default_rng(0)
    base = draw.poisson(10, 100).tolist()
    same, more = draw.poisson(10, 100).tolist(), draw.poisson(40, 100).tolist()
    _, (ok,) = judge_flips({"ids": same}, {"ids": base})
    _, (bad,) = judge_flips({"ids": more}, {"ids": base})
    assert (ok.verdict, bad.verdict) == (Verdict.PASS, Verdict.FAIL)
