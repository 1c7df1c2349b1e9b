"""The host's side of the mailboxes: slots, buffers, the table of addresses, health."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor

from kk3fast.runtime.peer_memory import PeerMemory
from kk3fast.triton.mailbox import HEALTH_WORDS

LOOPBACK = -1
"""As a rank: every sender at once."""
GIVE_UP_NS = 10_000_000_000
GIVE_UP_POLLS = 1000
"""Polls after which a wait gives up where no clock can be read."""


@dataclass(frozen=True)
class SlotLayout:
    """Where each hand-over of a step lies in a mailbox: ``(name, 32-bit values a sender)``."""

    slots: tuple[tuple[str, int], ...]
    tp: int

    def place(self, name: str) -> tuple[int, int, int]:
        """Number, first word, and words a sender.

        Raises:
            KeyError: there is no such slot.
        """
        offset = 0
        for number, (slot, words) in enumerate(self.slots):
            if slot == name:
                return number, offset, words
            offset += words * self.tp
        raise KeyError(name)

    @property
    def words(self) -> int:
        """Words of one half (an epoch's parity) of a mailbox."""
        return sum(words for _, words in self.slots) * self.tp


@dataclass(frozen=True)
class Peers:
    """What one rank's kernels need to reach the others.

    Attributes:
        rank: this rank.
        layout: the slots.
        box: the rank's own mailbox ``[2·layout.words]`` int64.
        table: ``[tp]`` int64, the address of every rank's mailbox as this device sees it.
        epoch: ``[1]`` int32, the step counter.
        health: ``[8]`` int32, see :func:`problems`.
        limit: nanoseconds (polls without a clock) after which a wait gives up.
    """

    rank: int
    layout: SlotLayout
    box: Tensor
    table: Tensor
    epoch: Tensor
    health: Tensor
    limit: int

    @property
    def tp(self) -> int:
        """Ranks."""
        return self.layout.tp

    def slots_from(self, name: str, count: int) -> list[tuple[int, int, int]]:
        """Places of ``count`` slots that follow each other."""
        first = [slot for slot, _ in self.layout.slots].index(name)
        names = [slot for slot, _ in self.layout.slots][first : first + count]
        return [self.layout.place(n) for n in names]

    def problems(self) -> list[str]:
        """What the health words say: nothing, or where the first wait gave up."""
        failed, slot, index, wanted, seen, program, *_ = self.health.tolist()
        if not failed:
            return []
        name = self.layout.slots[slot][0]
        words = self.layout.slots[slot][1]
        return [
            f"rank {self.rank}: gave up waiting for {name}, word {index % words} of rank "
            f"{index // words} (program {program}): tag must be {wanted}, got {seen}"
        ]


def own_box(layout: SlotLayout, device: torch.device) -> Tensor:
    """An empty mailbox. Its tags are 0, which no epoch from 1 on gives."""
    return torch.zeros(2 * layout.words, dtype=torch.int64, device=device)


def connect(
    rank: int, layout: SlotLayout, box: Tensor, addresses: Sequence[int], limit: int | None = None
) -> Peers:
    """A rank's view of a group whose mailboxes are mapped at ``addresses`` (its own included).

    With one process a GPU the addresses come from memory that the processes share (CUDA IPC or
    symmetric memory); in one process they are those of the tensors.
    """
    clocked = box.device.type == "cuda" and torch.version.hip is None
    device = box.device
    return Peers(
        rank,
        layout,
        box,
        torch.tensor(list(addresses), dtype=torch.int64, device=device),
        torch.ones(1, dtype=torch.int32, device=device),
        torch.zeros(HEALTH_WORDS, dtype=torch.int32, device=device),
        limit if limit is not None else (GIVE_UP_NS if clocked else GIVE_UP_POLLS),
    )


def connect_processes(
    layout: SlotLayout,
    rank: int,
    group: dist.ProcessGroup,
    device: torch.device,
    limit: int | None = None,
) -> tuple[Peers, PeerMemory]:
    """This process's rank of a group with one process a rank, and the mailboxes' memory.

    Every rank calls it at the same point. The memory is unmapped by its ``close()``, once no launch
    of any rank can touch it any more.

    Raises:
        HandshakeError: on every rank alike.
    """
    memory = PeerMemory(16 * layout.words, rank, group, device)
    box, addresses = memory.own.view(torch.int64), memory.addresses.tolist()
    return connect(rank, layout, box, addresses, limit), memory


def one_process(layout: SlotLayout, device: torch.device, limit: int | None = None) -> list[Peers]:
    """All ranks of a group in this process, on one device."""
    boxes = [own_box(layout, device) for _ in range(layout.tp)]
    addresses = [box.data_ptr() for box in boxes]
    return [connect(rank, layout, box, addresses, limit) for rank, box in enumerate(boxes)]


def loopback(layout: SlotLayout, device: torch.device) -> Peers:
    """One rank that plays all senders: what it sends to peer ``p`` lands in its box as from ``p``.

    The memory traffic and the polling are a rank's; the sums are of equal partials.
    """
    box = own_box(layout, device)
    return connect(LOOPBACK, layout, box, [box.data_ptr()] * layout.tp)
