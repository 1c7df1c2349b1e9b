"""Device functions: rounding, activations, number formats."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from kk3fast.triton.target import INTERPRET as _INTERPRET

INTERPRET = tl.constexpr(_INTERPRET)
SIXTH = tl.constexpr(0.16666667163372040)  # fp32(1/6)


@triton.jit
def begin(PDL: tl.constexpr):
    """Wait for the kernel before; from here on the kernel after may start."""
    if PDL:
        gdc_wait()
        gdc_launch_dependents()


@triton.jit
def to_bf16(x):
    """fp32 rounded to bf16, nearest even. (The interpreter's own conversion truncates.)"""
    if INTERPRET:
        bits = x.to(tl.float32).to(tl.int32, bitcast=True)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        rounded = tl.where(x != x, 0x7FC0, rounded)
        return rounded.to(tl.int16).to(tl.bfloat16, bitcast=True)
    else:
        return x.to(tl.bfloat16)


@triton.jit
def rounded(x):
    """fp32 rounded to bf16 and widened again."""
    return to_bf16(x).to(tl.float32)


@triton.jit
def dot(a, b, acc):
    """``acc + a @ b`` of bf16 operands in fp32. (The interpreter has no bf16 product.)"""
    if INTERPRET:
        return tl.dot(a.to(tl.float32), b.to(tl.float32), acc)
    else:
        return tl.dot(a, b, acc)


@triton.jit
def sigmoid(x):
    """``1 / (1 + exp(-x))`` from ``exp(-|x|)``, which cannot overflow."""
    e = tl.exp(-tl.abs(x))
    return tl.where(x >= 0, 1.0, e) / (1.0 + e)


@triton.jit
def tanh(x):
    """``2·sigmoid(2x) - 1``: an absolute error of a few units of 2^-24."""
    return 2.0 * sigmoid(2.0 * x) - 1.0


@triton.jit
def situ(gate, up, beta, linear_beta):
    """``(β·tanh(g/β)·sigmoid(g)) · (β_l·tanh(u/β_l))``."""
    gated = beta * tanh(gate / beta) * sigmoid(gate)
    return gated * (linear_beta * tanh(up / linear_beta))


@triton.jit
def decode_e8m0(code):
    """``2^(code - 127)`` of int32 codes; 255 is NaN."""
    bits = tl.where(code == 0, 0x00400000, code << 23)
    bits = tl.where(code == 255, 0x7FC00000, bits)
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def e8m0_at_least(x):
    """Code of the smallest power of two at or above ``x ≥ 0``; at most 254, 255 for NaN."""
    bits = x.to(tl.int32, bitcast=True)
    exponent = bits >> 23
    above = (bits & 0x7FFFFF) > tl.where(exponent == 0, 0x400000, 0)
    code = tl.minimum(exponent + above.to(tl.int32), 254)
    return tl.where(x != x, 255, code)


@triton.jit
def encode_e2m1(x):
    """Codes 0…15 (int32) of fp32 values: nearest even, saturating; NaN becomes 0."""
    a = tl.abs(x)
    code = (a > 0.25).to(tl.int32) + (a >= 0.75).to(tl.int32) + (a > 1.25).to(tl.int32)
    code += (a >= 1.75).to(tl.int32) + (a > 2.5).to(tl.int32) + (a >= 3.5).to(tl.int32)
    code += (a > 5.0).to(tl.int32)
    negative = (x.to(tl.int32, bitcast=True) < 0) & (x == x)
    return code + tl.where(negative, 8, 0)


@triton.jit
def quantize_mxfp4(x):
    """MXFP4 of fp32 ``[groups, 32]``: codes int32 ``[groups, 32]``, scales int32 ``[groups]``."""
    size = tl.abs(x)
    amax = tl.max(size, 1)
    # max may drop a NaN, which must reach the scale.
    amax = tl.where(tl.max((x != x).to(tl.int32), 1) > 0, float("nan"), amax)
    scale = e8m0_at_least(amax * SIXTH)
    inverse = decode_e8m0(tl.where(scale == 255, 255, 254 - scale))
    return encode_e2m1(x * inverse[:, None]), scale


@triton.jit
def e2m1_magnitude(code):
    """Value of the low three bits of an E2M1 code as fp32."""
    m = code & 7
    normal = ((2 + (m & 1)) << (m >> 1)).to(tl.float32) * 0.25
    return tl.where(m < 2, m.to(tl.float32) * 0.5, normal)


@triton.jit
def e2m1_value(code):
    """Value of an E2M1 code 0…15 as fp32."""
    magnitude = e2m1_magnitude(code)
    return tl.where((code & 8) != 0, -magnitude, magnitude)


@triton.jit
def prefetch_rows(base, row, last, rows: tl.constexpr, row_bytes, bytes_a_row: tl.constexpr):
    """Ask for the head of each of ``rows`` matrix rows to be brought into the L2 cache.

    Args:
        base: the matrix; its rows are whole cache lines of 128 bytes.
        row: first row; last: the matrix's last.
        bytes_a_row: of each row, a multiple of 512.
    """
    line = tl.arange(0, rows * 4)
    address = base.to(tl.int64) + (line % 4).to(tl.int64) * 128
    address += tl.minimum(row + line // 4, last).to(tl.int64) * row_bytes
    for start in range(0, bytes_a_row, 512):
        tl.inline_asm_elementwise(
            "prefetch.global.L2 [$1]; mov.b32 $0, 0;",
            "=r,l",
            [address + start],
            dtype=tl.int32,
            is_pure=False,
            pack=1,
        )
