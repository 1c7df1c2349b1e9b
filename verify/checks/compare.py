"""Bitwise comparison of what two launches left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from kk3ref.stages import Layer, Role
from verify.checks.elements import unravel
from verify.memory import same_bits

Taps = Sequence[Mapping[str, Tensor]]


def differences(
    wanted: Taps, given: Taps, live_rows: int | None = None, rows: int | None = None
) -> list[str]:
    """What is not equal bit for bit, one message a tensor.

    Args:
        live_rows: rows that are compared, of tensors of ``rows`` rows (all if None): the rest are
            padding.
    """
    problems = []
    for rank, (theirs, mine) in enumerate(zip(wanted, given, strict=True)):
        for name, want in theirs.items():
            have = mine.get(name)
            if have is None:
                problems.append(f"{name}, rank {rank}: exposed by one launch only")
                continue
            if want is have:
                continue
            if live_rows is not None and want.shape[:1] == (rows,):
                want, have = want[:live_rows], have[:live_rows]
            if want.shape != have.shape or want.dtype != have.dtype:
                problems.append(f"{name}, rank {rank}: shape or dtype differs")
                continue
            if want.dtype.is_floating_point or not torch.equal(want, have):
                differ = ~same_bits(want, have)
                if differ.any():
                    index = unravel(int(differ.flatten().int().argmax()), differ.shape)
                    problems.append(
                        f"{name}, rank {rank}: {int(differ.sum())} of {differ.numel()} elements "
                        f"differ, first at index {index}"
                    )
    return problems


def not_finite(layer: Layer, taps: Taps) -> list[str]:
    """Outputs that hold NaN (they were poisoned before the launch) or infinity."""
    return [
        f"{name}, rank {rank}: must be finite; unwritten outputs are NaN"
        for name, role in layer.roles.items()
        if role is Role.OUTPUT
        for rank, values in enumerate(taps)
        if name in values
        and values[name].is_floating_point()
        and not bool(values[name].isfinite().all())
    ]
