"""vLLM's production K1 and K2, compiled from their own sources and run on the simulator at TP8."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from torch import Tensor

from kk3ref.stages import Layer
from verify.candidates.base import CandidateError, Evidence, LayerCall, RunOptions
from verify.candidates.simulation import build_record, simulation_record
from verify.data import Check

if TYPE_CHECKING:
    from kk3fast.peers.vllm_simulated import SimulatedRun

_NEEDED = ("flydsl", "llvmlite")


class VllmCandidate:
    """The peer's fused kernels for one layer kind."""

    name = "vllm"
    description = "vLLM 0.33.0's production kernels, simulated (hardware: not checked)"

    def __init__(self, layer: Layer, options: RunOptions):
        self._layer = layer.name
        self._options = options
        self._run: SimulatedRun | None = None

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
        from kk3fast.peers.vllm_simulated import UnsupportedStep, simulate
        from kk3fast.sim import Models, Schedule, SimulationError

        kernel: Literal["k1", "k2"] = "k1" if call.layer.name == "k1" else "k2"
        if call.layer.name not in ("k1", "k2"):
            raise CandidateError(f"vllm has K1 and K2, not {call.layer.name}")
        options = self._options
        try:
            self._run = simulate(
                kernel,
                call.contexts,
                call.inputs,
                call.buffers,
                schedule=Schedule(order=options.order, seed=options.schedule_seed),
                models=Models(mfma_order=options.mfma_order),
                sanitize=options.sanitize,
            )
        except (UnsupportedStep, SimulationError) as error:
            raise CandidateError(str(error)) from error
        return self._run.taps

    def evidence(self) -> Evidence:
        """Health words, the simulator's findings, and what was run."""
        assert self._run is not None
        run, result = self._run, self._run.result
        findings = [str(finding) for finding in result.findings]
        checks = (
            Check.none_of("waits_and_alarms", run.problems),
            *((Check.none_of("sanitizer", findings),) if self._options.sanitize else ()),
        )
        simulation = simulation_record(result, self._options)
        return Evidence(checks, (build_record(run.identity),), simulation)
