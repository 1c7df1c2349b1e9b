"""One launch of a candidate on memory that launches share, and its judgement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from kk3ref.stages import Role
from verify.candidates import Candidate, LayerCall, execute
from verify.candidates.base import CandidateRun
from verify.checks import layerwide
from verify.checks.stage import Judge
from verify.data import Check, StageReport, Verdict, worst_verdict
from verify.device import taps_to_cpu
from verify.inputs import Case
from verify.memory import Guarded, far_apart, guarded, poison
from verify.placement import ON_CPU, Placement

Progress = Callable[[str], None]


class Storage:
    """Outputs and state pools of all ranks; later launches get the same memory."""

    def __init__(self, place: Placement = ON_CPU) -> None:
        self.place = place
        self._held: dict[tuple[int, str, torch.Size], Guarded] = {}

    def prepare(self, case: Case, rank: int) -> dict[str, Guarded]:
        """A rank's outputs, poisoned, and its state pools, holding the state before the step."""
        before: Mapping[str, Tensor] = case.pools_before()[rank]
        storage = {}
        for tap in case.layer.taps:
            role = case.layer.roles[tap.name]
            old = before.get(tap.name) if role is Role.STATE else None
            if old is None and role is not Role.OUTPUT:
                continue
            shape = case.output_shape(tap.name, rank) if old is None else old.shape
            key = (rank, tap.name, torch.Size(shape))
            if key not in self._held:
                self._held[key] = (
                    guarded(shape, tap.dtype, device=self.place.of(rank))
                    if old is None
                    else _pool(case, tap.name, old, self.place.of(rank))
                )
            storage[tap.name] = self._held[key]
            if old is None:
                poison(self._held[key].tensor)
            else:
                self._held[key].tensor.copy_(old)
        return storage


def _pool(case: Case, name: str, old: Tensor, device: torch.device) -> Guarded:
    if case.far_pages and name == "kv_cache_after" and device.type == "cpu":
        return far_apart(tuple(old.shape), old.dtype)
    # A gap after each slot: pools are strided, as a paged cache has them.
    stride = (old[0].numel() + 16, *torch.empty(old.shape[1:], device="meta").stride())
    return guarded(tuple(old.shape), old.dtype, stride, device)


@dataclass
class Launched:
    """A launch that has run.

    Attributes:
        case: what it was given; a candidate got copies.
        run: what the candidate gave.
        storage: its outputs and pools, one mapping a rank.
        written: a message for each input it wrote.
    """

    case: Case
    run: CandidateRun
    storage: list[dict[str, Guarded]]
    written: list[str]

    @property
    def taps(self) -> list[dict[str, Tensor]]:
        """Everything the candidate exposes, one mapping a rank."""
        return self.run.taps


@dataclass
class _Given:
    """Every rank's own copy of its inputs, overwritten when the rank's launch has ended."""

    case: Case
    copies: list[dict[str, Tensor]]
    written: list[str] = field(default_factory=list)
    done: set[int] = field(default_factory=set)

    def take_back(self, rank: int) -> None:
        if rank in self.done:
            return
        self.done.add(rank)
        given = self.copies[rank]
        seen = {name: t.cpu() for name, t in given.items()}
        self.written += layerwide.written_inputs(rank, self.case.inputs[rank], seen)
        for tensor in given.values():
            poison(tensor)


def launch(case: Case, candidate: Candidate, storage: Storage, progress: Progress) -> Launched:
    """Run the candidate once. What a rank was given is overwritten before its results are read.

    Raises:
        CandidateError: what it gave does not fit the layer.
    """
    held = [storage.prepare(case, rank) for rank in case.ranks]
    buffers = [{name: g.tensor for name, g in named.items()} for named in held]
    place = storage.place
    copies = [
        {name: t.clone().to(place.of(rank)) for name, t in values.items()}
        for rank, values in enumerate(case.inputs)
    ]
    given = _Given(case, copies)
    contexts = place.contexts(case.contexts)
    call = LayerCall(case.layer, contexts, copies, buffers, given.take_back, place.ranks)
    run = execute(candidate, call, lambda stage: progress(f"candidate: {stage}"))
    for rank in case.ranks:
        given.take_back(rank)
    if place.device.type != "cpu":
        run = replace(run, taps=taps_to_cpu(run.taps))
    return Launched(case, run, held, given.written)


def judge_launch(
    launched: Launched,
    progress: Progress,
    only: frozenset[str] | None = None,
    ranks: frozenset[int] | None = None,
) -> tuple[list[StageReport], Judge]:
    """Judge every stage on the candidate's own inputs.

    Args:
        only: names of the stages to judge (all if None).
        ranks: ranks whose tensors are judged (all if None).
    """
    case, run = launched.case, launched.run
    judge = Judge(
        case.layer, case.contexts, case.inputs, run.taps, run.stood_in, case.step.live_rows, ranks
    )
    stages = []
    for s in case.layer.stages:
        if only is None or s.name in only:
            progress(f"judge: {s.name}")
            stages.append(judge.stage(s))
    return [_mark_covered(report, judge) for report in stages], judge


def check_layer(launched: Launched) -> list[Check]:
    """The checks of a whole layer, and those of the candidate's own runner."""
    case, taps = launched.case, launched.taps
    return [
        layerwide.ranks_equal(case.layer, taps),
        layerwide.outputs_written(case.layer, taps),
        layerwide.untouched_slots(case.layer, case.pools_before(), taps, case.written()),
        layerwide.guards_intact(launched.storage),
        Check.none_of("inputs_unchanged", launched.written),
        *launched.run.evidence.checks,
    ]


def verdict_of(stages: Sequence[StageReport], checks: Sequence[Check]) -> list[Verdict]:
    """What counts towards a run's verdict; outputs that a later stage covers do not."""
    verdicts = [r.verdict for report in stages for r in report.outputs if r.covered_by is None]
    return verdicts + [check.verdict for check in checks]


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
