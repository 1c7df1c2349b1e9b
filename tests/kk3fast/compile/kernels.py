"""Small kernels to compile: a scaled add on tensors, a block sum through LDS, a factory.

No ``from __future__ import annotations``: FlyDSL reads struct fields as objects.
"""

import flydsl.compiler as flyc
import flydsl.expr as fx
import torch
from flydsl.expr import rocdl
from flydsl.expr.typing import Int32, Int64, T

THREADS = 128
_STREAM = fx.Stream(None)


@flyc.kernel(known_block_size=[THREADS, 1, 1])
def scaled_add_kernel(x: fx.Tensor, y: fx.Tensor, out: fx.Tensor):
    at = (fx.block_idx.x * THREADS + fx.thread_idx.x) * 4
    sources = [rocdl.get_buffer_rsrc(fx.get_iter(rocdl.make_buffer_tensor(t))) for t in (x, y)]
    a, b = (
        fx.Int32(rocdl.raw_ptr_buffer_load(T.i32, r, fx.Int32(at), fx.Int32(0), aux=2))
        for r in sources
    )
    total = a.bitcast(fx.Float32) + b.bitcast(fx.Float32) * fx.Float32(0.5)
    target = rocdl.get_buffer_rsrc(fx.get_iter(rocdl.make_buffer_tensor(out)))
    rocdl.raw_ptr_buffer_store(
        total.bitcast(fx.Int32).ir_value(),
        target,
        fx.Int32(at).ir_value(),
        fx.Int32(0).ir_value(),
    )


@flyc.jit
def scaled_add(x: fx.Tensor, y: fx.Tensor, out: fx.Tensor, stream: fx.Stream = _STREAM):
    scaled_add_kernel(x, y, out).launch(grid=(4, 1, 1), block=(THREADS, 1, 1), stream=stream)


def add_arguments():
    return torch.zeros(4 * THREADS), torch.zeros(4 * THREADS), torch.zeros(4 * THREADS)


def build_sum(waves=2):
    @fx.struct
    class Shared:
        part: fx.Array[fx.Float32, waves, 16]

    @flyc.kernel(known_block_size=[64 * waves, 1, 1])
    def block_sum_kernel(start: Int64, scale: Int32):
        lane, wave = fx.thread_idx.x % 64, fx.thread_idx.x // 64
        shared = fx.SharedAllocator().allocate(Shared).peek()
        value = fx.Float32(fx.Int32(lane) * scale)
        for step in fx.range_constexpr(6):
            value = value + fx.gpu.shuffle_xor(value, 1 << step, 64)
        if lane == 0:
            fx.ptr_store(value, shared.part.ptr + wave)
        fx.gpu.barrier()
        total = fx.Float32(0.0)
        for w in range(waves):
            total = total + fx.ptr_load(shared.part.ptr + w)
        fx.ptr_store(total, shared.part.ptr + wave)

    @flyc.jit
    def block_sum(start: Int64, scale: Int32, stream: fx.Stream = _STREAM):
        block_sum_kernel(start, scale).launch(
            grid=(1, 1, 1), block=(64 * waves, 1, 1), stream=stream
        )

    return block_sum
