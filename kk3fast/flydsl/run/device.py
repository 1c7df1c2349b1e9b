"""Launches on real gfx950 GPUs, one a rank, in one process: the same step as on the simulator.

Tensors live on the CPU; each rank's are copied to its GPU, and what kernels write is copied back.
Nothing here has run on hardware yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kk3fast import hip
from kk3fast.compile import Artefact, ArtefactCache
from kk3fast.flydsl.geometry import WORKGROUPS
from kk3fast.flydsl.run.memory import ALARM_BYTES, StepMemory
from kk3fast.flydsl.run.values import KernelLaunch, Paged, Value, extent
from kk3fast.launch import Kernel

ARCHITECTURE = "gfx950"


@dataclass(frozen=True)
class DeviceRun:
    """A finished run: what was compiled and launched, one artefact a launch."""

    artefacts: list[Artefact]


def available(ranks: int) -> tuple[bool, str]:
    """Whether this machine has the GPUs for so many ranks, and why not."""
    if not torch.version.hip:
        return False, "torch is not built for ROCm"
    count = torch.cuda.device_count()
    if count < ranks:
        return False, f"{ranks} GPUs are needed, one a rank, {count} are there"
    for device in range(ranks):
        found = torch.cuda.get_device_properties(device)
        if not found.gcnArchName.startswith(ARCHITECTURE):
            return False, f"GPU {device} is {found.gcnArchName}, not {ARCHITECTURE}"
        if found.multi_processor_count != WORKGROUPS:
            have = found.multi_processor_count
            return False, f"GPU {device} has {have} compute units, not {WORKGROUPS}: partitioned?"
    return True, f"{ranks} × {ARCHITECTURE}"


def run(
    launches: Sequence[KernelLaunch], memory: StepMemory, *, cache: ArtefactCache | None = None
) -> DeviceRun:
    """Run launches one after another on every rank, in the memory's current step.

    Raises:
        HipError: a call of the runtime failed.
        BuildError, CompileError: a build does not compile.
    """
    kernels = {launch.build: Kernel(launch.build) for launch in launches}
    artefacts = {build: kernel.compile_only(cache=cache) for build, kernel in kernels.items()}
    hip.enable_peers(memory.ranks)
    ranks = [_Rank(memory, rank) for rank in range(memory.ranks)]
    try:
        peers = [r.peer for r in ranks]
        for launch in launches:
            kernel = kernels[launch.build]
            for rank, values in zip(ranks, launch.values, strict=True):
                kernel.load(rank.index)
                written = {a.name for a in kernel.arguments if a.access != "read"}
                given = {n: rank.value(v, n in written) for n, v in values.items()}
                given |= rank.provided(peers, launch.slot)
                wanted = {a.name: given[a.name] for a in kernel.arguments}
                stream = torch.cuda.current_stream(rank.index).cuda_stream
                kernel.launch(stream, rank.index, **wanted)
        for rank in ranks:
            torch.cuda.synchronize(rank.index)
        for rank in ranks:
            rank.download()
    finally:
        for rank in ranks:
            hip.free(rank.index, rank.peer)
    return DeviceRun([artefacts[launch.build] for launch in launches])


class _Rank:
    """One rank's memory on its GPU."""

    def __init__(self, memory: StepMemory, rank: int) -> None:
        self.index = rank
        self._device = torch.device("cuda", rank)
        self._copies: dict[int, tuple[Tensor, Tensor]] = {}
        self._written: set[int] = set()
        self._paged: dict[int, Tensor] = {}
        self._peer = memory.peer[rank]
        self._own = {
            name: self._tensor(tensor, written=True)
            for name, tensor in (
                ("scratch", memory.scratch[rank]),
                ("health", memory.health[rank]),
                ("epoch", memory.counter[rank]),
            )
        }
        self.peer = hip.allocate_uncached(rank, self._peer.numel())
        hip.copy(self.peer, self._peer.data_ptr(), self._peer.numel())

    def value(self, value: Value, written: bool) -> Tensor | int:
        """A value as the kernel takes it: on the GPU, with the CPU tensor's strides."""
        if isinstance(value, int):
            return value
        if isinstance(value, Paged):
            if id(value) not in self._paged:
                self._paged[id(value)] = value.materialise().to(self._device)
            return self._paged[id(value)]
        return self._tensor(value, written)

    def _tensor(self, tensor: Tensor, written: bool) -> Tensor:
        key = tensor.data_ptr()
        if key not in self._copies:
            source = extent(tensor)
            self._copies[key] = (source, source.to(self._device))
        if written:
            self._written.add(key)
        return self._copies[key][1]

    def provided(self, peers: Sequence[int], slot: int) -> dict[str, Tensor | int]:
        """What every launch of the rank shares."""
        table = torch.tensor([p + ALARM_BYTES for p in peers], dtype=torch.int64)
        return {
            **self._own,
            "alarm": peers[0] + 4 * self.index,
            "peers": self._tensor(table, written=False),
            "rank": self.index,
            "slot": slot,
        }

    def download(self) -> None:
        """Copy back what kernels wrote."""
        for key in self._written:
            source, copy = self._copies[key]
            source.copy_(copy)
        hip.copy(self._peer.data_ptr(), self.peer, self._peer.numel())
