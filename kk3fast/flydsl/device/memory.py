"""Global memory at 64-bit addresses: buffer loads and stores with a cache policy, in 32-bit words.

A buffer access takes a wave-uniform base and a 32-bit byte offset a lane (below 4 GiB); what
reaches farther, or has a base a lane, goes through ``load_far``.
"""

import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import llvm
from flydsl.expr import rocdl
from flydsl.expr.typing import T, as_ir_value

PLAIN = 0
NONTEMPORAL = 2
"""read once: does not displace what is read again"""
DEVICE = 16
"""past the per-XCD caches: every workgroup of the GPU sees it"""
SYSTEM = 17
"""past the GPU's caches: every rank sees it"""

_WHOLE = 0xFFFFFFF0
# Word 3 of a CDNA buffer descriptor: 32-bit float data, so that no swizzle and no format applies.
_FLAGS = 7 << 12 | 4 << 15


def resource(address):
    """A buffer descriptor over everything from an address (Int64, wave-uniform)."""
    pointer = llvm.inttoptr(ir.Type.parse("!llvm.ptr"), as_ir_value(fx.Int64(address)))
    parts = (fx.Int16(0), fx.Int64(_WHOLE), fx.Int32(_FLAGS))
    return rocdl.make_buffer_rsrc(
        ir.Type.parse("!llvm.ptr<8>"), pointer, *(as_ir_value(p) for p in parts)
    )


def _policy(policy):
    if not policy:
        return None
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), policy)


def _load(type_, address, byte, policy):
    none = as_ir_value(fx.Int32(0))
    at = as_ir_value(fx.Int32(byte))
    return rocdl.raw_ptr_buffer_load(type_, resource(address), at, none, aux=_policy(policy))


def load(address, index, words=1, policy=PLAIN, where=None):
    """Words ``index`` … ``index + words`` (1, 2 or 4; aligned to their number): Int32 or Vector.

    Lanes in which ``where`` does not hold get zeros and touch no memory: their offset lies past the
    descriptor's end, where the hardware drops accesses.
    """
    byte = _where(fx.Int32(index) * 4, where)
    if words == 1:
        return fx.Int32(_load(T.i32, address, byte, policy))
    return fx.Vector(_load(T.vec(words, T.i32), address, byte, policy))


def _where(byte, where):
    """A byte offset, past the descriptor's end where a condition does not hold."""
    return byte if where is None else where.select(byte, fx.Int32(-1 & ~15))


def load_f32(address, index, policy=PLAIN, where=None):
    """The fp32 at element ``index``; ``where`` as for ``load``."""
    return fx.Float32(_load(T.f32, address, _where(fx.Int32(index) * 4, where), policy))


def load_bf16(address, index, policy=PLAIN, where=None):
    """The bf16 at element ``index``, as Float32; ``where`` as for ``load``."""
    byte = _where(fx.Int32(index) * 2, where)
    return fx.Float32(fx.BFloat16(_load(T.bf16, address, byte, policy)))


def load_u8(address, index, policy=PLAIN):
    """The byte at ``index``, as Int32 0 … 255."""
    raw = fx.Int8(_load(T.i8, address, fx.Int32(index), policy))
    return fx.Int32(raw) & 255


def store(address, index, value, policy=PLAIN):
    """Store a word or a vector of words at word ``index`` (aligned to their number)."""
    none, at = as_ir_value(fx.Int32(0)), as_ir_value(fx.Int32(index) * 4)
    data = as_ir_value(value)
    rocdl.raw_ptr_buffer_store(data, resource(address), at, none, aux=_policy(policy))


def store_bf16(address, index, value, policy=PLAIN):
    """Store a Float32, rounded to bf16, at element ``index``."""
    none, at = as_ir_value(fx.Int32(0)), as_ir_value(fx.Int32(index) * 2)
    data = as_ir_value(fx.Float32(value).to(fx.BFloat16))
    rocdl.raw_ptr_buffer_store(data, resource(address), at, none, aux=_policy(policy))


def load_far(address, words=1):
    """``words`` (1, 2 or 4) 32-bit words at a 64-bit address, which may differ between lanes."""
    i32 = ir.IntegerType.get_signless(32)
    kind = i32 if words == 1 else ir.VectorType.get([words], i32)
    pointer = llvm.inttoptr(ir.Type.parse("!llvm.ptr<1>"), as_ir_value(fx.Int64(address)))
    value = llvm.LoadOp(kind, pointer, alignment=4 * words).result
    return fx.Int32(value) if words == 1 else fx.Vector(value)


def drain():
    """Wait until this wave's stores have reached where their policy sends them."""
    rocdl.s_waitcnt(vmcnt=0)
