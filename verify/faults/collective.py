"""Faults of the collective stages: peers' memory read too early, too late, or not cleared.

A rank's partial is held in its peers' memory from launch to launch. The last rank is the delayed
one: what it should have handed over in this launch is not there yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from kk3ref.precision import CONTRACT, Precision
from kk3ref.stages import RankContext, Stage
from verify.faults.plant import Memory, Outputs, Plant, Values, in_policy

REDUCTIONS = ("attn_all_reduce", "latent_all_reduce", "final_all_reduce", "dense_all_reduce")
COLLECTIVES = (*REDUCTIONS, "gather_query")


def _over(old: Tensor | None, new: Tensor, fresh: int) -> Tensor:
    """Memory that holds ``old``, with the first ``fresh`` rows of ``new`` written over it."""
    if old is None:
        return new
    mixed = new.clone()
    rows = min(len(old), len(new))
    mixed[fresh:rows] = old[fresh:rows]
    return mixed


def _constant_flag(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    """Ready since the first launch: the delayed rank's partial is that of the launch before."""
    given = {name: list(parts) for name, parts in values.items()}
    for name, parts in given.items():
        late = parts[-1]
        parts[-1] = _over(m.swap(("mailbox", s.name, name), late), late, 0)
    return s(CONTRACT, c, given)


CONSTANT_FLAG = Plant("flag value constant over launches", COLLECTIVES, _constant_flag)


def _no_exit_wait(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    return s(CONTRACT, c, values)


NO_EXIT_WAIT = Plant(
    "no exit barrier: peers' memory read after they have gone on",
    COLLECTIVES,
    _no_exit_wait,
    late=True,
)


def _next_cleared(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    """A cleanup of the next epoch's mailbox: what an early rank has put there is lost."""
    if m.launch == 0:
        return s(CONTRACT, c, values)
    given = {n: [torch.zeros_like(parts[0]), *parts[1:]] for n, parts in values.items()}
    return s(CONTRACT, c, given)


NEXT_CLEARED = Plant("cleanup clears the next launch's mailbox", COLLECTIVES, _next_cleared)


def _size_of_now(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    """Two mailboxes in turn; the one of the launch before is cleared by this launch's rows."""
    given = {name: list(parts) for name, parts in values.items()}
    for name, parts in given.items():
        late = parts[-1]
        boxes: list[Any] = m.kept.setdefault(("boxes", s.name, name), [None, None])
        mine, other = boxes[m.launch % 2], boxes[1 - m.launch % 2]
        if mine is not None:
            held, cleared = mine
            parts[-1] = _over(held, late, cleared)
        boxes[m.launch % 2] = (late, 0)
        if other is not None:
            boxes[1 - m.launch % 2] = (other[0], len(late))
    return s(CONTRACT, c, given)


SIZE_OF_NOW = Plant(
    "cleanup by this launch's rows, not those of the launch before", COLLECTIVES, _size_of_now
)


class _ReverseRanks(Precision):
    """The ranks' partials summed from the last to the first."""

    def __init__(self) -> None:
        super().__init__("reverse-ranks", torch.float32, rounds=True)

    def rank_sum(self, parts: Sequence[Tensor], point: str) -> Tensor:
        return super().rank_sum(parts[::-1], point)


REVERSED_RANKS = Plant(
    "ranks summed in reverse",
    ("attn_all_reduce", "final_all_reduce"),
    in_policy(_ReverseRanks()),
)
