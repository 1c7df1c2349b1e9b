"""Verdicts from paired answers, and how often they are wrong."""

from __future__ import annotations

import numpy as np
import pytest

from verify.evals.judge import Mode, Settings, judge
from verify.evals.pairing import Pair, pair
from verify.evals.record import TaskResult
from verify.evals.samples import Sample, SamplesError


def sample(
    document: int, right: float, number: int = 0, task: str = "t", text: str = "x"
) -> Sample:
    return Sample(task, str(document), number, f"d{document}", float(right), text, "1", "1", "q")


def pairs(off: np.ndarray, on: np.ndarray, task: str = "t") -> dict[str, list[Pair]]:
    found = [
        Pair(sample(i, a, task=task), sample(i, b, task=task))
        for i, (a, b) in enumerate(zip(off, on, strict=True))
    ]
    return {task: found}


def counts(b: int, c: int, n: int) -> dict[str, list[Pair]]:
    off, on = np.ones(n), np.ones(n)
    on[:b] = 0
    off[b : b + c] = 0
    return pairs(off, on)


def one(found: list[TaskResult]) -> TaskResult:
    (result,) = found
    return result


@pytest.mark.parametrize(
    ("b", "c", "mode", "verdict"),
    [
        (27, 18, "off/on", "not_checked"),
        (10, 12, "off/on", "pass"),
        (80, 18, "off/on", "fail"),
        (18, 80, "off/on", "pass"),
        (27, 18, "A/A", "pass"),
        (80, 18, "A/A", "fail"),
        (18, 80, "A/A", "fail"),
        (0, 0, "off/on", "pass"),
    ],
)
def test_verdicts(b: int, c: int, mode: Mode, verdict: str) -> None:
    result = one(judge(counts(b, c, 1319), mode, Settings(margin=0.01)))
    assert result.verdict.value == verdict
    assert (result.b, result.c) == (b, c)
    assert result.difference == pytest.approx((c - b) / 1319)


def test_holm_is_over_all_tasks() -> None:
    several = {f"t{i}": counts(14, 3, 400)["t"] for i in range(5)}
    results = judge(several, "A/A", Settings())
    assert all(r.p < 0.05 for r in results)
    assert all(r.p_holm == pytest.approx(5 * r.p) for r in results)
    assert {r.verdict.value for r in results} == {"pass"}


def test_a_true_loss_at_the_margin_passes_no_more_often_than_the_level() -> None:
    """Simulated: 800 questions, 5 % discordance, a true loss of exactly the margin, 3 points."""
    rng = np.random.default_rng(0)
    passed = 0
    for _ in range(400):
        draw = rng.random(800)
        on = np.where(draw < 0.04, 0.0, 1.0)
        off = np.where(draw > 0.99, 0.0, 1.0)
        passed += one(judge(pairs(off, on), "off/on", Settings(margin=0.03))).non_inferior
    # 2.5 % of 400 is 10; the binomial's 99.99 % limit is 24.
    assert passed <= 24


def test_an_a_a_control_alarms_no_more_often_than_the_level() -> None:
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(400):
        off, on = (rng.random((2, 300)) < 0.8).astype(float)
        alarms += one(judge(pairs(off, on), "A/A", Settings())).verdict.value == "fail"
    assert alarms <= 38  # 99.99 % limit of 5 % of 400


def test_repeated_samples_widen_the_interval_where_questions_differ() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(60)
    found = []
    for number in range(4):
        for i, p in enumerate(truth):
            shift = 0.3 * (i % 2)
            off, on = rng.random(2) < (p, max(0.0, p - shift))
            found.append(Pair(sample(i, off, number), sample(i, on, number)))
    result = one(judge({"t": found}, "off/on", Settings()))
    assert (result.questions, result.samples) == (60, 4)
    assert result.interval.method == "clustered t"
    assert result.off.lower is not None
    assert result.off.lower < result.off.score < (result.off.upper or 0)
    assert result.verdict.value == "fail"


def test_a_question_counts_alike_whatever_its_number_of_samples() -> None:
    found = [Pair(sample(0, 1, n), sample(0, 0, n)) for n in range(8)]
    found += [Pair(sample(1, 1), sample(1, 1)), Pair(sample(2, 1), sample(2, 1))]
    assert one(judge({"t": found}, "A/A", Settings())).difference == pytest.approx(-1 / 3)


def test_a_control_on_other_questions_is_refused() -> None:
    control = judge(counts(1, 1, 50), "A/A", Settings())
    with pytest.raises(SamplesError, match="must have asked the same questions"):
        judge(counts(1, 1, 40), "off/on", Settings(), control)


def test_pairing_lists_every_reason() -> None:
    off = [sample(0, 1), sample(1, 1), sample(1, 1)]
    on = [Sample("t", "0", 0, "other", 1.0, "x", "1", "1", "q"), sample(5, 1)]
    with pytest.raises(SamplesError) as stop:
        pair(off, on)
    for reason in ("stand twice off", "only off", "only on", "different prompts"):
        assert reason in str(stop.value)
    with pytest.raises(SamplesError, match="at least one answer"):
        pair([], [])


@pytest.mark.parametrize(
    ("text", "answer", "empty", "malformed"),
    [(" \n", "[invalid]", True, False), ("no", "[invalid]", False, True), ("7", "7", False, False)],
    ids=["empty", "malformed", "fine"],
)
def test_useless_answers(text: str, answer: str, empty: bool, malformed: bool) -> None:
    found = Sample("t", "0", 0, "d", 0.0, text, answer, "7", "q")
    assert (found.empty, found.malformed) == (empty, malformed)
