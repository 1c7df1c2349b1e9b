"""Launches on the simulator: every rank, in order, on the memory the tensors themselves have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from kk3fast.compile import Artefact, ArtefactCache
from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.run.memory import ALARM_BYTES, StepMemory
from kk3fast.flydsl.run.values import KernelLaunch, Paged, Value, extent
from kk3fast.sim import CompiledKernel, Models, Region, Result, Schedule, Simulator, compile_kernel

_SOURCES = {"kk3fast/flydsl/": Path(__file__).resolve().parents[1]}


@dataclass(frozen=True)
class SimulatedRun:
    """A finished run.

    Attributes:
        artefacts: what was compiled, one a launch.
        result: counts, findings and the virtual clock.
    """

    artefacts: list[Artefact]
    result: Result


def run(
    launches: Sequence[KernelLaunch],
    memory: StepMemory,
    *,
    schedule: Schedule | None = None,
    models: Models | None = None,
    sanitize: bool = False,
    cache: ArtefactCache | None = None,
    isa: bool = True,
    writers: bool = False,
    raise_on_fault: bool = True,
    timeout_s: float = 1800.0,
) -> SimulatedRun:
    """Run launches one after another on every rank, in the memory's current step.

    Args:
        writers: keep who stored every word last.
        raise_on_fault: else faults are among the result's findings, and outputs are as they are.

    Raises:
        SimulationError: the run faulted.
        BuildError, CompileError: a build does not compile.
    """
    sim = Simulator(schedule, models, sanitize=sanitize, writers=writers)
    regions = _Regions(sim, memory, _written(launches))
    cache = cache or ArtefactCache()
    artefacts = []
    for launch in launches:
        artefact = launch.build.compile(isa=isa, cache=cache)
        kernel = _kernel(artefact, launch.build)
        for rank, values in enumerate(launch.values):
            given = {n: regions.of(n, v, rank) for n, v in values.items()}
            given |= regions.provided(rank, launch.slot)
            arguments = [given[a.name] for a in launch.build.arguments()]
            sim.launch(kernel, launch.build.grid_for(values), arguments, rank=rank)
        artefacts.append(artefact)
    result = sim.run(timeout_s=timeout_s, raise_on_fault=raise_on_fault)
    return SimulatedRun(artefacts, result)


def _kernel(artefact: Artefact, build: KernelBuild) -> CompiledKernel:
    return compile_kernel(artefact.located_ir, block=build.block, sources=_SOURCES)


def _key(tensor: Tensor) -> object:
    return (tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride())


def _written(launches: Sequence[KernelLaunch]) -> set[object]:
    """Keys of the tensors that some launch writes."""
    return {
        _key(value)
        for launch in launches
        for values in launch.values
        for argument in launch.build.arguments()
        if argument.access != "read" and isinstance(value := values.get(argument.name), Tensor)
    }


class _Regions:
    """Regions of a run; a tensor that several launches or ranks share is one region."""

    def __init__(self, sim: Simulator, memory: StepMemory, written: set[object]) -> None:
        self._sim = sim
        self._written = written
        self._made: dict[object, Region] = {}
        self._kept: list[object] = []
        self._provided = [self._of_rank(memory, rank) for rank in range(memory.ranks)]
        bases = [p["peer"].address + ALARM_BYTES for p in self._provided]
        self._table = torch.tensor(bases, dtype=torch.int64)
        self._peers = sim.region("peers", self._table, writable=False)
        self._alarms = [self._provided[0]["peer"].address + 4 * r for r in range(memory.ranks)]

    def _of_rank(self, memory: StepMemory, rank: int) -> dict[str, Region]:
        tensors = {
            "scratch": memory.scratch[rank],
            "peer": memory.peer[rank],
            "health": memory.health[rank],
            "epoch": memory.counter[rank],
        }
        return {
            name: self._sim.region(f"{name} of rank {rank}", tensor, rank=rank)
            for name, tensor in tensors.items()
        }

    def provided(self, rank: int, slot: int) -> dict[str, Region | int]:
        """What every launch of a rank shares."""
        own = self._provided[rank]
        return {
            "scratch": own["scratch"],
            "epoch": own["epoch"],
            "health": own["health"],
            "alarm": self._alarms[rank],
            "peers": self._peers,
            "rank": rank,
            "slot": slot,
        }

    def of(self, name: str, value: Value, rank: int) -> Region | int:
        """A value as an argument."""
        if isinstance(value, int):
            return value
        if isinstance(value, Paged):
            return self._paged(name, value, rank)
        return self._tensor(name, value, rank)

    def _paged(self, name: str, value: Paged, rank: int) -> Region:
        if id(value) not in self._made:
            self._kept.append(value)
            self._made[id(value)] = self._sim.region(
                f"{name} of rank {rank}",
                nbytes=value.total_bytes,
                pages=value.page,
                page_bytes=value.page_bytes,
                rank=rank,
                writable=False,
            )
        return self._made[id(value)]

    def _tensor(self, name: str, tensor: Tensor, rank: int) -> Region:
        key = _key(tensor)
        if key not in self._made:
            self._kept.append(tensor)
            written = key in self._written
            self._made[key] = self._sim.region(
                f"{name} of rank {rank}",
                extent(tensor),
                rank=rank if written else None,
                writable=written,
            )
        return self._made[key]


def run_one(build: KernelBuild, values: Mapping[str, Tensor | int], rank: int = 0) -> Result:
    """Run one build on one rank, every argument given: tensors' own memory, and integers.

    Raises:
        ValueError: the kernel talks to other ranks.
        SimulationError: the run faulted.
    """
    if build.peer():
        raise ValueError(
            f"{build.kernel} talks to other ranks: run all of them together with run(…)"
        )
    sim = Simulator()
    written = {a.name for a in build.arguments() if a.access != "read"}
    alarm = sim.region("alarm", torch.zeros(4, dtype=torch.int32), rank=rank)
    given: dict[str, object] = {"alarm": alarm}
    for name, value in values.items():
        if isinstance(value, Tensor):
            region = sim.region(name, extent(value), rank=rank, writable=name in written)
            given[name] = region
        elif name not in given:
            given[name] = value
    artefact = build.compile(isa=False, cache=ArtefactCache())
    arguments = [given[a.name] for a in build.arguments()]
    sim.launch(_kernel(artefact, build), build.grid_for(values), arguments, rank=rank)
    return sim.run()
