"""Guarded storage: tensors between canaries, poisoned before a run, compared byte by byte after."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

GUARD_BYTES = 4096
_CANARY = 0xA5


@dataclass
class Guarded:
    """A tensor with canary bytes before, after and between its elements.

    Attributes:
        tensor: the view a candidate gets.
        storage: the bytes it lies in.
    """

    tensor: Tensor
    storage: Tensor
    _mask: Tensor = field(repr=False)

    def intact(self) -> bool:
        """Whether every byte outside the tensor's elements still is the canary."""
        return bool((self.storage[self._mask] == _CANARY).all())


def guarded(
    shape: tuple[int, ...],
    dtype: torch.dtype,
    stride: tuple[int, ...] | None = None,
    device: torch.device | None = None,
) -> Guarded:
    """A tensor of ``shape`` between guard bands, poisoned (see :func:`poison`).

    Args:
        stride: element strides, for strided pools; gaps between elements are guarded as well.
    """
    if stride is None:
        stride = tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))
    size = dtype.itemsize
    extent = 1 + sum((n - 1) * s for n, s in zip(shape, stride, strict=True))
    storage = torch.full((2 * GUARD_BYTES + extent * size,), _CANARY, dtype=torch.uint8, device=device)
    tensor = (
        storage[GUARD_BYTES : GUARD_BYTES + extent * size]
        .view(dtype)
        .as_strided(shape, stride, GUARD_BYTES // size)
    )
    mask = torch.ones_like(storage, dtype=torch.bool)
    covered = mask.as_strided((*shape, size), (*(s * size for s in stride), 1), GUARD_BYTES)
    covered.fill_(False)
    poison(tensor)
    return Guarded(tensor, storage, mask)


def poison(tensor: Tensor) -> None:
    """Fill with NaN, or with the largest value of an integer dtype."""
    if tensor.is_floating_point():
        tensor.fill_(math.nan)
    else:
        tensor.fill_(torch.iinfo(tensor.dtype).max)


def same_bits(a: Tensor, b: Tensor) -> Tensor:
    """Elementwise equality in which NaN equals NaN and +0 does not equal -0."""
    if not a.is_floating_point():
        return a == b
    ints = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[a.dtype.itemsize]
    equal = a.contiguous().view(ints) == b.contiguous().view(ints)
    return equal | (a.isnan() & b.isnan())
