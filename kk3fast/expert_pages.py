"""A rank's routed experts as the fused kernels read them: AITER's layouts, one page at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from kk3ref.formats import MXFP4, shuffle_scale, shuffle_weight


@dataclass(frozen=True)
class Part:
    """One of the four expert tensors as a paged region.

    Attributes:
        expert_bytes: bytes an expert.
        page_bytes: a power of two that divides them.
        total_bytes: of all experts.
        page: page index → its bytes, uint8.
    """

    expert_bytes: int
    page_bytes: int
    total_bytes: int
    page: Callable[[int], Tensor]


class ExpertPages:
    """A rank's experts in pages; an expert is shuffled when one of its pages is first asked for.

    Args:
        experts: the rank's experts (``w13(e)`` and ``w2(e)`` give MXFP4 matrices).
        count: experts of the model.
    """

    def __init__(self, experts: Any, count: int):
        self._experts = experts
        self._count = count
        self._kept: dict[tuple[str, int], tuple[Tensor, Tensor]] = {}

    def parts(self) -> dict[str, Part]:
        """``w13``, ``w13s``, ``w2`` and ``w2s``."""
        return {
            name + suffix: self._part(name, index)
            for name in ("w13", "w2")
            for index, suffix in enumerate(("", "s"))
        }

    def _part(self, name: str, index: int) -> Part:
        size = self._expert(name, 0)[index].numel()
        page_bytes = min(size & -size, 1 << 16)
        per_expert = size // page_bytes

        def page(number: int) -> Tensor:
            expert, offset = divmod(number, per_expert)
            data = self._expert(name, expert)[index]
            return data[offset * page_bytes : (offset + 1) * page_bytes]

        return Part(size, page_bytes, size * self._count, page)

    def _expert(self, name: str, expert: int) -> tuple[Tensor, Tensor]:
        """Shuffled elements and scales of an expert, flat."""
        key = (name, expert)
        if key not in self._kept:
            matrix: MXFP4 = getattr(self._experts, name)(expert)
            self._kept[key] = (
                shuffle_weight(matrix.codes).flatten(),
                shuffle_scale(matrix.scales).flatten(),
            )
        return self._kept[key]
