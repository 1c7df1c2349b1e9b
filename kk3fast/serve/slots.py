"""The state slots that a step touches, taken out of vLLM's pools and put back.

A pool may hold thousands of slots, of which a step touches a few: the reference works on whole
pools, so it is given small ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

NULL_SLOT = 0


@dataclass(frozen=True)
class TouchedSlots:
    """A step's slots, renumbered.

    Attributes:
        slots: ``[n]`` int64, the pools' slots in ascending order; the null slot comes first.
        state_index: ``[R, L]`` int64, the step's slots as positions in ``slots``.
    """

    slots: Tensor
    state_index: Tensor

    @classmethod
    def of(cls, state_index: Tensor) -> TouchedSlots:
        """Renumber ``state_index`` ``[R, L]`` int."""
        wanted = state_index.long()
        null = wanted.new_zeros(1)
        slots = torch.cat([null, wanted.flatten()]).unique(sorted=True)
        return cls(slots, torch.searchsorted(slots, wanted))

    def take(self, pool: Tensor) -> Tensor:
        """The touched slots of a pool ``[slots, …]``: a new tensor ``[n, …]``."""
        return pool[self.slots]

    def put(self, pool: Tensor, after: Tensor) -> None:
        """Write them back; the null slot is left alone."""
        pool[self.slots[1:]] = after[1:].to(pool.dtype)
