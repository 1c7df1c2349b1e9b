"""bf16: its bits, and a rounding that is right from float64 too."""

from __future__ import annotations

import torch
from torch import Tensor


def bf16_bits(x: Tensor) -> Tensor:
    """Bit patterns 0..65535 of a bfloat16 tensor, int32."""
    if x.dtype != torch.bfloat16:
        raise TypeError(f"x must be bfloat16, got {x.dtype}")
    return x.contiguous().view(torch.int16).int() & 0xFFFF


def bf16_from_bits(bits: Tensor) -> Tensor:
    """The bfloat16 tensor with the given bit patterns 0..65535 (any integer dtype)."""
    return (bits.int() << 16 >> 16).to(torch.int16).view(torch.bfloat16)


def to_bf16(x: Tensor) -> Tensor:
    """Round to bfloat16 once, nearest even; overflow gives infinity, NaN stays NaN.

    ``x.to(torch.bfloat16)`` rounds a float64 twice, through float32; this does not.
    """
    if x.dtype != torch.float64:
        return x.to(torch.bfloat16)
    nearest = x.float()
    # Round to odd in float32: an inexact result with an even last bit moves to the odd neighbour
    # on the side of ``x``, which keeps what the second rounding must know.
    back = nearest.double()
    even = nearest.view(torch.int32) & 1 == 0
    inexact = (back != x) & nearest.isfinite()
    toward = torch.where(back < x, torch.inf, -torch.inf).float()
    odd = torch.where(inexact & even, torch.nextafter(nearest, toward), nearest)
    return odd.to(torch.bfloat16)
