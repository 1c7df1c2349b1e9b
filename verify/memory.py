"""Guarded storage: tensors between canaries, poisoned before a run, compared byte by byte after."""

from __future__ import annotations

import math
import mmap
import sys
from dataclasses import dataclass, field

import torch
from torch import Tensor

GUARD_BYTES = 4096
FAR = 1 << 33
"""Elements a far pool spans: half of it lies past unsigned 32-bit offsets."""
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
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


@dataclass
class _Spread(Guarded):
    """Slots too far apart to look at every byte between them."""

    bands: tuple[Tensor, Tensor]

    def intact(self) -> bool:
        return all(bool((band == _CANARY).all()) for band in self.bands)


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
    storage = torch.full(
        (2 * GUARD_BYTES + extent * size,), _CANARY, dtype=torch.uint8, device=device
    )
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


def far_apart(shape: tuple[int, ...], dtype: torch.dtype, reach: int = FAR) -> Guarded:
    """A pool whose last slot begins ``reach`` elements after its first, on memory that is only
    reserved: a slot costs its own pages and no more. Guard bands stand before and after each slot.

    Args:
        shape: slots first; two slots or more.

    Raises:
        OSError: the address space cannot be reserved.
    """
    size, slot = dtype.itemsize, math.prod(shape[1:])
    band = GUARD_BYTES // size
    stride = max(-(-reach // (shape[0] - 1)), slot + band)
    extent = (shape[0] - 1) * stride + slot + 2 * band
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    reserved = torch.frombuffer(mmap.mmap(-1, extent * size, flags=private), dtype=torch.uint8)
    elements = reserved.view(dtype)
    inner = torch.empty(shape[1:], device="meta").stride()
    tensor = elements.as_strided(shape, (stride, *inner), band)
    rows = (shape[0], GUARD_BYTES), (stride * size, 1)
    before, after = (reserved.as_strided(*rows, at) for at in (0, GUARD_BYTES + slot * size))
    before.fill_(_CANARY)
    after.fill_(_CANARY)
    poison(tensor)
    return _Spread(tensor, reserved, torch.zeros(0, dtype=torch.bool), (before, after))


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
