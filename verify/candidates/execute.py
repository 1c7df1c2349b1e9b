"""Run a candidate of either form on a layer call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from kk3ref.precision import CONTRACT
from kk3ref.stages import Role, Scope, Stage, run_stage
from verify.candidates.base import (
    Candidate,
    CandidateError,
    CandidateRun,
    Evidence,
    LayerCall,
    StageFunction,
)

Progress = Callable[[str], None]


def execute(candidate: Candidate, call: LayerCall, progress: Progress) -> CandidateRun:
    """Run ``candidate`` once.

    Raises:
        CandidateError: what it gave does not fit the layer, or it has neither form.
    """
    if call.ranks is not None and not getattr(candidate, "processes", False):
        raise CandidateError(
            f"{candidate.name}: runs all ranks in one process, start it without torchrun"
        )
    if hasattr(candidate, "run"):
        progress("layer")
        given = candidate.run(call)
        if len(given) != len(call.contexts):
            raise CandidateError(
                f"{candidate.name}: must return one mapping a rank "
                f"({len(call.contexts)}), got {len(given)}"
            )
        taps = [dict(mapping) for mapping in given]
        for rank, buffers in enumerate(call.buffers):
            for name, buffer in buffers.items():
                taps[rank].setdefault(name, buffer)
        evidence = candidate.evidence() if hasattr(candidate, "evidence") else Evidence()
        run = CandidateRun(taps, evidence=evidence)
    elif hasattr(candidate, "stage"):
        run = _stage_by_stage(candidate.stage, call, progress)
    else:
        raise CandidateError(f"{candidate.name}: must have run(call) or stage(name), has neither")
    _validate(candidate, call, run)
    return run


def _stage_by_stage(
    lookup: Callable[[str], StageFunction | None], call: LayerCall, progress: Progress
) -> CandidateRun:
    values: list[dict[str, Any]] = [dict(v) for v in call.inputs]
    stood_in = set()
    results: Sequence[Mapping[str, Any]]
    for s in call.layer.stages:
        progress(s.name)
        function = lookup(s.name)
        if function is None:
            stood_in.add(s.name)
            results = run_stage(s, CONTRACT, call.contexts, values)
        else:
            results = _call_stage(s, function, call, values)
        for v, result in zip(values, results, strict=True):
            v.update(result)
    names = {tap.name for tap in call.layer.taps}
    taps = [{name: t for name, t in v.items() if name in names} for v in values]
    return CandidateRun(taps, frozenset(stood_in))


def _call_stage(
    s: Stage, function: StageFunction, call: LayerCall, values: list[dict[str, Any]]
) -> list[Mapping[str, Tensor]]:
    if s.scope is Scope.COLLECTIVE:
        gathered = {name: [v[name] for v in values] for name in s.inputs}
        result = function(call.contexts[0], gathered)
        results = [result] * len(values)
    else:
        results = [
            function(c, {name: v[name] for name in s.inputs})
            for c, v in zip(call.contexts, values, strict=True)
        ]
    for rank, result in enumerate(results):
        missing = [tap.name for tap in s.outputs if tap.name not in result]
        if missing:
            raise CandidateError(
                f"stage {s.name}, rank {rank}: must give {[t.name for t in s.outputs]}, "
                f"missing {missing}"
            )
    return results


def _validate(candidate: Candidate, call: LayerCall, run: CandidateRun) -> None:
    known = {tap.name for tap in call.layer.taps}
    problems = []
    for rank, taps in enumerate(run.taps):
        extra = sorted(set(taps) - known)
        if extra:
            problems.append(f"rank {rank} returned {extra}; the layer's taps are {sorted(known)}")
        needed = [name for name, role in call.layer.roles.items() if role is not Role.TAP]
        missing = [name for name in needed if name not in taps]
        if missing:
            problems.append(f"rank {rank} did not give {missing}")
        problems += [
            f"rank {rank}: {name} must be a tensor, got {type(value).__name__}"
            for name, value in taps.items()
            if not isinstance(value, Tensor)
        ]
    if problems:
        raise CandidateError(f"{candidate.name}: " + "; ".join(problems))
