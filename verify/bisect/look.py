"""Run a candidate once and look for its first divergence: no figures, no vacuity, no record."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from verify.bisect.divergence import Divergence, first_divergence
from verify.candidates import Candidate, LayerCall, execute
from verify.checks import layerwide
from verify.checks.stage import Judge
from verify.data import Verdict
from verify.inputs import Case
from verify.plan import Planned
from verify.run import output_storage


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
    storage = [output_storage(case, rank) for rank in case.ranks]
    buffers = [{name: g.tensor for name, g in named.items()} for named in storage]
    before = replace(case, inputs=_copies(case))
    run = execute(candidate, LayerCall(case.layer, case.contexts, case.inputs, buffers), _quiet)
    judge = Judge(
        case.layer, case.contexts, before.inputs, run.taps, run.stood_in, case.step.live_rows
    )
    only = planned.arguments.stage
    for s in case.layer.stages:
        if only and s.name not in only:
            continue
        report = judge.stage(s)
        if report.verdict is Verdict.FAIL:
            return Look(first_divergence([report], []), candidate, run.taps)
    checks = [
        layerwide.ranks_equal(case.layer, run.taps),
        layerwide.outputs_written(case.layer, run.taps),
        layerwide.untouched_slots(case.layer, before.pools_before(), run.taps, case.written()),
        layerwide.guards_intact(storage),
        layerwide.inputs_unchanged(before.inputs, case.inputs),
        *run.evidence.checks,
    ]
    return Look(first_divergence([], checks), candidate, run.taps)


def _copies(case: Case) -> tuple[dict[str, Tensor], ...]:
    made: dict[int, Tensor] = {}
    return tuple(
        {name: made.setdefault(id(t), t.clone()) for name, t in values.items()}
        for values in case.inputs
    )


def _quiet(text: str) -> None:
    pass
