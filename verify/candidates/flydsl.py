"""Our own FlyDSL kernels: on gfx950 where there is one, on the simulator everywhere else."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from torch import Tensor

from kk3ref.stages import Layer
from verify.candidates.base import CandidateError, Evidence, LayerCall, RunOptions
from verify.candidates.simulation import build_record, simulation_record
from verify.data import Check

if TYPE_CHECKING:
    from kk3fast.flydsl.run.memory import StepMemory
    from kk3fast.flydsl.run.simulated import SimulatedRun

_NEEDED = ("flydsl", "llvmlite")


class FlydslCandidate:
    """The fused kernels of one layer kind, every rank of a step."""

    name = "flydsl"
    description = "kk3's FlyDSL kernels, simulated (hardware: not checked)"

    def __init__(self, layer: Layer, options: RunOptions):
        self._layer = layer.name
        self._options = options
        self._run: SimulatedRun | None = None
        self._problems: list[str] = []

    def available(self) -> tuple[bool, str]:
        missing = [name for name in _NEEDED if find_spec(name) is None]
        if missing:
            return False, f"needs {', '.join(missing)}: pip install 'kk3[sim]'"
        from kk3fast.flydsl.layers import FUSED

        if self._layer not in FUSED:
            return False, f"it has {', '.join(FUSED)}, not {self._layer}"
        return True, "compiled for gfx950, simulated"

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        from kk3fast.flydsl.layers import FUSED
        from kk3fast.flydsl.run import simulated
        from kk3fast.flydsl.run.health import problems
        from kk3fast.flydsl.run.layer import UnsupportedStep
        from kk3fast.flydsl.run.memory import StepMemory
        from kk3fast.sim import Models, Schedule, SimulationError

        options, layer = self._options, FUSED[self._layer]
        further: dict[str, Any] = dict(options.build)
        try:
            launches = layer.launches(call.contexts, call.inputs, call.buffers, further)
            builds = [launch.build for launch in launches]
            memory: StepMemory = StepMemory.for_builds(builds, len(call.contexts))
            memory.begin_step()
            self._run = simulated.run(
                launches,
                memory,
                schedule=Schedule(order=options.order, seed=options.schedule_seed),
                models=Models(mfma_order=options.mfma_order),
                sanitize=options.sanitize,
            )
        except (UnsupportedStep, SimulationError) as error:
            raise CandidateError(str(error)) from error
        self._problems = problems(memory, builds)
        return [layer.taps(launches, memory, rank) for rank in range(len(call.contexts))]

    def evidence(self) -> Evidence:
        """Health words, the simulator's findings, and what was run."""
        assert self._run is not None
        run, findings = self._run, [str(finding) for finding in self._run.result.findings]
        checks = (
            Check.none_of("waits_and_alarms", self._problems),
            *((Check.none_of("sanitizer", findings),) if self._options.sanitize else ()),
        )
        builds = tuple(build_record(artefact.identity) for artefact in run.artefacts)
        return Evidence(checks, builds, simulation_record(run.result, self._options))

