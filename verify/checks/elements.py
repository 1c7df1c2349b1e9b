"""Where an element stands and what it was: the worst element of an output and its message."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from verify.bounds import Bounded
from verify.data import Worst

NO_POINT = "none (a move, or exact)"


@dataclass(frozen=True)
class Where:
    """Names for messages."""

    stage: str
    output: str
    rank: int

    def at(self, index: list[int]) -> str:
        """``stage …, output …, rank …, index […]``."""
        return f"stage {self.stage}, output {self.output}, rank {self.rank}, index {index}"


def unravel(flat: int, shape: torch.Size) -> list[int]:
    """The index of a flat position."""
    index = []
    for n in reversed(shape):
        index.append(flat % n)
        flat //= n
    return index[::-1]


def shares(expected: Bounded | Tensor, index: list[int]) -> dict[str, float]:
    """Each rounding point's part of the bound at one element, largest first; of moves, none."""
    if isinstance(expected, Tensor):
        return {}
    at = tuple(index)
    parts = {p: float(e.expand(expected.shape)[at]) for p, e in expected.errors.items()}
    return dict(sorted(parts.items(), key=lambda item: -item[1]))


def describe(
    expected: Bounded, candidate: Tensor, index: list[int], rank: int, bound: float, error: float
) -> Worst:
    """The record of one element."""
    at = tuple(index)
    points = shares(expected, index)
    point = next((p for p, share in points.items() if share > 0), NO_POINT)
    return Worst(
        index=index,
        rank=rank,
        candidate=float(candidate[at]),
        oracle=float(expected.value[at]),
        error=error,
        bound=bound,
        point=point,
        points=points,
    )
