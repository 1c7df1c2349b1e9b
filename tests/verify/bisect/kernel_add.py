"""A FlyDSL kernel as a candidate: K1's prefix update, ``bf16(prefix + delta)``, simulated.

``make`` is right; ``make_wrong`` makes workgroup 2 read the delta one word too far.

No ``from __future__ import annotations``: FlyDSL reads parameters' types as objects.
"""

from pathlib import Path

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch
from flydsl._mlir import ir
from flydsl._mlir.dialects import arith, llvm
from flydsl.expr import const_expr, rocdl
from flydsl.expr.typing import Int64, T, as_ir_value

from kk3fast.compile import compile_launcher
from kk3fast.sim import Simulator, compile_kernel
from verify.candidates import Provenance

BLOCK = 64
_STREAM = fx.Stream(None)


def _resource(address):
    pointer = llvm.inttoptr(ir.Type.parse("!llvm.ptr<1>"), as_ir_value(fx.Int64(address)))
    parts = [fx.Int16(0), fx.Int64(0xFFFFFFFF), fx.Int32(159744)]
    return rocdl.make_buffer_rsrc(ir.Type.parse("!llvm.ptr<8>"), pointer, *map(as_ir_value, parts))


def _get(address, index):
    at, none = as_ir_value(fx.Int32(index) * 4), as_ir_value(fx.Int32(0))
    return fx.Int32(rocdl.raw_ptr_buffer_load(T.i32, _resource(address), at, none))


def _put(address, index, value):
    at, none = as_ir_value(fx.Int32(index) * 4), as_ir_value(fx.Int32(0))
    rocdl.raw_ptr_buffer_store(as_ir_value(value), _resource(address), at, none)


def _float(bits):
    return fx.Float32(arith.bitcast(T.f32, as_ir_value(bits)))


def _rounded(x):
    """The bf16 bits of an fp32 value in the high half, rounded to nearest even."""
    bits = fx.Int32(arith.bitcast(T.i32, as_ir_value(x)))
    return (bits + 0x7FFF + ((bits >> 16) & 1)) & -65536


def _halves(word):
    return _float(word << 16), _float(word & -65536)


def _launcher(wrong, words):
    @flyc.kernel(known_block_size=[BLOCK, 1, 1])
    def add_rows(prefix: Int64, delta: Int64, out: Int64):
        _ = wrong
        i = fx.block_idx.x * BLOCK + fx.thread_idx.x
        j = fx.Int32(i)
        if const_expr(wrong):
            j = (fx.Int32(fx.block_idx.x) == 2).select(fx.Int32(i) + 1, fx.Int32(i))
        low, high = _halves(_get(prefix, i))
        more_low, more_high = _halves(_get(delta, j))
        first = (_rounded(low + more_low) >> 16) & 0xFFFF
        _put(out, i, first | _rounded(high + more_high))

    @flyc.jit
    def launch(prefix: Int64, delta: Int64, out: Int64, stream: fx.Stream = _STREAM):
        add_rows(prefix, delta, out).launch(
            grid=(words // BLOCK, 1, 1), block=(BLOCK, 1, 1), stream=stream
        )

    return compile_launcher(launch, (0, 0, 0), isa=False).located_ir


class AddKernel:
    """One stage, run by the simulator."""

    name = description = "flydsl-add"

    def __init__(self, wrong):
        self._wrong = wrong
        self._traced = False
        self._kernels = {}
        self._last = {}

    def available(self):
        return True, "simulated"

    def trace(self):
        self._traced = True

    def stage(self, name):
        return self.add if name == "prefix_update" else None

    def add(self, context, inputs):
        prefix, delta = inputs["prefix"].contiguous(), inputs["delta"].contiguous()
        delta = torch.cat([delta.flatten(), delta.new_zeros(2)])
        out = torch.empty_like(prefix)
        words = prefix.numel() // 2
        if words not in self._kernels:
            text = _launcher(self._wrong, words)
            self._kernels[words] = compile_kernel(text, sources={"": Path(__file__).parent})
        sim = Simulator(writers=self._traced)
        given = [sim.region(n, t) for n, t in (("prefix", prefix), ("delta", delta), ("out", out))]
        sim.launch(self._kernels[words], (words // BLOCK,), given, rank=context.rank)
        self._last[context.rank] = (sim.run().writers, out)
        return {"prefix_after": out}

    def provenance(self, rank, tap, index):
        writers, out = self._last[rank]
        found = writers.of(out, index)
        return Provenance(found.kernel, found.rank, found.block, found.wave, str(found.where))


def make():
    return AddKernel(wrong=False)


def make_wrong():
    return AddKernel(wrong=True)
