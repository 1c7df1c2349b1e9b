"""Run a candidate once and look for its first divergence: no figures, no vacuity, no record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from verify.bisect.divergence import Divergence, first_divergence
from verify.candidates import Candidate, execute
from verify.checks import layerwide
from verify.checks.stage import Judge
from verify.data import Verdict
from verify.plan import Planned
from verify.replay.memory import StaticStep


@dataclass(frozen=True)
class Look:
    """What one run showed.

    Attributes:
        divergence: the first, if any.
        candidate: as it was after the run.
        taps: what it left, one mapping a rank.
    """

    divergence: Divergence | None
    candidate: Candidate
    taps: list[dict[str, Tensor]]


def look(planned: Planned, *, trace: bool = False) -> Look:
    """Run and judge stage by stage until one fails.

    Args:
        trace: ask a simulated kernel to keep the origin of its values.

    Raises:
        UsageError, CandidateError: the candidate cannot run this.
    """
    case = planned.case()
    candidate, _ = planned.candidate()
    tracer = getattr(candidate, "trace", None)
    if trace and tracer is not None:
        tracer()
    memory = StaticStep(case, planned.device)  # copies of the inputs: the case stays as it was
    run = execute(candidate, memory.call, lambda _: None)
    taps = _on_cpu(run.taps)
    judge = Judge(case.layer, case.contexts, case.inputs, taps, run.stood_in, case.step.live_rows)
    only = planned.arguments.stage
    for s in case.layer.stages:
        if only and s.name not in only:
            continue
        report = judge.stage(s)
        if report.verdict is Verdict.FAIL:
            return Look(first_divergence([report], []), candidate, taps)
    checks = [
        layerwide.ranks_equal(case.layer, taps),
        layerwide.outputs_written(case.layer, taps),
        layerwide.untouched_slots(case.layer, case.pools_before(), taps, case.written()),
        layerwide.guards_intact(memory.storage),
        layerwide.inputs_unchanged(case.inputs, _on_cpu(memory.call.inputs)),
        *run.evidence.checks,
    ]
    return Look(first_divergence([], checks), candidate, taps)


def _on_cpu(taps: Sequence[Mapping[str, Tensor]]) -> list[dict[str, Tensor]]:
    return [{name: t.cpu() for name, t in values.items()} for values in taps]
