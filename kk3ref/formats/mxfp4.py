"""MXFP4: E2M1 elements in groups of 32 that share an E8M0 scale (OCP MX v1.0).

Packed as ``mxfp4-pack-quantized`` checkpoints and ``torch.float4_e2m1fn_x2`` do: two elements a
byte, the low nibble first. The block rule is Kimi-K3's: the scale is the smallest power of two at
or above ``amax · fp32(1/6)``, which makes every element at most 6 in magnitude.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

GROUP = 32
E2M1_MAX = 6.0
E2M1_VALUES: tuple[float, ...] = (
    *(0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0),
    *(-0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0),
)
"""value of each of the 16 codes: sign, two exponent bits, one mantissa bit"""

_SIXTH = float(torch.tensor(1 / 6, dtype=torch.float32))
_E8M0_NAN = 255
_E8M0_MAX = 254
_E8M0_VALUES = torch.tensor(
    [*(2.0 ** (code - 127) for code in range(_E8M0_NAN)), torch.nan], dtype=torch.float64
)


@dataclass(frozen=True)
class MXFP4:
    """A tensor in MXFP4 whose last axis is grouped.

    It is a row source: a policy can multiply with it without ever decoding the whole of it.
    """

    codes: Tensor
    """packed elements uint8 ``[..., n/2]``"""
    scales: Tensor
    """E8M0 codes uint8 ``[..., n/group]``"""

    def __post_init__(self) -> None:
        for name, value in (("codes", self.codes), ("scales", self.scales)):
            if value.dtype != torch.uint8:
                raise TypeError(f"{name} must be uint8, got {value.dtype}")
        lead, groups = self.scales.shape[:-1], self.scales.shape[-1]
        elements = 2 * self.codes.shape[-1]
        if self.codes.shape[:-1] != lead or groups == 0 or elements % (4 * groups):
            raise ValueError(
                "codes [..., n/2] and scales [..., n/group] must agree with a group that is a "
                f"multiple of 4, got {tuple(self.codes.shape)} and {tuple(self.scales.shape)}"
            )

    @property
    def shape(self) -> torch.Size:
        """Shape of the decoded tensor."""
        return torch.Size((*self.codes.shape[:-1], 2 * self.codes.shape[-1]))

    @property
    def group(self) -> int:
        """Elements that share a scale."""
        return self.shape[-1] // self.scales.shape[-1]

    @property
    def nbytes(self) -> int:
        """Bytes of elements and scales."""
        return self.codes.nbytes + self.scales.nbytes

    def __getitem__(self, index: int | slice | Tensor) -> MXFP4:
        """Index the first axis; it must not be the grouped one."""
        if self.codes.ndim < 2:
            raise IndexError("the grouped axis cannot be indexed")
        return MXFP4(self.codes[index], self.scales[index])

    def rows(self, start: int, stop: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Entries ``start:stop`` of the first axis, decoded."""
        return dequantize(self[start:stop], dtype)

    def dequantize(self, dtype: torch.dtype = torch.float32) -> Tensor:
        """The decoded tensor; see :func:`dequantize`."""
        return dequantize(self, dtype)


# -- elements ----------------------------------------------------------------------------------


def encode_e2m1(x: Tensor) -> Tensor:
    """Round to E2M1, nearest even, saturating; infinities become ±6.

    The format has no NaN: a NaN becomes +0, so a caller that can meet one must mark it elsewhere
    (:func:`quantize_mxfp4` does in the scale). The sign of zero is kept.

    Args:
        x: floating tensor.

    Returns:
        codes 0..15, uint8, of the shape of ``x``.
    """
    a = x.abs()
    code = (a > 0.25).to(torch.uint8)
    # Midpoints 0.75, 1.75, 3.5 have their even neighbour above, the others below.
    for midpoint, up in ((0.75, 1), (1.25, 0), (1.75, 1), (2.5, 0), (3.5, 1), (5.0, 0)):
        code += (a >= midpoint) if up else (a > midpoint)
    return code + 8 * (torch.signbit(x) & ~x.isnan()).to(torch.uint8)


def decode_e2m1(codes: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """Values of unpacked codes 0..15."""
    return torch.tensor(E2M1_VALUES, dtype=dtype, device=codes.device)[codes.int()]


def pack_e2m1(codes: Tensor) -> Tensor:
    """Pack codes 0..15 ``[..., n]`` (n even) into bytes ``[..., n/2]``, low nibble first."""
    if codes.shape[-1] % 2:
        raise ValueError(f"the last axis must be even, got {codes.shape[-1]}")
    return codes[..., 0::2] | (codes[..., 1::2] << 4)


def unpack_e2m1(packed: Tensor) -> Tensor:
    """Codes 0..15 ``[..., n]`` of bytes ``[..., n/2]``."""
    return torch.stack((packed & 15, packed >> 4), -1).flatten(-2)


# -- scales ------------------------------------------------------------------------------------


def decode_e8m0(codes: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """``2^(code - 127)``; code 255 is NaN. Exact: 2^-127 is subnormal in fp32 and bf16.

    Args:
        codes: uint8.
        dtype: float64, float32 or bfloat16.
    """
    if dtype not in (torch.float64, torch.float32, torch.bfloat16):
        raise TypeError(f"dtype must be float64, float32 or bfloat16, got {dtype}")
    return _E8M0_VALUES.to(codes.device, dtype)[codes.int()]


def e8m0_at_least(x: Tensor) -> Tensor:
    """Code of the smallest E8M0 power of two that is at or above ``x``.

    Args:
        x: float32, not negative.

    Returns:
        uint8 codes: 0 for all ``x ≤ 2^-127`` (zero included), 254 for infinity, 255 for NaN.
    """
    bits = x.contiguous().view(torch.int32)
    exponent, mantissa = bits >> 23, bits & 0x7FFFFF
    # Subnormal numbers share exponent 0; 2^-127 is the one with the mantissa's top bit alone.
    above = mantissa > torch.where(exponent == 0, 0x400000, 0)
    code = (exponent + above).clamp(max=_E8M0_MAX)
    return torch.where(x.isnan(), _E8M0_NAN, code).to(torch.uint8)


# -- blocks ------------------------------------------------------------------------------------


def quantize_mxfp4(x: Tensor, group: int = GROUP) -> MXFP4:
    """Quantise the last axis in groups by Kimi-K3's block rule.

    ``code`` is the exponent of the smallest power of two at or above ``amax · fp32(1/6)``; the
    product is rounded to fp32, for float64 input too (there ``amax`` is rounded first), so that
    ``amax = 6·2^k`` gets ``2^k`` in every precision. Elements are ``x / scale`` rounded once to
    E2M1, nearest even, saturating.

    Edges: an all-zero group has code 0 and zero elements; a scale below 2^-127 becomes 2^-127
    (code 0), where elements may round to zero; a group with an infinity has code 254, its
    infinities become ±6; a group with a NaN has code 255 and zero elements, and decodes to NaN
    as a whole.

    Args:
        x: floating tensor ``[..., n]``, n a multiple of ``group``.
        group: elements a scale, a multiple of 4.

    Raises:
        ValueError: the last axis does not hold whole groups.
    """
    n = x.shape[-1]
    if group % 4 or group < 4 or n == 0 or n % group:
        raise ValueError(
            f"the last axis must hold whole groups of {group} (a multiple of 4), got {n} elements"
        )
    wide = x if x.dtype == torch.float64 else x.float()
    blocks = wide.unflatten(-1, (n // group, group))
    amax = blocks.abs().amax(-1).float()
    scales = e8m0_at_least(amax * _SIXTH)
    # 1 / scale is a power of two of the format too, so scaling by it cannot round an element that
    # is anywhere near a midpoint. The NaN group's 254 - 255 wraps to NaN, whose code is 0.
    scaled = blocks * decode_e8m0(_E8M0_MAX - scales, wide.dtype)[..., None]
    return MXFP4(pack_e2m1(encode_e2m1(scaled).flatten(-2)), scales)


def dequantize(packed: MXFP4, dtype: torch.dtype = torch.float32) -> Tensor:
    """Decode: ``value · 2^(code - 127)`` for each element.

    Exact in every dtype below, with two limits of the dtype's own: magnitudes of 2^128 and more
    (only scale codes 253 and 254 reach them) become infinite in float32 and bfloat16, and a group
    of scale code 255 is NaN.

    Args:
        packed: elements and scales.
        dtype: float64, float32 or bfloat16.
    """
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    codes = packed.codes.contiguous()
    if not torch.compiler.is_compiling() and codes.storage_offset() % 2:  # no graph has offsets
        codes = codes.clone()
    # One look-up decodes four elements; 16-bit table rows stay in the cache.
    index = codes.view(torch.uint16).to(torch.int32).flatten()
    values = _QUADS[wide].to(codes.device).index_select(0, index)
    values = values.view(*packed.scales.shape, packed.group)
    values *= decode_e8m0(packed.scales, wide)[..., None]
    return values.flatten(-2).to(dtype)


def _quads(dtype: torch.dtype) -> Tensor:
    """Values of the four elements of each 16-bit word: ``[65536, 4]``."""
    words = torch.arange(1 << 16)
    return torch.stack([decode_e2m1(words >> shift & 15, dtype) for shift in (0, 4, 8, 12)], -1)


_QUADS = {dtype: _quads(dtype) for dtype in (torch.float32, torch.float64)}
