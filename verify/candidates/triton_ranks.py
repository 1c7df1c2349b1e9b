"""The Triton kernels of one rank, whose peers run in other processes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from verify.candidates.base import CandidateError, Evidence, LayerCall
from verify.candidates.triton import TritonLaunch
from verify.device import synchronize

if TYPE_CHECKING:
    from kk3fast.triton.peers import Peers, SlotLayout

LAYERS = ("k2", "moe")
"""Layers with a collective; the others are the same in one process."""
LATE_S = 0.05
"""How long after the next rank each rank's launch starts after idling."""
FIRST_NS = 300_000_000_000
"""Limit of the first launch's waits: a peer may still be compiling."""
CPU_POLLS = 10_000_000
"""Limit under the interpreter, where a poll is a Python step."""


class ProcessLaunch:
    """This rank's launches over memory that its peers have mapped.

    Raises:
        CandidateError: the layer has no collective.
        HandshakeError: on every rank alike: they could not map each other's memory.
    """

    def __init__(self, call: LayerCall, device: torch.device):
        assert call.ranks is not None
        if call.layer.name not in LAYERS:
            told = f"{call.layer.name} has no collective: verify it without torchrun"
            raise CandidateError(f"triton: {told}")
        self._call, self._ranks = call, call.ranks
        self._late = False
        own = self._ranks.rank
        alone = replace(
            call,
            contexts=[call.contexts[own]],
            inputs=[call.inputs[own]],
            buffers=[call.buffers[own]],
            ranks=None,
        )
        self._launch = TritonLaunch(alone, device, self._connect)
        self.notes = self._launch.notes
        self._usual = self._launch.limit
        self._launch.limit = FIRST_NS if device.type == "cuda" else CPU_POLLS

    def _connect(self, layout: SlotLayout, device: torch.device) -> list[Peers]:
        from kk3fast.triton.peers import connect_processes

        peers, memory = connect_processes(layout, self._ranks.rank, self._ranks.group, device)
        self._ranks.keep(memory)
        return [peers]

    def __call__(self) -> None:
        self.wait()
        self._launch()
        if self._ranks.device.type == "cuda":
            self._launch.limit = self._usual

    def give_up_after(self, limit: int) -> None:
        """Set the waits' limit: nanoseconds on a GPU, polls elsewhere."""
        self._usual = self._launch.limit = limit

    def failed(self) -> bool:
        """Whether a wait of this rank gave up; waits for the device."""
        return bool(self._launch.problems())

    def idle(self) -> None:
        """Let the next launches start one after the other, the last rank first."""
        self._late = True

    def wait(self) -> None:
        """What the host does before a launch, also before a captured one."""
        if self._late:
            time.sleep(LATE_S * (self._ranks.size - 1 - self._ranks.rank))
            self._late = False

    def taps(self) -> list[dict[str, Tensor]]:
        """Everything the last launch of every rank exposes; the others' buffers are filled, too."""
        own, buffers = self._ranks.rank, self._call.buffers
        (inner,) = self._launch.taps() or [{}]
        synchronize(self._ranks.device)
        mine = (_on_cpu(inner), _on_cpu(buffers[own]))
        found: list[dict[str, Tensor]] = []
        for rank, (taps, left) in enumerate(self._ranks.exchange(mine)):
            found.append(inner if rank == own else taps)
            for name, tensor in left.items() if rank != own else ():
                buffers[rank][name].copy_(tensor)
        return found

    def problems(self) -> list[str]:
        """Waits of any rank that gave up so far."""
        every: Sequence[list[str]] = self._ranks.exchange(self._launch.problems())
        return [told for problems in every for told in problems]

    def evidence(self) -> Evidence:
        """Health words of this rank's waits, and what it ran."""
        return self._launch.evidence()


def _on_cpu(values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: t.detach().cpu().clone() for name, t in values.items()}
