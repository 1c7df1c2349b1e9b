"""Statistics and verdict of paired answers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from verify import stats
from verify.data import Verdict
from verify.evals.pairing import Pair
from verify.evals.record import Disagreement, Excess, Given, Limits, SideScore, TaskResult
from verify.evals.samples import Sample, SamplesError

KEPT_CHARACTERS = 4000
"""Last characters of a disagreeing answer that a record keeps."""
Mode = Literal["off/on", "A/A"]


@dataclass(frozen=True)
class Settings:
    """Fixed before a run.

    Attributes:
        margin: largest loss that counts as none, a fraction.
        alpha: two-sided level.
        power: of the detectable difference.
    """

    margin: float = 0.01
    alpha: float = 0.05
    power: float = 0.8


def judge(
    pairs: Mapping[str, Sequence[Pair]],
    mode: Mode,
    settings: Settings,
    control: Sequence[TaskResult] | None = None,
) -> list[TaskResult]:
    """One result a task, p values corrected over all tasks.

    off/on, a task: **pass** if on is not inferior at the margin; else **fail** if on is found to be
    worse (Holm-corrected), else **not_checked**: neither is shown, more questions are needed. With
    a control, disagreement in excess of the control's fails too. A/A: **fail** if the server's two
    runs differ by more than chance (Holm-corrected).

    Args:
        pairs: by task.
        control: tasks of an A/A record over the same questions.

    Raises:
        SamplesError: the control has other questions.
    """
    results = [_task(name, list(found), settings) for name, found in pairs.items()]
    adjusted = stats.holm([r.p for r in results], settings.alpha)
    for result, p in zip(results, adjusted.adjusted, strict=True):
        result.p_holm = p
    if control is not None:
        _excess(results, pairs, control, settings)
    for result in results:
        result.verdict, result.reason = _verdict(result, mode, settings)
    return results


def _task(name: str, pairs: list[Pair], settings: Settings) -> TaskResult:
    off, on = ([getattr(p, side) for p in pairs] for side in ("off", "on"))
    documents = np.array([s.document for s in off])
    first, second = (np.array([s.score for s in side]) for side in (off, on))
    questions = len(set(documents.tolist()))
    samples = max(Counter(documents.tolist()).values())
    binary = bool(np.isin(first, (0, 1)).all() and np.isin(second, (0, 1)).all())
    counts = stats.paired_counts(first >= 0.5, second >= 0.5)
    rate = stats.discordance(counts.b, counts.c, counts.n, 1 - settings.alpha)
    detectable = None
    confidence = 1 - settings.alpha
    if binary and questions == len(pairs):
        p = stats.mcnemar_exact(counts.b, counts.c).p
        tango = stats.tango_interval(counts.b, counts.c, counts.n, confidence)
        interval = Limits(
            lower=tango.lower, upper=tango.upper, confidence=confidence, method="tango"
        )
        # Nothing differed: plan with the largest discordance that the counts still allow.
        planned = rate.rate or rate.upper
        detectable = stats.minimum_detectable_effect(
            counts.n, planned, settings.alpha, settings.power
        ).exact
    else:
        if questions < 2:
            raise SamplesError(f"{name}: must have at least two questions, got {questions}")
        found = stats.clustered_difference(first, second, documents, documents, confidence)
        p = found.p
        interval = Limits(
            lower=found.lower, upper=found.upper, confidence=confidence, method="clustered t"
        )
    return TaskResult(
        task=name,
        questions=questions,
        samples=samples,
        off=_side(off, documents, settings),
        on=_side(on, documents, settings),
        difference=_question_mean(second - first, documents),
        b=counts.b,
        c=counts.c,
        p=p,
        p_holm=p,
        interval=interval,
        non_inferior=interval.lower > -settings.margin,
        equivalent=interval.lower > -settings.margin and interval.upper < settings.margin,
        detectable_difference=detectable,
        discordance=rate.rate,
        discordance_lower=rate.lower,
        discordance_upper=rate.upper,
        same_text=float(np.mean([p.off.text == p.on.text for p in pairs])),
        disagreements=[_disagreement(p) for p in pairs if p.off.score != p.on.score],
        scores=[(p.off.document, p.off.number, p.off.score, p.on.score) for p in pairs],
        questions_digest=_digest(off),
        verdict=Verdict.NOT_CHECKED,
        reason="",
    )


def _question_mean(values: np.ndarray, documents: np.ndarray) -> float:
    """Every question counts alike, whatever its number of samples."""
    _, codes = np.unique(documents, return_inverse=True)
    return float((np.bincount(codes, weights=values) / np.bincount(codes)).mean())


def _digest(samples: Sequence[Sample]) -> str:
    lines = sorted({f"{s.document} {s.digest}" for s in samples})
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _side(samples: Sequence[Sample], documents: np.ndarray, settings: Settings) -> SideScore:
    scores = np.array([s.score for s in samples])
    several = np.unique(documents).size > 1
    mean = stats.clustered_mean(scores, documents, 1 - settings.alpha) if several else None
    return SideScore(
        score=mean.mean if mean else float(scores.mean()),
        lower=mean.lower if mean else None,
        upper=mean.upper if mean else None,
        empty=sum(s.empty for s in samples),
        malformed=sum(s.malformed for s in samples),
        cut_off=sum(s.finish == "length" for s in samples),
    )


def _disagreement(pair: Pair) -> Disagreement:
    return Disagreement(
        document=pair.off.document,
        sample=pair.off.number,
        question=pair.off.question,
        target=pair.off.target,
        off=_given(pair.off),
        on=_given(pair.on),
    )


def _given(sample: Sample) -> Given:
    return Given(
        right=sample.score >= 0.5,
        score=sample.score,
        answer=sample.answer,
        text=sample.text[-KEPT_CHARACTERS:],
    )


def _excess(
    results: list[TaskResult],
    pairs: Mapping[str, Sequence[Pair]],
    control: Sequence[TaskResult],
    settings: Settings,
) -> None:
    known = {task.task: task for task in control}
    problems = []
    found: list[tuple[TaskResult, stats.ExcessDiscordance]] = []
    for result in results:
        if result.interval.method != "tango":
            continue
        other = known.get(result.task)
        if other is None or other.questions_digest != result.questions_digest:
            problems.append(f"{result.task}: the control must have asked the same questions")
            continue
        marks = {document: (first, second) for document, _, first, second in other.scores}
        twice = [marks[p.on.document] for p in pairs[result.task]]
        excess = stats.excess_discordance(
            [first >= 0.5 for first, _ in twice],
            [second >= 0.5 for _, second in twice],
            [p.on.score >= 0.5 for p in pairs[result.task]],
            1 - settings.alpha,
        )
        found.append((result, excess))
    if problems:
        raise SamplesError("\n".join(problems))
    if not found:
        return
    adjusted = stats.holm([excess.p for _, excess in found], settings.alpha).adjusted
    for (result, excess), p in zip(found, adjusted, strict=True):
        result.excess = Excess(
            control_discordance=excess.control.rate,
            discordance=excess.treatment.rate,
            p=excess.p,
            p_holm=p,
        )


def _verdict(result: TaskResult, mode: Mode, settings: Settings) -> tuple[Verdict, str]:
    differs = result.p_holm <= settings.alpha
    points = f"{100 * result.difference:+.2f} points"
    low, high = (f"{100 * v:+.2f}" for v in (result.interval.lower, result.interval.upper))
    margin = f"{100 * settings.margin:g} point{'' if settings.margin == 0.01 else 's'}"
    if mode == "A/A":
        if differs:
            return Verdict.FAIL, f"the server differs from itself by {points}: something drifts"
        return Verdict.PASS, f"no drift found; {100 * result.discordance:.2f} % discordant"
    if differs and result.difference < 0 and not result.non_inferior:
        return Verdict.FAIL, f"on is worse: {points} ({low} to {high})"
    excess = result.excess
    more = excess is not None and excess.discordance > excess.control_discordance
    if excess and more and excess.p_holm <= settings.alpha:
        return Verdict.FAIL, (
            f"on disagrees with off on {100 * excess.discordance:.2f} % of the questions, off with "
            f"itself only on {100 * excess.control_discordance:.2f} %"
        )
    if result.non_inferior:
        note = ", though the difference is not chance" if differs else ""
        return Verdict.PASS, f"a loss of {margin} or more is excluded ({low} to {high}){note}"
    return Verdict.NOT_CHECKED, (
        f"a loss of {margin} is not excluded ({low} to {high}); more questions are needed"
    )
