"""What the launches of a rank share from step to step: scratch, peer buffer, epoch, health."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor

from kk3fast.flydsl import geometry
from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.layout import Region, total_bytes

ALARM_BYTES = 128
"""head of a peer buffer: an alarm word a rank (used on rank 0, the output rank)"""


class WordReader(Protocol):
    """Where taps are read from: values, or (``places.Places``) where they lie."""

    def values(self, rank: int, region: Region, *, peer: bool = False) -> Tensor:
        """One element a 32-bit word of a region, tags left out."""
        ...

    def seen(self, tensor: Tensor) -> Tensor:
        """A tensor that a launch wrote."""
        ...


@dataclass
class StepMemory:
    """Buffers of all ranks, zeroed once; nothing is zeroed between steps.

    Attributes:
        ranks: how many.
        scratch_bytes, half_bytes: of a scratch buffer, and of one parity half of a peer buffer.
        epoch: the step counter, bumped by ``begin_step``.
    """

    ranks: int
    scratch_bytes: int
    half_bytes: int
    workgroups: int = geometry.WORKGROUPS
    epoch: int = 0
    device: str = "cpu"
    scratch: list[Tensor] = field(init=False)
    peer: list[Tensor] = field(init=False)
    health: list[Tensor] = field(init=False)
    counter: list[Tensor] = field(init=False)

    def __post_init__(self) -> None:
        peer = ALARM_BYTES + 2 * self.half_bytes
        words = geometry.health_words(self.workgroups)
        self.scratch = [self._bytes(max(self.scratch_bytes, 16)) for _ in range(self.ranks)]
        self.peer = [self._bytes(peer) for _ in range(self.ranks)]
        self.health = [self._bytes(4 * words).view(torch.int32) for _ in range(self.ranks)]
        self.counter = [self._bytes(16).view(torch.int32) for _ in range(self.ranks)]

    def _bytes(self, count: int) -> Tensor:
        return torch.zeros(count, dtype=torch.uint8, device=self.device)

    @classmethod
    def for_builds(cls, builds: Iterable[KernelBuild], ranks: int) -> StepMemory:
        """Large enough for every one of some builds."""
        builds = list(builds)
        return cls(
            ranks,
            max((total_bytes(b.scratch()) for b in builds), default=0),
            max((total_bytes(b.peer()) for b in builds), default=0),
        )

    def begin_step(self) -> int:
        """Bump the step counter on every rank; gives the new epoch."""
        self.epoch += 1
        for counter in self.counter:
            counter[0] = self.epoch % (1 << 31)
        return self.epoch

    def region(self, rank: int, region: Region, *, peer: bool) -> Tensor:
        """A region's bytes, of the current epoch's half if it is of the peer buffer."""
        if not peer:
            return self.scratch[rank][region.offset : region.offset + region.bytes]
        start = ALARM_BYTES + self.half_bytes * (self.epoch % 2) + region.offset
        return self.peer[rank][start : start + region.bytes]

    def values(self, rank: int, region: Region, *, peer: bool = False) -> Tensor:
        """The 32-bit words of a region, without tags: int32."""
        words = self.region(rank, region, peer=peer).view(torch.int32)
        return words.view(-1, 2)[:, 0].contiguous() if region.pairs else words

    def seen(self, tensor: Tensor) -> Tensor:
        """The tensor itself."""
        return tensor

    def alarms(self) -> list[int]:
        """The ranks that raised their alarm word."""
        words = self.peer[0][:ALARM_BYTES].view(torch.int32)[: self.ranks]
        return [rank for rank, word in enumerate(words.tolist()) if word]

    def failed(self) -> list[int]:
        """The ranks whose launches gave a wait up: none of their outputs may be used."""
        return [r for r, words in enumerate(self.health) if int(words[geometry.FAILED_WORD])]
