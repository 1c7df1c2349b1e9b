"""One rank's routed experts on the device, in the kernels' order."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from kk3fast.triton.mxfp4 import Packed, pack
from kk3ref.stages import RankContext

_AT_ONCE = 32  # experts re-ordered together
_RESIDENT_BYTES = 1 << 30


class ExpertTable:
    """Experts that are there, and where.

    A deployment holds all of them. Synthetic weights of a production layer are made an expert at a
    time, so a verification holds those that are picked.

    Attributes:
        slot_of: ``[E]`` int32, an expert's place, -1 where it is not there.
        w13, w2: the matrices, see :class:`kk3fast.triton.mxfp4.Packed`.
    """

    def __init__(self, context: RankContext, device: torch.device):
        self._c = context
        self._device = device
        count = context.config.num_experts
        self._bytes = context.shapes.expert_intermediate * 2 * context.config.hidden_size
        self.slot_of = torch.full((count,), -1, dtype=torch.int32, device=device)
        self._there: dict[int, int] = {}
        self.w13: Packed | None = None
        self.w2: Packed | None = None
        width = context.config.routed_expert_hidden_size * context.shapes.expert_intermediate
        if count * width * 3 * 17 // 32 <= _RESIDENT_BYTES // max(1, context.tp):
            self.ensure(range(count))

    @property
    def resident(self) -> bool:
        """Whether every expert is there: only then may a launch route freely."""
        return len(self._there) == self._c.config.num_experts

    def ensure(self, ids: Iterable[int]) -> None:
        """Bring the experts ``ids`` that are not there; not while a graph is captured."""
        missing = sorted(set(ids) - set(self._there))
        for start in range(0, len(missing), _AT_ONCE):
            part = missing[start : start + _AT_ONCE]
            self.w13 = _joined(self.w13, pack(self._c.experts.w13(part)))
            self.w2 = _joined(self.w2, pack(self._c.experts.w2(part)))
            for expert in part:
                self._there[expert] = len(self._there)
        if missing:
            places = [self._there.get(e, -1) for e in range(self._c.config.num_experts)]
            # In place: launches that were captured keep the address.
            self.slot_of.copy_(torch.tensor(places, dtype=torch.int32))


def _joined(old: Packed | None, new: Packed) -> Packed:
    if old is None:
        return new

    def join(a: Tensor, b: Tensor) -> Tensor:
        return torch.cat([a, b])

    return Packed(join(old.words, new.words), join(old.scales, new.scales), old.plain and new.plain)
