"""Where each rank's memory lies: all on one device, or each in the process of its rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from kk3ref.stages import RankContext
from verify.data import Check
from verify.device import CPU, contexts_on, device_name
from verify.ranks import Ranks


@dataclass(frozen=True)
class Placement:
    """Devices by rank.

    Attributes:
        device: where the candidate runs.
        ranks: the group, where each rank has a process: the other ranks' memory is a copy on the
            CPU.
    """

    device: torch.device = CPU
    ranks: Ranks | None = None

    def of(self, rank: int) -> torch.device:
        """A rank's device in this process."""
        return self.device if self.ranks is None or self.ranks.rank == rank else CPU

    def contexts(self, contexts: Sequence[RankContext]) -> list[RankContext]:
        """Contexts whose weights are moved to the rank's device when they are first read."""
        if self.ranks is None:
            return contexts_on(contexts, self.device)
        own = self.ranks.rank
        (moved,) = contexts_on([contexts[own]], self.device)
        return [*contexts[:own], moved, *contexts[own + 1 :]]

    def merged(self, checks: Sequence[Check]) -> list[Check]:
        """As all processes found them."""
        return list(checks) if self.ranks is None else self.ranks.merged(checks)

    @property
    def follower(self) -> bool:
        """Whether another process judges and writes the record."""
        return self.ranks is not None and self.ranks.follower

    @property
    def named(self) -> str:
        """The devices, for records."""
        return device_name(self.device) if self.ranks is None else self.ranks.named


ON_CPU = Placement()
