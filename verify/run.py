"""One verification: run the candidate, judge every stage, check the layer, write the evidence."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone

import torch
from torch import Tensor

from kk3ref.precision import ORACLE
from kk3ref.stages import Role, run_layer
from verify.candidates import Candidate, LayerCall, execute
from verify.checks import layerwide
from verify.checks.end_to_end import compare_outputs
from verify.checks.stage import Judge
from verify.checks.vacuity import prove_inputs
from verify.data import (
    CandidateInfo,
    Check,
    Record,
    StageReport,
    StepInfo,
    Verdict,
    worst_verdict,
)
from verify.device import CPU, moved_call, taps_to_cpu
from verify.environment import environment
from verify.inputs import Case
from verify.memory import Guarded, guarded

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
    device: torch.device = CPU,
) -> Outcome:
    """Verify one candidate on one case.

    Args:
        case: layer, weights, inputs and step.
        candidate: what to verify; it is run once.
        info: how the candidate is named in the record.
        command: the command line that repeats this run.
        progress: called with a short text before each piece of work.
        only: names of the stages to judge (all if None).
        device: where the candidate runs; everything is judged on the CPU.
    """
    started = time.perf_counter()
    storage = [output_storage(case, rank, device) for rank in range(len(case.contexts))]
    buffers = [{name: g.tensor for name, g in named.items()} for named in storage]
    call = moved_call(LayerCall(case.layer, case.contexts, case.inputs, buffers), device)
    # The judge reads copies: a candidate that spoils its inputs does not spoil what they were.
    before = replace(case, inputs=_copies(case.inputs))
    run = execute(candidate, call, lambda stage: progress(f"candidate: {stage}"))
    if device.type != "cpu":
        run = replace(run, taps=taps_to_cpu(run.taps))

    judge = Judge(
        case.layer, case.contexts, before.inputs, run.taps, run.stood_in, case.step.live_rows
    )
    stages = []
    for s in case.layer.stages:
        if only is None or s.name in only:
            progress(f"judge: {s.name}")
            stages.append(judge.stage(s))
    stages = [_mark_covered(report, judge) for report in stages]

    progress("layer checks")
    layer_checks = [
        layerwide.ranks_equal(case.layer, run.taps),
        layerwide.outputs_written(case.layer, run.taps),
        layerwide.untouched_slots(case.layer, before.pools_before(), run.taps, case.written()),
        layerwide.guards_intact(storage),
        layerwide.inputs_unchanged(before.inputs, taps_to_cpu(call.inputs)),
        *run.evidence.checks,
    ]
    progress("free-running oracle")
    oracle = run_layer(case.layer, ORACLE, case.contexts, before.inputs)
    end_to_end = compare_outputs(case.layer, run.taps, oracle, case.written())
    del oracle
    vacuity = prove_inputs(before, run.taps, judge.unusable, progress)

    verdicts = [r.verdict for report in stages for r in report.outputs if r.covered_by is None]
    verdicts += [check.verdict for check in layer_checks]
    verdicts += [Verdict.PASS if v.seen else Verdict.FAIL for v in vacuity]
    record = Record(
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=command,
        environment=environment(device),
        candidate=info,
        layer=case.layer.name,
        layer_index=case.contexts[0].layer.index,
        preset=case.preset,
        config_digest=case.contexts[0].config.digest(),
        weights=case.weights,
        tp=len(case.contexts),
        seed=case.seed,
        family=case.family,
        step=StepInfo(
            rows=case.step.rows,
            drafts=case.step.drafts,
            requests=case.step.requests,
            accepted=list(case.step.accepted),
            padded=case.step.padded,
        ),
        stages=stages,
        layer_checks=layer_checks,
        end_to_end=end_to_end,
        vacuity=vacuity,
        builds=list(run.evidence.builds),
        simulation=run.evidence.simulation,
        verdict=worst_verdict(verdicts),
        seconds=time.perf_counter() - started,
        peak_memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )
    return Outcome(record, judge.failing)


def _copies(inputs: Sequence[Mapping[str, Tensor]]) -> tuple[dict[str, Tensor], ...]:
    """Copies of all inputs; what ranks share stays shared."""
    made: dict[int, Tensor] = {}
    return tuple(
        {name: made.setdefault(id(t), t.clone()) for name, t in values.items()} for values in inputs
    )


def output_storage(case: Case, rank: int, device: torch.device = CPU) -> dict[str, Guarded]:
    """Guarded storage of a rank's outputs (poisoned) and state pools (holding the old state)."""
    storage = {}
    before: Mapping[str, Tensor] = case.pools_before()[rank]
    for tap in case.layer.taps:
        role = case.layer.roles[tap.name]
        if role is Role.STATE:
            old = before[tap.name]
            # A gap after each slot: pools are strided, as a paged cache has them.
            slot = old[0].numel()
            stride = (slot + 16, *torch.empty(old.shape[1:], device="meta").stride())
            pool = guarded(tuple(old.shape), old.dtype, stride, device)
            pool.tensor.copy_(old)
            storage[tap.name] = pool
        elif role is Role.OUTPUT:
            storage[tap.name] = guarded(case.output_shape(tap.name, rank), tap.dtype, device=device)
    return storage


def _mark_covered(report: StageReport, judge: Judge) -> StageReport:
    outputs = [
        r
        if r.verdict is not Verdict.NOT_CHECKED
        else r.model_copy(update={"covered_by": judge.covered_by(r.output)})
        for r in report.outputs
    ]
    judged = [r.verdict for r in outputs if r.covered_by is None]
    verdict = worst_verdict(judged) if judged else report.verdict
    return report.model_copy(update={"outputs": outputs, "verdict": verdict})


def failures(record: Record) -> list[tuple[str, Check]]:
    """Every failed check with the place it belongs to."""
    found = [
        (f"{report.stage}.{output.output}", check)
        for report in record.stages
        for output in report.outputs
        for check in output.checks
        if check.verdict is Verdict.FAIL
    ]
    found += [("layer", check) for check in record.layer_checks if check.verdict is Verdict.FAIL]
    return found
