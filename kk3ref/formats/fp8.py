"""fp8 E4M3: FN (OCP 8-bit floating point v1.0; gfx950, NVIDIA) and FNUZ (gfx942).

FN has a bias of 7, a largest value of 448 and NaN at 0x7F and 0xFF. FNUZ has a bias of 8, a
largest value of 240, no negative zero and NaN at 0x80. Neither has infinities.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kk3ref.formats.mxfp4 import decode_e8m0

_DTYPES = {"fp8_e4m3fn": torch.float8_e4m3fn, "fp8_e4m3fnuz": torch.float8_e4m3fnuz}
_BIAS = {"fp8_e4m3fn": 7, "fp8_e4m3fnuz": 8}
FP8_MAX = {"fp8_e4m3fn": 448.0, "fp8_e4m3fnuz": 240.0}
"""largest finite value of each format"""


def encode_fp8(x: Tensor, name: str = "fp8_e4m3fn") -> Tensor:
    """Round to fp8, once, nearest even, saturating; infinities become the largest value.

    Args:
        x: floating tensor (float64 is rounded directly, not through float32).
        name: ``fp8_e4m3fn`` or ``fp8_e4m3fnuz``.

    Returns:
        tensor of the torch fp8 dtype; ``.view(torch.uint8)`` has its bytes. NaN stays NaN.

    Raises:
        ValueError: unknown format.
    """
    dtype = _dtype(name)
    wide = x if x.dtype == torch.float64 else x.float()
    wide = wide.clamp(-FP8_MAX[name], FP8_MAX[name])
    # floor(log2|x|), no lower than the smallest normal exponent; three bits follow it.
    exponent = torch.frexp(wide.nan_to_num(0.0)).exponent - 1
    step = decode_e8m0(exponent.clamp(min=1 - _BIAS[name]) - 3 + 127, wide.dtype)
    return (torch.round(wide / step) * step).float().to(dtype)  # exact: on the grid


def decode_fp8(x: Tensor, name: str = "fp8_e4m3fn", dtype: torch.dtype = torch.float32) -> Tensor:
    """Values of fp8 elements; exact in every wider dtype.

    Args:
        x: tensor of the torch fp8 dtype, or its bytes as uint8.
        name: ``fp8_e4m3fn`` or ``fp8_e4m3fnuz``.
        dtype: dtype of the values.

    Raises:
        ValueError: unknown format.
        TypeError: ``x`` is in another format.
    """
    if x.dtype not in (torch.uint8, _dtype(name)):
        raise TypeError(f"x must be uint8 or {_dtype(name)}, got {x.dtype}")
    return _VALUES[name].to(x.device, dtype)[x.view(torch.uint8).int()]


def _dtype(name: str) -> torch.dtype:
    if name not in _DTYPES:
        raise ValueError(f"fp8 format must be one of {', '.join(_DTYPES)}, got {name!r}")
    return _DTYPES[name]


def _values(name: str) -> Tensor:
    bytes_ = torch.arange(256)
    exponent, mantissa = bytes_ >> 3 & 15, (bytes_ & 7).double()
    normal = exponent > 0
    significand = torch.where(normal, 8 + mantissa, mantissa)
    value = significand * decode_e8m0(exponent.clamp(min=1) - _BIAS[name] - 3 + 127, torch.float64)
    value = torch.where(bytes_ >= 128, -value, value)
    nan = {"fp8_e4m3fn": bytes_ & 0x7F == 0x7F, "fp8_e4m3fnuz": bytes_ == 0x80}[name]
    return torch.where(nan, torch.nan, value)


_VALUES = {name: _values(name) for name in _DTYPES}
