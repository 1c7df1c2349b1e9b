"""fp8 E4M3 (OCP, what gfx950's matrix unit and conversions take), four elements a 32-bit word.

Maths: ``kk3ref.formats.fp8``.
"""

import math

import flydsl.expr as fx
from flydsl.expr import rocdl
from flydsl.expr.typing import T, as_ir_value

LARGEST = 448.0


def _clamped(value):
    """Saturated to the largest finite value; NaN stays NaN."""
    inside = fx.max(fx.min(value, fx.Float32(LARGEST)), fx.Float32(-LARGEST))
    bits = value.bitcast(fx.Int32) & 0x7FFFFFFF
    return (bits > 0x7F800000).select(value, inside)


def scaled(value, scale):
    """``value / scale``, rounded once: a product where the scale is a power of two."""
    if math.frexp(scale)[0] == 0.5:
        return value if scale == 1.0 else value * fx.Float32(1.0 / scale)
    return value / fx.Float32(scale)


def encode(values, scale=1.0):
    """Four Float32, divided by a static scale, as bytes of one Int32, the first in the lowest."""
    word = as_ir_value(fx.Int32(0))
    for half in range(2):
        pair = [as_ir_value(_clamped(scaled(values[2 * half + j], scale))) for j in range(2)]
        word = rocdl.cvt_pk_fp8_f32(T.i32, *pair, word, bool(half))
    return fx.Int32(word)


def decode(word):
    """The four Float32 in a word's bytes, without their scale."""
    found = []
    for half in (False, True):
        pair = fx.Vector(rocdl.cvt_pk_f32_fp8(T.vec(2, T.f32), as_ir_value(word), half))
        found += [pair[0], pair[1]]
    return found
