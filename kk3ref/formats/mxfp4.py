"""MXFP4: E2M1 elements in blocks of 32 that share an E8M0 scale (OCP Microscaling Formats v1.0).

An element is a nibble ``s ee m``; two a byte, the lower nibble first. A scale byte ``c`` stands for
``2^(c-127)``; 255 is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

GROUP = 32
"""Elements that share a scale."""

E2M1_VALUES = torch.tensor(
    [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0]
)
"""The 16 elements by code, fp32."""

_MIDPOINTS = (0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0)
_SIXTH = float(torch.tensor(1 / 6, dtype=torch.float32))
_MAX_SCALE = 254
_NAN_SCALE = 255


def encode_e2m1(x: Tensor) -> Tensor:
    """E2M1 codes 0…15 of ``x``: round to nearest even, saturating at ±6; NaN gives a signed 6.

    Args:
        x: any shape, floating.

    Returns:
        uint8 of the same shape.
    """
    size = x.abs()
    bounds = torch.tensor(_MIDPOINTS, dtype=x.dtype, device=x.device)
    down = torch.bucketize(size, bounds)  # at a midpoint: the lower code
    up = torch.bucketize(size, bounds, right=True)
    code = torch.where(down % 2 == 0, down, up)
    return (code | (x.signbit().to(code.dtype) << 3)).to(torch.uint8)


def decode_e2m1(codes: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """Values of E2M1 codes 0…15."""
    return E2M1_VALUES.to(device=codes.device, dtype=dtype)[codes.long()]


def decode_e8m0(scales: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """``2^(code-127)`` exactly (subnormal in fp32 for code 0); 255 is NaN."""
    table = torch.ldexp(torch.ones(256, dtype=torch.float64), torch.arange(256) - 127)
    table[_NAN_SCALE] = torch.nan
    return table.to(device=scales.device, dtype=dtype)[scales.long()]


def pack_nibbles(codes: Tensor) -> Tensor:
    """Two codes a byte along the last axis, the first in the low nibble: ``[..., n]`` → ``n/2``."""
    return codes[..., 0::2] | (codes[..., 1::2] << 4)


def unpack_nibbles(packed: Tensor) -> Tensor:
    """The inverse of :func:`pack_nibbles`."""
    return torch.stack([packed & 15, packed >> 4], -1).flatten(-2)


def scale_code(amax: Tensor) -> Tensor:
    """The block scale of a largest magnitude, as the production kernels choose it.

    The exponent of the smallest power of two that is not below ``fp32(amax · fp32(1/6))``, at most
    254; zero for an all-zero block; 255 (NaN) where ``amax`` is NaN.

    Args:
        amax: fp32 or fp64, not negative.

    Returns:
        uint8 of the same shape.
    """
    sixth = (amax.to(torch.float64) * _SIXTH).to(torch.float32)
    bits = sixth.view(torch.int32)
    code = ((bits + 0x7FFFFF) >> 23).clamp(max=_MAX_SCALE)
    return torch.where(amax.isnan(), _NAN_SCALE, code).to(torch.uint8)


@dataclass(frozen=True)
class MXFP4:
    """A packed MXFP4 tensor.

    Attributes:
        codes: ``[..., n/2]`` uint8, two elements a byte.
        scales: ``[..., n/32]`` uint8.
    """

    codes: Tensor
    scales: Tensor

    @property
    def shape(self) -> torch.Size:
        """Shape of the values."""
        return torch.Size((*self.codes.shape[:-1], 2 * self.codes.shape[-1]))

    def dequantize(self, dtype: torch.dtype = torch.float32) -> Tensor:
        """The values, exact in fp32 and fp64."""
        values = _decode_packed(self.codes, dtype)
        scale = decode_e8m0(self.scales, dtype)[..., None]
        blocks = values.unflatten(-1, (-1, GROUP)).mul_(scale)
        return blocks.flatten(-2)

    def rows(self, start: int, stop: int, dtype: torch.dtype) -> Tensor:
        """Rows ``start:stop`` of a matrix as values."""
        return MXFP4(self.codes[start:stop], self.scales[start:stop]).dequantize(dtype)


def quantize_mxfp4(x: Tensor) -> MXFP4:
    """Quantise blocks of 32 along the last axis.

    Elements are ``x / scale`` rounded to nearest even and saturated. A block that holds a NaN gets
    the NaN scale, so that it cannot pass for a number; an infinite one saturates.

    Args:
        x: ``[..., n]`` fp32 or fp64.

    Raises:
        ValueError: n is not a multiple of 32.
    """
    if x.shape[-1] % GROUP:
        raise ValueError(f"last axis must be a multiple of {GROUP}, got {x.shape[-1]}")
    x = x if x.dtype == torch.float64 else x.to(torch.float32)
    blocks = x.unflatten(-1, (-1, GROUP))
    scales = scale_code(blocks.abs().amax(-1))
    # In float64 the division by any scale is exact, also where fp32 would underflow.
    units = blocks.to(torch.float64) / decode_e8m0(scales, torch.float64)[..., None]
    return MXFP4(pack_nibbles(encode_e2m1(units.flatten(-2))), scales)


def _quad_table(dtype: torch.dtype) -> np.ndarray:
    """Four values for each pair of bytes, as one opaque item: decodes by plain indexing."""
    low = E2M1_VALUES.to(dtype)[torch.arange(256) & 15]
    pair = torch.stack([low, E2M1_VALUES.to(dtype)[torch.arange(256) >> 4]], -1)
    word = torch.arange(65536)
    quad = torch.cat([pair[word & 255], pair[word >> 8]], -1)
    size = 4 * dtype.itemsize
    return np.ascontiguousarray(quad.numpy()).view(f"V{size}").reshape(-1)


_QUADS: dict[torch.dtype, np.ndarray] = {}


def _decode_packed(codes: Tensor, dtype: torch.dtype) -> Tensor:
    """Unscaled values ``[..., 2n]`` of packed codes ``[..., n]``, fresh memory."""
    if codes.device.type != "cpu" or codes.shape[-1] % 2 or dtype not in _NUMPY:
        return decode_e2m1(unpack_nibbles(codes), dtype)
    if dtype not in _QUADS:
        _QUADS[dtype] = _quad_table(dtype)
    words = np.ascontiguousarray(codes.numpy()).view("<u2")
    values = _QUADS[dtype][words].view(_NUMPY[dtype])
    return torch.from_numpy(values)


_NUMPY = {torch.float32: np.float32, torch.float64: np.float64}
