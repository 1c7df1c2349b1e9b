"""Scalar maths: bf16 rounding and packing, and functions on the hardware's approximations.

``v_exp_f32``, ``v_rcp_f32`` and ``v_rsq_f32`` are good to about one unit in the last place.
"""

import math

import flydsl.expr as fx
from flydsl._mlir.dialects import llvm
from flydsl.expr.typing import T

LOG2E = 1.0 / math.log(2.0)


def _hardware(name, x):
    return fx.Float32(llvm.call_intrinsic(T.f32, name, [fx.Float32(x).ir_value()], [], []))


def rsqrt(x):
    """1 / sqrt(x)."""
    return _hardware("llvm.amdgcn.rsq.f32", x)


def reciprocal(x):
    """1 / x."""
    return _hardware("llvm.amdgcn.rcp.f32", x)


def exp2(x):
    """2^x."""
    return _hardware("llvm.amdgcn.exp2.f32", x)


def exp(x):
    """e^x; the product with log2(e) is split so that a large x keeps its relative accuracy."""
    high = x * LOG2E
    low = fx.Float32(fx.math.fma(x, fx.Float32(LOG2E), -high))
    rest = fx.Float32(fx.math.fma(x, fx.Float32(_LOG2E_LOW), low))
    return exp2(high) * fx.Float32(fx.math.fma(rest, fx.Float32(math.log(2.0)), fx.Float32(1.0)))


def _rounded(x):
    import struct

    return struct.unpack("f", struct.pack("f", x))[0]


_LOG2E_LOW = LOG2E - _rounded(LOG2E)


def sigmoid(x):
    """1 / (1 + e^-x), accurate relative to its value for negative x too."""
    return fx.Float32(1.0) / (fx.Float32(1.0) + exp(-x))


def log2(x):
    """The binary logarithm of a positive normal number."""
    return _hardware("llvm.amdgcn.log.f32", x)


def softplus(x):
    """``log(1 + e^x)``, accurate relative to its value."""
    y = exp(-fx.Float32(fx.math.absf(x)))  # in [0, 1]
    whole = fx.Float32(1.0) + y
    # What is lost of y in 1 + y is made good by the quotient; nothing of it left: log(1 + y) = y.
    logarithm = log2(whole) * fx.Float32(math.log(2.0)) * (y / (whole - 1.0))
    return fx.max(x, 0.0) + (whole == 1.0).select(y, logarithm)


def round_bf16(x):
    """The Float32 nearest to x among bf16 values, ties to even."""
    return fx.Float32(fx.Float32(x).to(fx.BFloat16))


def pack_bf16(low, high):
    """Two Float32 rounded to bf16 in one word, ``low`` in the low half: Int32."""
    pair = fx.Vector.from_elements([low, high], fx.Float32).to(fx.BFloat16)
    return fx.Int32(pair.bitcast(fx.Int32)[0])


def low_bf16(word):
    """The bf16 in a word's low half, as Float32."""
    return (fx.Int32(word) << 16).bitcast(fx.Float32)


def high_bf16(word):
    """The bf16 in a word's high half, as Float32."""
    return (fx.Int32(word) & fx.Int32(-65536)).bitcast(fx.Float32)


def bf16_values(words):
    """Every bf16 of a list or vector of words, as Float32, in memory order."""
    return [half(w) for w in words for half in (low_bf16, high_bf16)]
