"""What a rank's launches share from step to step: scratch, peer memory, step counter, health."""

from __future__ import annotations

from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch import Tensor

from kk3fast.flydsl import geometry
from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.layout import total_bytes
from kk3fast.flydsl.run.memory import ALARM_BYTES
from kk3fast.runtime.peer_memory import PeerMemory

Values = dict[str, Tensor | int]


class LaunchState:
    """One rank's buffers; made once, collectively, zeroed once.

    Args:
        builds: everything that will be launched: the buffers are large enough for each.
        rank, group: this rank and the ranks' CPU group (None: one rank).
        device: where the launches run.

    Attributes:
        health: int32 words; ``FAILED_WORD`` is not zero once a wait of this rank gave up.

    Raises:
        HandshakeError: on every rank alike, see :class:`PeerMemory`.
    """

    def __init__(
        self,
        builds: Iterable[KernelBuild],
        rank: int,
        group: dist.ProcessGroup | None,
        device: torch.device,
    ):
        builds = list(builds)
        self.rank, self._device = rank, device
        scratch = max((total_bytes(b.scratch()) for b in builds), default=0)
        half = max((total_bytes(b.peer()) for b in builds), default=0)
        self._scratch = self._zeros(max(scratch, 16), torch.uint8)
        self.health = self._zeros(geometry.health_words(geometry.WORKGROUPS), torch.int32)
        self._epoch = self._zeros(4, torch.int32)
        self.peers = PeerMemory(ALARM_BYTES + 2 * half, rank, group, device)
        self._boxes = self.peers.addresses + ALARM_BYTES
        self._alarm = int(self.peers.addresses[0]) + 4 * rank  # on rank 0, the output rank
        self._host = torch.zeros(1, dtype=torch.int32, pin_memory=device.type == "cuda")
        self._copied: torch.cuda.Event | None = None
        self._failed = False

    def _zeros(self, count: int, dtype: torch.dtype) -> Tensor:
        return torch.zeros(count, dtype=dtype, device=self._device)

    @property
    def epoch(self) -> int:
        """The step counter (waits for the device)."""
        return int(self._epoch[0])

    def begin_step(self) -> None:
        """Bump the step counter, on the device: a graph captures it."""
        self._epoch[0].add_(1)

    def provided(self, slot: int) -> Values:
        """The arguments that every launch of this rank gets; ``slot`` is its number in a step."""
        return {
            "scratch": self._scratch,
            "epoch": self._epoch,
            "health": self.health,
            "alarm": self._alarm,
            "peers": self._boxes,
            "rank": self.rank,
            "slot": slot,
        }

    def failed(self) -> bool:
        """Whether a wait of this rank gave up, as far as is known without waiting for the device.

        Every call queues a copy of the word; the newest copy that has landed counts.
        """
        if self._failed:
            return True
        if self._device.type == "cpu":
            self._failed = bool(self.health[geometry.FAILED_WORD])
        elif not torch.cuda.is_current_stream_capturing():
            self._look()
        return self._failed

    def _look(self) -> None:
        if self._copied is not None and not self._copied.query():
            return
        self._failed = self._copied is not None and bool(self._host[0])
        self._host.copy_(self.health[:1], non_blocking=True)
        self._copied = torch.cuda.Event()
        self._copied.record()

    def alarms(self) -> list[int]:
        """Ranks that raised their alarm word, seen from rank 0's buffer."""
        words = self.peers.views[0][:ALARM_BYTES].view(torch.int32)[: len(self.peers.views)]
        return [rank for rank, word in enumerate(words.tolist()) if word]

    def close(self) -> None:
        """Give the peer memory back."""
        self.peers.close()
