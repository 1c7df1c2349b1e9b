"""Steps of small layers for our kernels: verified, and run under schedules and defects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.layers import FUSED
from kk3fast.flydsl.run import simulated
from kk3fast.flydsl.run.health import problems
from kk3fast.flydsl.run.memory import StepMemory
from kk3fast.sim import Result, Schedule
from kk3ref.checkpoint import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions
from verify.candidates.base import RunOptions
from verify.candidates.flydsl import FlydslCandidate
from verify.data import CandidateInfo, Record
from verify.inputs import Case, build_case
from verify.layers import LAYERS
from verify.run import output_storage, verify_case
from verify.step import Step

SCHEDULES = [Schedule(), Schedule("reverse"), *(Schedule("random", seed=s) for s in range(3))]


def case_of(
    kind: str,
    *,
    rows: int = 4,
    query_rows: int = 2,
    tp: int = 2,
    size: str = "tiny",
    writes_block: bool = False,
    padded: int = 0,
    family: str = "normal",
    options: LayerOptions | None = None,
    seed: int = 0,
    index: int | None = None,
) -> Case:
    """A step of a layer of a preset."""
    choice, config = LAYERS[kind], preset(size)
    fitting = [config.layer(i) for i in choice.indices(config)]
    chosen = [x.index for x in fitting if x.writes_block == writes_block and x.num_blocks]
    step = Step.resolve(rows=rows, drafts=query_rows - 1, padded=padded, seed=seed)
    layer = choice.make(options or LayerOptions())
    where = chosen[-1] if index is None else index
    weights = SyntheticWeights(config)
    return build_case(layer, weights, where, tp, step, seed, family, options=options)


def builds_of(case: Case, **options: Any) -> list[KernelBuild]:
    """The builds that serve a case, in launch order."""
    storage = [output_storage(case, rank) for rank in case.ranks]
    buffers = [{name: g.tensor for name, g in named.items()} for named in storage]
    launches = FUSED[case.layer.name].launches(case.contexts, case.inputs, buffers, options)
    return [launch.build for launch in launches]


def verified(case: Case, **options: Any) -> Record:
    """The record of the case with the ``flydsl`` candidate, sanitized."""
    build = tuple(options.items())
    candidate = FlydslCandidate(case.layer, RunOptions(sanitize=True, build=build))
    info = CandidateInfo(name="flydsl", description=candidate.description)
    return verify_case(case, candidate, info, "").record


def complaints(record: Record) -> list[str]:
    """Every check that did not pass, by place."""
    found = [
        f"{report.stage}.{output.output}: {output.verdict.value}"
        for report in record.stages
        for output in report.outputs
        if output.verdict.value != "pass" and output.covered_by is None
    ]
    return found + [
        f"{c.name}: {c.message}" for c in record.layer_checks if c.verdict.value != "pass"
    ]


class Launched:
    """One run of a case's kernels on given memory.

    Attributes:
        taps: outputs, states and inner values, one mapping a rank.
        problems: given-up waits and alarms.
        result: the simulator's.
    """

    def __init__(
        self,
        case: Case,
        schedule: Schedule | None = None,
        *,
        sanitize: bool = False,
        memory: StepMemory | None = None,
        **options: Any,
    ) -> None:
        storage = [output_storage(case, rank) for rank in case.ranks]
        buffers = [{name: g.tensor for name, g in named.items()} for named in storage]
        layer = FUSED[case.layer.name]
        launches = layer.launches(case.contexts, case.inputs, buffers, options)
        builds = [launch.build for launch in launches]
        self.memory = memory or StepMemory.for_builds(builds, len(case.contexts))
        self.memory.begin_step()
        self.result: Result = simulated.run(
            launches, self.memory, schedule=schedule, sanitize=sanitize, isa=False
        ).result
        inner = [layer.taps(launches, self.memory, rank) for rank in case.ranks]
        self.taps: list[dict[str, Tensor]] = [
            {**named, **inner[rank]} for rank, named in enumerate(buffers)
        ]
        self.problems = problems(self.memory, builds)


def differing(one: Launched, other: Launched) -> list[str]:
    """Names of what does not have the same bits on some rank."""
    pairs = zip(one.taps, other.taps, strict=True)
    return sorted({n for a, b in pairs for n in a if not torch.equal(bits(a[n]), bits(b[n]))})


def bits(tensor: Tensor) -> Tensor:
    """A tensor's bytes."""
    return tensor.contiguous().view(torch.uint8)


def with_inputs(case: Case, **changed: Tensor) -> Case:
    """The case with some inputs replaced on every rank."""
    return replace(case, inputs=tuple({**values, **changed} for values in case.inputs))
