"""Checks of a whole layer: ranks, untouched slots, guard bands, unwritten outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from kk3ref.stages import Layer, Role, Scope
from verify.checks.elements import unravel
from verify.data import Check
from verify.memory import Guarded, same_bits


def ranks_equal(layer: Layer, taps: Sequence[Mapping[str, Tensor]]) -> Check:
    """What every rank computes alike must have the same bits on every rank."""
    problems = []
    for s in layer.stages:
        if s.scope is Scope.RANK:
            continue
        for tap in s.outputs:
            owner = next((r for r, values in enumerate(taps) if tap.name in values), 0)
            first = taps[owner].get(tap.name)
            for rank, values in enumerate(taps):
                mine = values.get(tap.name)
                if first is None or mine is None or mine is first:
                    continue
                if mine.shape != first.shape or mine.dtype != first.dtype:
                    problems.append(
                        f"{tap.name}: rank {rank} differs from rank {owner} in shape or dtype"
                    )
                    continue
                differ = ~same_bits(mine, first)
                if differ.any():
                    index = unravel(int(differ.flatten().int().argmax()), differ.shape)
                    problems.append(
                        f"stage {s.name}, output {tap.name}: rank {rank} must equal rank {owner}, "
                        f"{int(differ.sum())} elements differ, first at index {index}"
                    )
    return Check.none_of("ranks_equal", problems)


def untouched_slots(
    layer: Layer,
    before: Sequence[Mapping[str, Tensor]],
    taps: Sequence[Mapping[str, Tensor]],
    written: Mapping[str, Tensor],
) -> Check:
    """State outside the slots a step writes must keep its bits, the null slot included.

    Args:
        before: the pools before the step, by the name they have after it.
        written: bool mask over the first axis of each pool, by the same name.
    """
    problems = []
    for name, mask in written.items():
        for rank, values in enumerate(taps):
            if name not in before[rank] or name not in values:
                continue
            old, new = before[rank][name], values[name]
            if old.shape != new.shape or old.dtype != new.dtype:
                continue  # reported by the dtype and shape check of the stage
            changed = ~same_bits(new, old).reshape(old.shape[0], -1).all(1) & ~mask
            if changed.any():
                slots = torch.nonzero(changed).flatten().tolist()
                problems.append(f"{name}, rank {rank}: slots {slots} must be unchanged, are not")
    return Check.none_of("untouched_slots", problems)


def guards_intact(buffers: Sequence[Mapping[str, Guarded]]) -> Check:
    """Nothing outside an output or a pool's elements may be written."""
    problems = [
        f"{name}, rank {rank}: bytes outside the tensor were written"
        for rank, named in enumerate(buffers)
        for name, guarded in named.items()
        if not guarded.intact()
    ]
    return Check.none_of("guard_bands", problems)


def written_inputs(
    rank: int, before: Mapping[str, Tensor], after: Mapping[str, Tensor]
) -> list[str]:
    """A message for each of a rank's inputs that a candidate wrote; it may write none."""
    return [
        f"{name}, rank {rank}: an input was written"
        for name in before
        if not bool(same_bits(before[name], after[name]).all())
    ]


def inputs_unchanged(
    before: Sequence[Mapping[str, Tensor]], after: Sequence[Mapping[str, Tensor]]
) -> Check:
    """No rank's inputs may be written."""
    pairs = enumerate(zip(before, after, strict=True))
    found = [message for rank, (a, b) in pairs for message in written_inputs(rank, a, b)]
    return Check.none_of("inputs_unchanged", found)


def outputs_written(layer: Layer, taps: Sequence[Mapping[str, Tensor]]) -> Check:
    """Every row of every output, padding rows too, must be written and finite."""
    problems = []
    for name, role in layer.roles.items():
        if role is not Role.OUTPUT:
            continue
        for rank, values in enumerate(taps):
            value = values[name]
            if value.is_floating_point() and not bool(value.isfinite().all()):
                rows = torch.nonzero(~value.isfinite().reshape(value.shape[0], -1).all(1))
                problems.append(
                    f"{name}, rank {rank}: rows {rows.flatten().tolist()} must be finite; "
                    "they hold NaN (unwritten outputs are NaN) or infinity"
                )
    return Check.none_of("outputs_written", problems)
