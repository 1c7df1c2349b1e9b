"""Batch invariance: what a row gives must not depend on the rows beside it, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from verify.checks.elements import unravel
from verify.data import Check
from verify.memory import same_bits


def rows_alike(
    alone: Sequence[Mapping[str, Tensor]],
    among: Sequence[Mapping[str, Tensor]],
    rows: slice,
    count: int,
    slots: Mapping[str, Tensor],
) -> Check:
    """Compare a request's outputs and states alone with those among others.

    Args:
        alone, among: taps of the two launches, one mapping a rank.
        rows: the request's rows in the larger launch.
        count: rows of the larger launch.
        slots: bool masks over a pool's first axis, by after-name: what the request alone writes.
    """
    problems = []
    for rank, (mine, theirs) in enumerate(zip(alone, among, strict=True)):
        for name in mine.keys() & theirs.keys():
            a, b = mine[name], theirs[name]
            if name in slots:
                mask = slots[name]
                a, b = a[mask], b[mask]
            elif b.shape[0] == count:
                b = b[rows]
            if a.shape != b.shape or a.dtype != b.dtype:
                problems.append(f"{name}, rank {rank}: another shape or dtype alone")
                continue
            differ = ~same_bits(a, b)
            if differ.any():
                index = unravel(int(differ.flatten().int().argmax()), differ.shape)
                problems.append(
                    f"{name}, rank {rank}, index {index}: {float(a[tuple(index)]):.9g} alone must "
                    f"equal {float(b[tuple(index)]):.9g} among {count} rows; "
                    f"{int(torch.count_nonzero(differ))} elements differ"
                )
    return Check.none_of("batch_invariant", sorted(problems))
