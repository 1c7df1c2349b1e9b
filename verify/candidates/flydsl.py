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
    from kk3fast.compile import Artefact
    from kk3fast.flydsl.run.memory import StepMemory
    from kk3fast.flydsl.run.values import KernelLaunch
    from kk3fast.sim import Result

_NEEDED = ("flydsl", "llvmlite")


class FlydslCandidate:
    """The fused kernels of one layer kind, every rank of a step."""

    name = "flydsl"
    description = "kk3's FlyDSL kernels: on gfx950 where there is one, else simulated"

    def __init__(self, layer: Layer, options: RunOptions):
        self._layer = layer.name
        self._options = options
        self._problems: list[str] = []
        self._artefacts: list[Artefact] = []
        self._device = (False, "nothing was run")
        self.result: Result | None = None
        """the simulator's, if it ran there"""

    def available(self) -> tuple[bool, str]:
        missing = [name for name in _NEEDED if find_spec(name) is None]
        if missing:
            return False, f"needs {', '.join(missing)}: pip install 'kk3[sim]'"
        from kk3fast.flydsl.layers import FUSED

        if self._layer not in FUSED:
            return False, f"it has {', '.join(FUSED)}, not {self._layer}"
        return True, "compiled for gfx950; simulated where there is none"

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        from kk3fast.flydsl.layers import FUSED
        from kk3fast.flydsl.run.health import problems
        from kk3fast.flydsl.run.layer import UnsupportedStep
        from kk3fast.flydsl.run.memory import StepMemory
        from kk3fast.sim import SimulationError

        layer, ranks = FUSED[self._layer], len(call.contexts)
        further: dict[str, Any] = dict(self._options.build)
        try:
            launches = layer.launches(call.contexts, call.inputs, call.buffers, further)
            builds = [launch.build for launch in launches]
            memory = StepMemory.for_builds(builds, ranks)
            memory.begin_step()
            self._launch(launches, memory)
        except (UnsupportedStep, SimulationError) as error:
            raise CandidateError(str(error)) from error
        self._problems = problems(memory, builds)
        return [layer.taps(launches, memory, rank) for rank in range(ranks)]

    def _launch(self, launches: list[KernelLaunch], memory: StepMemory) -> None:
        """The same launches on the same memory, on the GPUs or on the simulator."""
        from kk3fast.flydsl.run import device, simulated
        from kk3fast.sim import Models, Schedule

        options = self._options
        self._device = device.available(memory.ranks)
        if self._device[0]:
            self._artefacts = device.run(launches, memory).artefacts
            return
        run = simulated.run(
            launches,
            memory,
            schedule=Schedule(order=options.order, seed=options.schedule_seed),
            models=Models(mfma_order=options.mfma_order),
            sanitize=options.sanitize,
        )
        self._artefacts, self.result = run.artefacts, run.result

    def evidence(self) -> Evidence:
        """Health words, the simulator's findings, and what was run."""
        builds = tuple(build_record(artefact.identity) for artefact in self._artefacts)
        waits = Check.none_of("waits_and_alarms", self._problems)
        if self.result is None:
            return Evidence((waits,), builds, hardware=self._device[1])
        checks = [waits]
        if self._options.sanitize:
            findings = [str(finding) for finding in self.result.findings]
            checks.append(Check.none_of("sanitizer", findings))
        return Evidence(tuple(checks), builds, simulation_record(self.result, self._options))
