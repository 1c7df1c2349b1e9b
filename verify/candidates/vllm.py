"""vLLM's production K1 and K2, compiled from their own sources and run on the simulator at TP8."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from torch import Tensor

from kk3ref.stages import Layer
from verify.candidates.base import (
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
    from kk3fast.peers.vllm_simulated import Session, SimulatedRun

_NEEDED = ("flydsl", "llvmlite")


class VllmCandidate:
    """The peer's fused kernels for one layer kind."""

    name = "vllm"
    description = "vLLM 0.33.0's production kernels, simulated (hardware: not checked)"
    batch_invariant = True  # what it sums does not depend on the rows of a build

    def __init__(self, layer: Layer, options: RunOptions):
        self._layer = layer.name
        self._options = options
        self._run: SimulatedRun | None = None
        self._session: Session | None = None
        self._traced = False

    def available(self) -> tuple[bool, str]:
        missing = [name for name in _NEEDED if find_spec(name) is None]
        if missing:
            return False, f"needs {', '.join(missing)}: pip install 'kk3[sim]'"
        from kk3fast.peers.errors import PeerSourcesError
        from kk3fast.peers.vllm_sources import kernel_folder

        try:
            kernel_folder()
        except PeerSourcesError as error:
            return False, str(error)
        if self._layer not in ("k1", "k2"):
            return False, f"it has K1 and K2, not {self._layer}"
        return True, "vLLM 0.33.0's sources, simulated"

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        launch = self.bind(call)
        launch()
        self._run = launch.last
        return launch.taps()

    def bind(self, call: LayerCall) -> SimulatedLaunch:
        """The kernel over memory that is kept between launches (see ``verify.replay``).

        Raises:
            CandidateError: no kernel for the layer, or no build for the step.
        """
        from kk3fast.peers.vllm_simulated import Session, UnsupportedStep
        from kk3fast.sim import Models

        kernel: Literal["k1", "k2"] = "k1" if call.layer.name == "k1" else "k2"
        if call.layer.name not in ("k1", "k2"):
            raise CandidateError(f"vllm has K1 and K2, not {call.layer.name}")
        options = self._options
        try:
            session = Session(
                kernel,
                call.contexts,
                call.inputs,
                call.buffers,
                models=Models(mfma_order=options.mfma_order),
                sanitize=options.sanitize,
                writers=self._traced,
            )
        except UnsupportedStep as error:
            raise NotServed(str(error)) from error
        self._session = session
        return SimulatedLaunch(session, len(call.contexts), options)

    def trace(self) -> None:
        """Keep who stores what in the next runs (slower: the sanitizer keeps it)."""
        self._traced = True

    def provenance(self, rank: int, tap: str, index: tuple[int, ...]) -> Provenance | None:
        """The last store to an element of a tap, after a traced run."""
        assert self._session is not None
        found = self._session.writer(rank, tap, index)
        if found is None:
            return None
        return Provenance(found.kernel, found.rank, found.block, found.wave, str(found.where))

    def evidence(self) -> Evidence:
        """Health words, the simulator's findings, and what was run."""
        assert self._run is not None
        return evidence_of(self._run, self._options)


class SimulatedLaunch:
    """A kernel launched again and again over the same simulated memory.

    Attributes:
        last: the last launch.
    """

    def __init__(self, session: Session, ranks: int, options: RunOptions):
        from verify.replay.launch import Mode

        self.mode = Mode.SIMULATED
        self.notes = ["compiled for gfx950, launched on the simulator; on hardware: not checked"]
        self.last: SimulatedRun | None = None
        self._session, self._ranks, self._options = session, ranks, options
        self._late = False

    def __call__(self) -> None:
        from kk3fast.sim import Schedule, SimulationError

        options = self._options
        # After idling, ranks do not start together: the last one comes first, 50 µs apart.
        delays = {rank: 5_000 * (self._ranks - 1 - rank) for rank in range(self._ranks)}
        schedule = Schedule(
            order=options.order, seed=options.schedule_seed, delays=delays if self._late else {}
        )
        self._late = False
        try:
            self.last = self._session.launch(schedule)
        except SimulationError as error:
            raise CandidateError(str(error)) from error

    def idle(self) -> None:
        """Let the ranks of the next launch start late, one after the other."""
        self._late = True

    def taps(self) -> list[dict[str, Tensor]]:
        """What the last launch handed over between its workgroups."""
        return self.last.taps if self.last else []

    def problems(self) -> list[str]:
        """Given-up waits and alarms of all launches: the words are sticky."""
        return self.last.problems if self.last else []

    def evidence(self) -> Evidence:
        """Of the last launch."""
        assert self.last is not None
        return evidence_of(self.last, self._options)


def evidence_of(run: SimulatedRun, options: RunOptions) -> Evidence:
    """Health words, the simulator's findings, and what was run."""
    result = run.result
    findings = [str(finding) for finding in result.findings]
    checks = (
        Check.none_of("waits_and_alarms", run.problems),
        *((Check.none_of("sanitizer", findings),) if options.sanitize else ()),
    )
    return Evidence(checks, (build_record(run.identity),), simulation_record(result, options))
