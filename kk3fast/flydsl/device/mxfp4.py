"""MXFP4: blocks of 32 E2M1 elements under an E8M0 scale, quantised and multiplied.

Weights are in AITER's order (``kk3ref.formats.shuffle``): what a wave reads of 16 rows and 128
columns is 1 KiB in lane order, and a 32-bit word a lane holds the scales of 32 rows and 256
columns.

Operand layouts of ``mfma scale 16x16x128``: lane ``l`` holds row ``l % 16`` and the block of 32 at
depth ``32·(l // 16)`` of either operand, with its scale in a byte of a word; result ``i`` of lane
``l`` is weight row ``4·(l // 16) + i``, activation row ``l % 16``.

Maths: ``kk3ref.formats.mxfp4``.
"""

import struct

import flydsl.expr as fx
from flydsl.expr import rocdl
from flydsl.expr.typing import T, as_ir_value

from kk3fast.flydsl.device import lanes, memory

BLOCK = 32
STEP = 128
GROUP = 16
"""rows of a weight group"""
TILE_ROWS, TILE_STEPS = 32, 2
"""weight rows and depth steps that a word of scales covers"""
_FP4 = 4
_SIXTH = struct.unpack("f", struct.pack("f", 1 / 6))[0]
_NAN, _LARGEST = 255, 254


# -- quantisation --------------------------------------------------------------------------------


def magnitude(values):
    """Largest absolute value of a list of Float32 as fp32 bits, Int32; any NaN is above all.

    Take the maximum of such bits over the lanes that share a block.
    """
    largest = fx.Int32(0)
    for value in values:
        largest = fx.max(largest, value.bitcast(fx.Int32) & 0x7FFFFFFF)
    return largest


def scale_code(bits):
    """E8M0 code of a block from its ``magnitude``: that of the least power of two ≥ amax/6."""
    sixth = (bits.bitcast(fx.Float32) * _SIXTH).bitcast(fx.Int32)
    exponent, mantissa = (sixth >> 23) & 255, sixth & 0x7FFFFF
    # subnormal numbers share exponent 0; 2^-127 is the one with the mantissa's top bit alone
    limit = (exponent == 0).select(fx.Int32(0x400000), fx.Int32(0))
    code = exponent + (mantissa > limit).select(fx.Int32(1), fx.Int32(0))
    code = fx.min(code, fx.Int32(_LARGEST))
    return (bits > 0x7F800000).select(fx.Int32(_NAN), code)


def encode(values, code):
    """Eight Float32 of a block of scale ``code`` as E2M1, the first in the low nibble: Int32."""
    return _encoded(values, code)


def encode_pair(values, code):
    """Two Float32 of a block of scale ``code`` as E2M1 in the lowest byte of an Int32."""
    return _encoded(values, code)


def _encoded(values, code):
    opposite = _LARGEST - code  # the code of 1 / scale; 2^-127 (code 0) is subnormal
    inverse = (opposite > 0).select(opposite << 23, fx.Int32(0x400000)).bitcast(fx.Float32)
    word = as_ir_value(fx.Int32(0))
    for i in range(len(values) // 2):
        pair = [as_ir_value(fx.Float32(values[2 * i + j]) * inverse) for j in range(2)]
        one = as_ir_value(fx.Float32(1.0))
        word = rocdl.cvt_scalef32_pk_fp4_f32(T.i32, word, *pair, one, i)
    return (code == _NAN).select(fx.Int32(0), fx.Int32(word))


# -- weights -------------------------------------------------------------------------------------


def steps(depth):
    """Depth steps of 128 (the last may be short)."""
    return -(-depth // STEP)


def scale_words(rows, depth):
    """Words of a shuffled matrix's scales, padding included."""
    return -(-rows // TILE_ROWS) * -(-depth // (STEP * TILE_STEPS)) * lanes.WAVE


def load_weights(address, group, step, depth, lane, policy=memory.NONTEMPORAL, where=None):
    """A lane's 32 elements (4 words) of weight rows ``16·group`` … and depth step ``step``.

    ``address``: of one shuffled matrix (uniform). ``depth``: a multiple of 32; past it zeros, as
    where ``where`` does not hold.
    """
    word = fx.Int32(group) * (GROUP * depth // 8) + step * (lanes.WAVE * 4) + lane * 4
    return memory.load(address, word, 4, policy, where=_both(_live(step, depth, lane), where))


def _both(a, b):
    return b if a is None else a if b is None else a & b


def _live(step, depth, lane):
    """None where every lane has a block."""
    if isinstance(step, int) and (step + 1) * STEP <= depth:
        return None
    return step * STEP + lane // GROUP * BLOCK < depth


def load_scales(address, tile, pair, depth, lane, policy=memory.NONTEMPORAL, where=None):
    """A lane's word of scales for weight rows ``32·tile`` … and steps ``2·pair``, ``2·pair + 1``.

    Byte ``2·(step % 2) + (row // 16 % 2)`` is the one for a step and a half of the rows.
    """
    columns = -(-depth // (STEP * TILE_STEPS))
    word = (fx.Int32(tile) * columns + pair) * lanes.WAVE + lane
    live = None if isinstance(pair, int) else pair < columns
    return memory.load(address, word, 1, policy, where=_both(live, where))


def multiply(weights, weight_scales, byte, rows, row_scales, accumulator):
    """Add one step's products: ``weights`` and ``rows`` of 4 words, Vector of 4 Float32.

    ``byte``: which byte of ``weight_scales`` holds the scale; of ``row_scales`` it is the lowest.
    """
    operands = [weights, rows, accumulator, _FP4, _FP4, byte, weight_scales, 0, row_scales]
    return fx.Vector(rocdl.mfma_scale_f32_16x16x128_f8f6f4(T.vec(4, T.f32), operands))
