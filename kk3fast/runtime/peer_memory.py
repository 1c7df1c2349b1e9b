"""One buffer a rank that every rank has mapped: where kernels leave what their peers wait for.

Making it is collective: the handles are exchanged, every rank maps every peer, and the ranks agree
that all of it worked. A failure on one rank is raised on all.
"""

from __future__ import annotations

from multiprocessing import resource_tracker, shared_memory
from typing import Any, Protocol

import torch
import torch.distributed as dist
from torch import Tensor

from kk3fast.runtime import ipc
from kk3fast.runtime.agreement import agree, exchange


class HandshakeError(RuntimeError):
    """The ranks could not map each other's memory; says which could not, and why."""


class _Backend(Protocol):
    """How memory is made and mapped."""

    def allocate(self, nbytes: int) -> tuple[Any, Tensor]:
        """A handle for the peers, and this rank's bytes."""
        ...

    def map(self, handle: Any, nbytes: int) -> tuple[int, Tensor]:
        """A peer's memory: its address here, and its bytes."""
        ...

    def close(self) -> None:
        """Unmap and free everything; may be called again."""
        ...


class PeerMemory:
    """The buffers of all ranks, as this one sees them.

    Args:
        nbytes: of each rank's buffer.
        rank, group: this rank, and the ranks' CPU group (None: one rank).
        device: ``cpu`` (shared memory) or this rank's GPU (CUDA's or HIP's IPC).

    Attributes:
        own: this rank's bytes, uint8; zeroed once, never between steps.
        views: every rank's bytes, in rank order.
        addresses: ``[ranks]`` int64: where they lie for this rank.

    Raises:
        HandshakeError: on every rank alike.
    """

    def __init__(
        self,
        nbytes: int,
        rank: int,
        group: dist.ProcessGroup | None,
        device: torch.device,
        backend: _Backend | None = None,
    ):
        self._backend = backend or (
            _SharedMemory() if device.type == "cpu" else _DeviceMemory(device)
        )
        self._group = group
        problem, handle = "", None
        self.own = torch.zeros(0, dtype=torch.uint8)
        try:
            handle, self.own = self._backend.allocate(nbytes)
        except (OSError, RuntimeError) as error:
            problem = str(error)
        handles = exchange((problem, handle), group)
        self.views: list[Tensor] = []
        addresses: list[int] = []
        problem = "; ".join(f"rank {r} has none: {p}" for r, (p, _) in enumerate(handles) if p)
        try:
            for peer, (_, given) in enumerate(handles if not problem else []):
                mapped = peer != rank
                place = self._backend.map(given, nbytes) if mapped else _here(self.own)
                addresses.append(place[0])
                self.views.append(place[1])
        except (OSError, RuntimeError) as error:
            problem = f"cannot map a peer's: {error}"
        problems = agree(problem, group)
        if problems:
            self.close()
            raise HandshakeError("peer memory: " + "; ".join(problems))
        self.addresses = torch.tensor(addresses, dtype=torch.int64, device=device)

    def close(self) -> None:
        """Unmap and free. Only once no launch of any rank can still touch it."""
        self.views = []
        self.own = torch.zeros(0, dtype=torch.uint8)
        self._backend.close()


def _here(own: Tensor) -> tuple[int, Tensor]:
    return own.data_ptr(), own


class _SharedMemory:
    """POSIX shared memory: processes of one machine, no GPU."""

    def __init__(self) -> None:
        self._own: shared_memory.SharedMemory | None = None
        self._mapped: list[shared_memory.SharedMemory] = []

    def allocate(self, nbytes: int) -> tuple[str, Tensor]:
        self._own = shared_memory.SharedMemory(create=True, size=nbytes)
        return self._own.name, _bytes(self._own, nbytes)

    def map(self, handle: str, nbytes: int) -> tuple[int, Tensor]:
        memory = shared_memory.SharedMemory(name=handle)
        # Its maker removes it; this process's tracker would remove it a second time.
        resource_tracker.unregister(memory._name, "shared_memory")  # type: ignore[attr-defined]
        self._mapped.append(memory)
        tensor = _bytes(memory, nbytes)
        return tensor.data_ptr(), tensor

    def close(self) -> None:
        mapped, self._mapped = self._mapped, []
        own, self._own = self._own, None
        if own is not None:
            own.unlink()
        for memory in (*mapped, *([own] if own is not None else ())):
            try:
                memory.close()
            except BufferError:
                continue  # a tensor still looks at it: it goes with the tensor


def _bytes(memory: shared_memory.SharedMemory, nbytes: int) -> Tensor:
    return torch.frombuffer(memory.buf, dtype=torch.uint8, count=nbytes)


class _DeviceMemory:
    """A GPU's memory, mapped through IPC. Not run on hardware yet."""

    def __init__(self, device: torch.device):
        self._device = device
        self._runtime = ipc.of_torch()
        self._own = 0
        self._mapped: list[int] = []

    @property
    def _index(self) -> int:
        return self._device.index or 0

    def allocate(self, nbytes: int) -> tuple[bytes, Tensor]:
        self._own = self._runtime.allocate(self._index, nbytes)
        return self._runtime.handle(self._own), ipc.view(self._own, nbytes, self._device)

    def map(self, handle: bytes, nbytes: int) -> tuple[int, Tensor]:
        address = self._runtime.map(self._index, handle)
        self._mapped.append(address)
        return address, ipc.view(address, nbytes, self._device)

    def close(self) -> None:
        mapped, self._mapped = self._mapped, []
        own, self._own = self._own, 0
        for address in mapped:
            self._runtime.unmap(address)
        if own:
            self._runtime.free(own)
