"""MXFP4 weights re-ordered once at load, and products with them decoded in registers.

A group of 32 elements is four 32-bit words of eight. In a word's 16-bit half the four elements'
magnitudes stand in bits 9–11, 6–8, 3–5 and 0–2 and their signs in bits 15, 12, 13 and 14, so that
shifting left by 0, 3, 6/2 and 9/1 bits gives them as fp16 numbers (times 2^-14, subnormals
included) two at a time. The words of a row are stored by their place in the group:
``[rows, 4, groups]``.

The activation, also MXFP4, stands as fp16 numbers times 2^12, in pairs that match. Products are
then multiples of 2^-4 no larger than 9, and a sum of eight is exact in fp16: a group's dot product
is exact, as it is in the reference, and meets the two scales in fp32.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from torch import Tensor

from kk3fast.triton.maths import decode_e8m0, e2m1_magnitude
from kk3ref.formats import GROUP, MXFP4

_MAGNITUDE_BITS = (9, 6, 3, 0)
_SIGN_BITS = (15, 12, 13, 14)


@dataclass(frozen=True)
class Packed:
    """Matrices in the kernels' order.

    Attributes:
        words: int32 ``[matrices, rows/32, groups/4, 4, 32, 4]``.
        scales: uint8 ``[matrices, rows/32, groups/4, 32, 4]``, E8M0.
        plain: whether no scale is 0 (a subnormal number) or 255 (NaN).
    """

    words: Tensor
    scales: Tensor
    plain: bool


def padded_groups(columns: int) -> int:
    """Groups of 32 of a row, up to a multiple of four."""
    return -(-columns // (GROUP * 4)) * 4


def pack(weight: MXFP4) -> Packed:
    """Re-order MXFP4 matrices ``[n, rows, columns]`` (groups of 32 along the columns).

    Raises:
        ValueError: the rows are no multiple of 32.
    """
    codes, scales = weight.codes, weight.scales
    if codes.shape[1] % 32:
        raise ValueError(f"rows must be a multiple of 32, got {codes.shape[1]}")
    missing = padded_groups(weight.shape[-1]) - scales.shape[-1]
    codes = torch.nn.functional.pad(codes, (0, missing * GROUP // 2))
    scales = torch.nn.functional.pad(scales, (0, missing), value=127)
    nibbles = torch.stack((codes & 15, codes >> 4), -1).flatten(-2)
    # int32 arithmetic: bit 31 becomes the sign.
    elements = nibbles.unflatten(-1, (-1, 4, 2, 4)).to(torch.int32)
    word = torch.zeros(elements.shape[:-2], dtype=torch.int32, device=codes.device)
    for half in range(2):
        for place in range(4):
            e = elements[..., half, place]
            bits = (e & 7) << _MAGNITUDE_BITS[place] | (e >> 3) << _SIGN_BITS[place]
            word |= bits << (16 * half)
    tiles = word.unflatten(1, (-1, 32)).unflatten(3, (-1, 4))  # [n, tile, row, chunk, group, word]
    return Packed(
        tiles.permute(0, 1, 3, 5, 2, 4).contiguous(),
        scales.unflatten(1, (-1, 32)).unflatten(3, (-1, 4)).transpose(2, 3).contiguous(),
        bool(((weight.scales > 0) & (weight.scales < 255)).all()),
    )


@triton.jit
def store_activation(base, code, group, live, GROUPS: tl.constexpr):
    """Write E2M1 codes ``[groups, 32]`` of one row as the fp16 numbers a product wants.

    ``base`` is fp16 ``[4 words, 4 pairs, GROUPS, 2]`` of the row.
    """
    element = tl.arange(0, 32)
    word = element // 8
    place = element % 4
    half = (element % 8) // 4
    at = ((word * 4 + place)[None, :] * GROUPS + group[:, None]) * 2 + half[None, :]
    magnitude = e2m1_magnitude(code)
    value = tl.where((code & 8) != 0, -magnitude, magnitude) * 4096.0
    tl.store(base + at, value.to(tl.float16), mask=live[:, None])


_TWO_WORDS = tl.constexpr("""
{
  .reg .b32 a, b, c, d, t, s;
  .reg .b16 lo, hi;
  .reg .f32 f, g;
  and.b32 a, $1, 0x8E008E00;
  shl.b32 t, $1, 3;
  and.b32 b, t, 0x8E008E00;
  shl.b32 t, $1, 6;
  and.b32 t, t, 0x0E000E00;
  shl.b32 c, $1, 2;
  lop3.b32 c, c, 0x80008000, t, 0xEA;
  shl.b32 t, $1, 9;
  and.b32 t, t, 0x0E000E00;
  shl.b32 d, $1, 1;
  lop3.b32 d, d, 0x80008000, t, 0xEA;
  mul.rn.f16x2 s, a, $3;
  fma.rn.f16x2 s, b, $4, s;
  fma.rn.f16x2 s, c, $5, s;
  fma.rn.f16x2 s, d, $6, s;
  and.b32 a, $2, 0x8E008E00;
  shl.b32 t, $2, 3;
  and.b32 b, t, 0x8E008E00;
  shl.b32 t, $2, 6;
  and.b32 t, t, 0x0E000E00;
  shl.b32 c, $2, 2;
  lop3.b32 c, c, 0x80008000, t, 0xEA;
  shl.b32 t, $2, 9;
  and.b32 t, t, 0x0E000E00;
  shl.b32 d, $2, 1;
  lop3.b32 d, d, 0x80008000, t, 0xEA;
  fma.rn.f16x2 s, a, $7, s;
  fma.rn.f16x2 s, b, $8, s;
  fma.rn.f16x2 s, c, $9, s;
  fma.rn.f16x2 s, d, $10, s;
  mov.b32 {lo, hi}, s;
  cvt.f32.f16 f, lo;
  cvt.f32.f16 g, hi;
  add.f32 $0, f, g;
}
""")


@triton.jit
def _word_by_arithmetic(w, xa, xb, xc, xd):
    """Sum of a word's eight products, without PTX."""
    total = tl.zeros(w.shape, tl.float32)
    for half in tl.static_range(2):
        for place in tl.static_range(4):
            x = xa
            if place == 1:
                x = xb
            elif place == 2:
                x = xc
            elif place == 3:
                x = xd
            sign_bit: tl.constexpr = 15 if place == 0 else 11 + place
            bits = w >> (16 * half)
            magnitude = e2m1_magnitude(bits >> (9 - 3 * place))
            value = tl.where(((bits >> sign_bit) & 1) != 0, -magnitude, magnitude)
            e = (x >> (16 * half)).to(tl.int16).to(tl.float16, bitcast=True).to(tl.float32)
            total += value * e * 6.103515625e-05  # 2^-14, as the bits of the word mean
    return total


@triton.jit
def two_words(w0, w1, x0, x1, x2, x3, x4, x5, x6, x7, PTX: tl.constexpr):
    """Exact fp32 sum, times 2^-2, of the 16 products of two words with their activations."""
    if PTX:
        return tl.inline_asm_elementwise(
            _TWO_WORDS,
            "=f,r,r,r,r,r,r,r,r,r,r",
            [w0, w1, x0, x1, x2, x3, x4, x5, x6, x7],
            dtype=tl.float32,
            is_pure=True,
            pack=1,
        )
    else:
        return _word_by_arithmetic(w0, x0, x1, x2, x3) + _word_by_arithmetic(w1, x4, x5, x6, x7)


@triton.jit
def group_scales(code, PLAIN: tl.constexpr = False):
    """E8M0 scale bytes as fp32; ``PLAIN``: neither 0 nor 255 is among them."""
    if PLAIN:
        return (code.to(tl.int32) << 23).to(tl.float32, bitcast=True)
    else:
        return decode_e8m0(code.to(tl.int32))
