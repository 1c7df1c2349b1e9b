"""Inside a wave of 64 lanes: uniform values, reductions, moves between lanes."""

import flydsl.expr as fx
from flydsl._mlir.dialects import llvm
from flydsl.expr import rocdl
from flydsl.expr.typing import T, as_ir_value

WAVE = 64
# Data-parallel-primitive controls that pair lanes inside a row of 16.
_DPP = {1: 0xB1, 2: 0x4E, 4: 0x141, 8: 0x140}
"""quad_perm [1,0,3,2] and [2,3,0,1], row_half_mirror, row_mirror: after the steps below them,
each brings the other half's value"""


def uniform(value):
    """The first lane's Int32 as a scalar."""
    return fx.Int32(rocdl.readfirstlane(T.i32, as_ir_value(fx.Int32(value))))


def uniform_address(value):
    """The first lane's Int64 as a scalar."""
    low = uniform(fx.Int32(value & 0xFFFFFFFF))
    high = uniform(fx.Int32(value >> 32))
    return (fx.Int64(high) << 32) | fx.Int64(fx.Uint32(low))


def from_lane(value, lane):
    """The Int32 or Float32 of another lane, which may differ between lanes."""
    bits = value.bitcast(fx.Int32) if isinstance(value, fx.Float32) else fx.Int32(value)
    moved = rocdl.ds_bpermute(T.i32, as_ir_value(fx.Int32(lane) * 4), as_ir_value(bits))
    moved = fx.Int32(moved)
    return moved.bitcast(fx.Float32) if isinstance(value, fx.Float32) else moved


def _dpp(value, control):
    operands = [fx.Int32(v).ir_value() for v in (value, value, control, 0xF, 0xF)]
    operands.append(fx.Boolean(False).ir_value())
    name = "llvm.amdgcn.update.dpp.i32"
    return fx.Int32(llvm.call_intrinsic(T.i32, name, operands, [], []))


def _swapped(value, distance):
    """Both results of exchanging a value's halves (32) or odd and even rows (16) with itself."""
    swap = rocdl.permlane32_swap if distance == 32 else rocdl.permlane16_swap
    kind = llvm.StructType.get_literal([T.i32, T.i32])
    bits = as_ir_value(value)
    pair = swap(kind, bits, bits, False, False)
    return tuple(fx.Int32(llvm.extractvalue(T.i32, pair, [j])) for j in range(2))


def mirrored(value):
    """The Float32 of the lane whose place in its row of 16 is mirrored."""
    return _dpp(value.bitcast(fx.Int32), _DPP[8]).bitcast(fx.Float32)


def from_upper_half(value):
    """The Float32 of the lane 32 above, in the lower half of a wave."""
    return _swapped(value.bitcast(fx.Int32), 32)[1].bitcast(fx.Float32)


def combine(value, width, operation, first=1):
    """``operation`` over groups of ``width`` (a power of two up to 64) lanes, in every lane of it.

    ``first``: combine only lanes that are a multiple of it (a power of two) apart.

    A fixed tree, so the same bits in every lane: neighbours first, then pairs of pairs, and so on.
    ``operation`` must be commutative.
    """
    is_float = isinstance(value, fx.Float32)
    step = first
    while step < width:
        bits = value.bitcast(fx.Int32) if is_float else fx.Int32(value)
        parts = _swapped(bits, step) if step >= 16 else (bits, _dpp(bits, _DPP[step]))
        if is_float:
            parts = tuple(p.bitcast(fx.Float32) for p in parts)
        value = operation(*parts)
        step *= 2
    return value


def _add(a, b):
    return a + b


def total(value, width=WAVE):
    """Sum over groups of ``width`` lanes."""
    return combine(value, width, _add)


def largest(value, width=WAVE):
    """Maximum over groups of ``width`` lanes."""
    return combine(value, width, fx.max)


def ballot(condition):
    """A bit a lane where the condition holds, Int64."""
    return fx.Int64(rocdl.ballot(T.i64, as_ir_value(condition)))


def read_lane(value, lane):
    """A lane's Float32 or Int32 as a scalar (``lane`` uniform)."""
    is_float = isinstance(value, fx.Float32)
    bits = as_ir_value(value.bitcast(fx.Int32) if is_float else fx.Int32(value))
    found = fx.Int32(rocdl.readlane(T.i32, bits, as_ir_value(fx.Int32(lane))))
    return found.bitcast(fx.Float32) if is_float else found
