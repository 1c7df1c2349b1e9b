"""Our own FlyDSL kernels: on gfx950 where there is one, on the simulator everywhere else."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from torch import Tensor

from kk3ref.stages import Layer
from verify.candidates.base import (
    NO_PLANT,
    CandidateError,
    Evidence,
    LayerCall,
    NotServed,
    Provenance,
    RunOptions,
)
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
        self._traced = False
        self._last: FlydslLaunch | None = None
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
        launch = self._last = self.bind(call)
        launch()
        return launch.taps()

    def bind(self, call: LayerCall) -> FlydslLaunch:
        """The kernels over memory that is kept between launches (see ``verify.replay``).

        Raises:
            NotServed: no build serves the step; lists every reason.
        """
        return FlydslLaunch(self, call)

    def launch(
        self, launches: list[KernelLaunch], memory: StepMemory, delays: dict[int, int]
    ) -> None:
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
            schedule=Schedule(order=options.order, seed=options.schedule_seed, delays=delays),
            models=Models(mfma_order=options.mfma_order),
            sanitize=options.sanitize,
            writers=self._traced,
            raise_on_fault=False,  # judged: see evidence
        )
        self._artefacts, self.result = run.artefacts, run.result

    def trace(self) -> None:
        """Keep who stores what in the next simulated runs (slower)."""
        self._traced = True

    def provenance(self, rank: int, tap: str, index: tuple[int, ...]) -> Provenance | None:
        """The last store to an element of a tap, an output or a pool, after a traced run."""
        if self._last is None or self.result is None or self.result.writers is None:
            return None
        places = self._last.places(rank)
        if tap not in places:
            return None
        found = self.result.writers.at_host(int(places[tap][index]))
        if found is None:
            return None
        return Provenance(found.kernel, found.rank, found.block, found.wave, str(found.where))

    def evidence(self) -> Evidence:
        """Health words, the simulator's findings, and what was run."""
        builds = tuple(build_record(artefact.identity) for artefact in self._artefacts)
        waits = Check.none_of("waits_and_alarms", self._problems)
        if self.result is None:
            return Evidence((waits,), builds, hardware=self._device[1])
        found = self.result.findings
        faults = [str(finding) for finding in found if finding.fatal]
        checks = [waits, Check.none_of("faults", faults)]
        if self._options.sanitize:
            races = [str(finding) for finding in found if not finding.fatal]
            checks.append(Check.none_of("sanitizer", races))
        return Evidence(tuple(checks), builds, simulation_record(self.result, self._options))


class FlydslLaunch:
    """The launches of a step over scratch, mailboxes and an epoch that live on."""

    def __init__(self, candidate: FlydslCandidate, call: LayerCall):
        from kk3fast.flydsl.layers import FUSED
        from kk3fast.flydsl.run.layer import UnsupportedStep
        from kk3fast.flydsl.run.memory import StepMemory

        self._candidate, self._call, self._ranks = candidate, call, len(call.contexts)
        self._layer = FUSED[candidate._layer]
        further: dict[str, Any] = dict(candidate._options.build)
        if candidate._options.plant != NO_PLANT:
            further["plant"] = candidate._options.plant
        try:
            self._launches = self._layer.launches(call.contexts, call.inputs, call.buffers, further)
        except UnsupportedStep as error:
            raise NotServed(str(error)) from error
        self._builds = [launch.build for launch in self._launches]
        self._memory = StepMemory.for_builds(self._builds, self._ranks)
        self._late = False

    @property
    def mode(self) -> str:
        """``simulated replay``, or ``bound replay`` on hardware."""
        from kk3fast.flydsl.run import device

        return "bound replay" if device.available(self._ranks)[0] else "simulated replay"

    def __call__(self) -> None:
        from kk3fast.sim import SimulationTimeout

        # After idling, ranks do not start together: the last one comes first, 50 µs apart.
        late = {rank: 5_000 * (self._ranks - 1 - rank) for rank in range(self._ranks)}
        delays, self._late = (late if self._late else {}), False
        for inputs, buffers in zip(self._call.inputs, self._call.buffers, strict=True):
            if "prefix_after" in buffers:
                buffers["prefix_after"].copy_(inputs["prefix"])  # the kernel updates it in place
        self._memory.begin_step()
        try:
            self._candidate.launch(self._launches, self._memory, delays)
        except SimulationTimeout as error:
            raise CandidateError(str(error)) from error
        self._candidate._problems = self.problems()

    def idle(self) -> None:
        """Let the ranks of the next launch start late, one after the other."""
        self._late = True

    def taps(self) -> list[dict[str, Tensor]]:
        """What the last launch left in the mailboxes."""
        return [self._layer.taps(self._launches, self._memory, rank) for rank in range(self._ranks)]

    def places(self, rank: int) -> dict[str, Tensor]:
        """Where each element of an output, a pool and an inner value of a rank lies."""
        from kk3fast.flydsl.run.places import Places

        places = Places(self._memory)
        given = {name: places.seen(t) for name, t in self._call.buffers[rank].items()}
        return given | self._layer.taps(self._launches, places, rank)

    def problems(self) -> list[str]:
        """Given-up waits and alarms of all launches: the words are sticky."""
        from kk3fast.flydsl.run.health import problems

        return problems(self._memory, self._builds)

    def evidence(self) -> Evidence:
        """Of the last launch."""
        return self._candidate.evidence()
