"""The record of paired answers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone

from verify.data import Check, Verdict, worst_verdict
from verify.environment import environment
from verify.evals.judge import Mode, Settings, judge
from verify.evals.pairing import pair
from verify.evals.record import EvalRecord, Side, TaskResult
from verify.evals.samples import Sample


def make_record(
    sides: Sequence[Side],
    samples: Sequence[Sequence[Sample]],
    mode: Mode,
    settings: Settings,
    command: str,
    generation: dict[str, str | int | float | bool],
    started: float,
    control: Sequence[TaskResult] | None = None,
) -> EvalRecord:
    """Pair and judge.

    Args:
        started: ``time.perf_counter()`` at the start.

    Raises:
        SamplesError: the sides' answers cannot be paired; lists every reason.
    """
    off, on = samples
    tasks = judge(pair(off, on), mode, settings, control)
    checks = [_answers(tasks), *_gates(sides, mode)]
    names = ", ".join(t.task for t in tasks)
    return EvalRecord(
        title=f"{mode} on {names}",
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=command,
        environment=environment(),
        mode=mode,
        sides=list(sides),
        alpha=settings.alpha,
        margin=settings.margin,
        power=settings.power,
        generation=generation,
        tasks=tasks,
        checks=checks,
        verdict=worst_verdict([t.verdict for t in tasks] + [c.verdict for c in checks]),
        seconds=time.perf_counter() - started,
    )


def _gates(sides: Sequence[Side], mode: Mode) -> Iterator[Check]:
    """Where both servers have kk3's gate: that one of them ran the fused layers, the other not."""
    first, second = (side.served for side in sides)
    if mode != "off/on" or first is None or second is None:
        return
    problems = []
    if first.deployment != second.deployment:
        problems.append("the sides must be one deployment, its off switch on and off")
    if first.planned:
        problems.append(f"off ran {first.planned} steps of the fused layers, must be 0")
    if not second.planned:
        problems.append("on ran no step of the fused layers (answers of an earlier run count none)")
    verdict = Verdict.NOT_CHECKED if problems else Verdict.PASS
    yield Check(name="fast_path", verdict=verdict, message="\n".join(problems))


def _answers(tasks: Sequence[TaskResult]) -> Check:
    """A task on which neither side gives a usable answer shows nothing, however equal they are."""
    useless = [
        t.task
        for t in tasks
        if all(
            side.empty + side.malformed >= 0.5 * t.questions * t.samples for side in (t.off, t.on)
        )
    ]
    if not useless:
        return Check(name="answers", verdict=Verdict.PASS)
    return Check(
        name="answers",
        verdict=Verdict.NOT_CHECKED,
        value=float(len(useless)),
        limit=0.0,
        message=f"most answers of both sides are empty or malformed on {', '.join(useless)}: "
        "their equality shows nothing",
    )
