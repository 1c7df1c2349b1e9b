"""Where the words lie that taps are read from: to ask a simulated run who stored them."""

from __future__ import annotations

import torch
from torch import Tensor

from kk3fast.flydsl.layout import Region
from kk3fast.flydsl.run.memory import StepMemory


class Places:
    """Reads as :class:`StepMemory` does, but addresses (int64, of this process) for values."""

    def __init__(self, memory: StepMemory) -> None:
        self._memory = memory

    def values(self, rank: int, region: Region, *, peer: bool = False) -> Tensor:
        """The address of every word of a region, tags left out."""
        held = self._memory.region(rank, region, peer=peer)
        step = 8 if region.pairs else 4
        return held.data_ptr() + torch.arange(0, held.numel(), step)

    def seen(self, tensor: Tensor) -> Tensor:
        """The address of every element of a tensor."""
        offsets = torch.zeros(tensor.shape, dtype=torch.int64)
        for axis, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
            shape = [1] * tensor.dim()
            shape[axis] = size
            offsets = offsets + (torch.arange(size) * stride).view(shape)
        return tensor.data_ptr() + offsets * tensor.element_size()
