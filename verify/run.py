"""One verification: run the candidate, judge every stage, check the layer, write the evidence."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone

from torch import Tensor

from kk3ref.precision import ORACLE
from kk3ref.stages import run_layer
from verify.candidates import Candidate
from verify.checks.end_to_end import compare_outputs
from verify.checks.vacuity import prove_inputs
from verify.data import (
    CandidateInfo,
    Check,
    LaunchReport,
    Record,
    StageReport,
    StepInfo,
    Verdict,
    worst_verdict,
)
from verify.environment import environment
from verify.inputs import Case
from verify.launch import Storage, check_layer, judge_launch, launch, verdict_of
from verify.memory import Guarded
from verify.placement import ON_CPU, Placement
from verify.processes import process_checks
from verify.sequence import Followed, follow
from verify.step import Step

Progress = Callable[[str], None]


@dataclass
class Outcome:
    """A finished verification.

    Attributes:
        record: the evidence.
        tensors: tensors of failing outputs, by output and name.
    """

    record: Record
    tensors: dict[str, dict[str, Tensor]]


def verify_case(
    case: Case,
    candidate: Candidate,
    info: CandidateInfo,
    command: str,
    progress: Progress = lambda _: None,
    only: frozenset[str] | None = None,
    sequence: bool = False,
    place: Placement = ON_CPU,
) -> Outcome:
    """Verify one candidate on one case.

    Args:
        case: layer, weights, inputs and step.
        candidate: what to verify.
        info: how the candidate is named in the record.
        command: the command line that repeats this run.
        progress: called with a short text before each piece of work.
        only: names of the stages to judge (all if None).
        sequence: launch it again on the same memory, see :mod:`verify.sequence`.
        place: where the candidate runs; everything is judged on the CPU, by the first process.
    """
    started = time.perf_counter()
    storage = Storage(place)
    first = launch(case, candidate, storage, progress)
    stages, judge = judge_launch(first, progress, only)
    progress("layer checks")
    layer_checks = [*place.merged(check_layer(first)), *process_checks(first, candidate, place)]
    progress("free-running oracle")
    oracle = run_layer(case.layer, ORACLE, case.contexts, case.inputs)
    end_to_end = compare_outputs(case.layer, first.taps, oracle, case.written())
    del oracle
    vacuity = prove_inputs(case, first.taps, judge.unusable, progress)
    launches = []
    tensors = judge.failing
    if sequence:
        for followed in follow(first, candidate, storage, progress):
            report, failing = judge_followed(followed, progress, only, place)
            launches.append(report)
            tensors |= {f"{report.launch}.{name}": kept for name, kept in failing.items()}

    verdicts = verdict_of(stages, layer_checks)
    verdicts += [Verdict.PASS if v.seen else Verdict.FAIL for v in vacuity]
    verdicts += [report.verdict for report in launches]
    verdict = worst_verdict(verdicts)
    record = Record(
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=command,
        environment=environment(place.device, first.run.evidence.hardware, place.named),
        candidate=info,
        layer=case.layer.name,
        layer_index=case.contexts[0].layer.index,
        preset=case.preset,
        config_digest=case.contexts[0].config.digest(),
        weights=case.weights,
        tp=len(case.contexts),
        seed=case.seed,
        family=case.family,
        step=_step_info(case.step),
        stages=stages,
        layer_checks=layer_checks,
        end_to_end=end_to_end,
        vacuity=vacuity,
        launches=launches,
        builds=list(first.run.evidence.builds),
        simulation=first.run.evidence.simulation,
        hardware=verdict if first.run.evidence.hardware else Verdict.NOT_CHECKED,
        verdict=verdict,
        seconds=time.perf_counter() - started,
        peak_memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )
    return Outcome(record, tensors)


def judge_followed(
    followed: Followed,
    progress: Progress,
    only: frozenset[str] | None = None,
    place: Placement = ON_CPU,
) -> tuple[LaunchReport, dict[str, dict[str, Tensor]]]:
    """Judge a launch that followed.

    Returns:
        its report, and the tensors of failing outputs by output and name.
    """
    stages: list[StageReport] = []
    checks: list[Check] = []
    failing: dict[str, dict[str, Tensor]] = {}
    verdict, done = Verdict.NOT_CHECKED, followed.launched
    if done is not None:
        if followed.ranks:
            stages, judge = judge_launch(done, progress, only, followed.ranks)
            failing = judge.failing
        checks = place.merged([*check_layer(done), *followed.checks])
        verdict = worst_verdict(verdict_of(stages, checks))
    report = LaunchReport(
        launch=followed.name,
        step=_step_info(followed.case.step),
        ranks=sorted(followed.ranks),
        stages=stages,
        checks=checks,
        verdict=verdict,
        note=followed.refusal,
    )
    return report, failing


def _step_info(step: Step) -> StepInfo:
    return StepInfo(
        rows=step.rows,
        drafts=step.drafts,
        requests=step.requests,
        accepted=list(step.accepted),
        padded=step.padded,
    )


def output_storage(case: Case, rank: int) -> dict[str, Guarded]:
    """Guarded storage of a rank's outputs (poisoned) and state pools (holding the old state)."""
    return Storage().prepare(case, rank)


def failures(record: Record) -> list[tuple[str, Check]]:
    """Every failed check with the place it belongs to."""
    found = _failed("", record.stages, record.layer_checks)
    for report in record.launches:
        found += _failed(f"launch {report.launch}: ", report.stages, report.checks)
    return found


def _failed(
    prefix: str, stages: list[StageReport], layer_checks: list[Check]
) -> list[tuple[str, Check]]:
    found = [
        (f"{prefix}{report.stage}.{output.output}", check)
        for report in stages
        for output in report.outputs
        for check in output.checks
        if check.verdict is Verdict.FAIL
    ]
    return found + [
        (f"{prefix}layer", check) for check in layer_checks if check.verdict is Verdict.FAIL
    ]
