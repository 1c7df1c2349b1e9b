"""Form of an output: dtype, shape, finite values."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from verify.checks.elements import Where, unravel
from verify.data import Check


@dataclass
class Form:
    """Collects one output over the ranks."""

    dtype: torch.dtype
    ranks: int = 0
    """ranks that expose it"""
    elements: int = 0
    """elements seen"""
    wrong: list[str] = field(default_factory=list)
    infinite: list[str] = field(default_factory=list)

    def add(
        self, where: Where, shape: torch.Size, value: Tensor, oracle: Tensor | None = None
    ) -> bool:
        """Judge one rank's tensor; False if it cannot be compared any further.

        An infinity is as it should be where the oracle has the same one.
        """
        self.elements += value.numel()
        if value.dtype != self.dtype or value.shape != shape:
            self.wrong.append(
                f"stage {where.stage}, output {where.output}, rank {where.rank}: must be "
                f"{self.dtype} {tuple(shape)}, got {value.dtype} {tuple(value.shape)}"
            )
            return False
        if not value.is_floating_point():
            return True
        bad = ~value.isfinite()
        if oracle is not None and bad.any():
            bad &= ~(value.isinf() & (value == oracle))
        if bad.any():
            index = unravel(int(bad.flatten().int().argmax()), value.shape)
            self.infinite.append(
                f"{where.at(index)}: must be finite, got {float(value[tuple(index)])}"
            )
        return True

    def checks(self) -> list[Check]:
        """The dtype and shape criterion and the finiteness criterion."""
        return [
            Check.none_of("dtype_and_shape", self.wrong),
            Check.none_of("finite", self.infinite),
        ]
