"""fp8 E4M3 in its two encodings: FN (OCP, max 448) and FNUZ (MI300, max 240, one NaN at 0x80)."""

from __future__ import annotations

import torch
from torch import Tensor

FP8_FORMATS = {
    "fp8_e4m3fn": torch.float8_e4m3fn,
    "fp8_e4m3fnuz": torch.float8_e4m3fnuz,
}
"""torch dtype of each format."""


def fp8_max(name: str) -> float:
    """Largest finite value of a format."""
    return float(torch.finfo(FP8_FORMATS[name]).max)


def encode_fp8(x: Tensor, name: str) -> Tensor:
    """Bytes of ``x`` in a format: round to nearest even, saturating; NaN stays NaN.

    Args:
        x: floating, any shape.
        name: a key of :data:`FP8_FORMATS`.

    Returns:
        uint8 of the same shape.
    """
    limit = fp8_max(name)
    return x.to(torch.float32).clamp(-limit, limit).to(FP8_FORMATS[name]).view(torch.uint8)


def decode_fp8(codes: Tensor, name: str, dtype: torch.dtype = torch.float32) -> Tensor:
    """Values of fp8 bytes."""
    return codes.view(FP8_FORMATS[name]).to(torch.float32).to(dtype)
