import flydsl.expr as fx
import pytest
import torch
from flydsl.expr import gpu, range_constexpr
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import gemv, lanes, memory
from kk3fast.flydsl.device.tracing import traced


def product(weight_rows, rows, depth):
    """One workgroup multiplies two tasks of a [weight_rows, depth] matrix with [rows, depth]."""

    @fx.struct
    class Shared:
        partial: fx.Array[fx.Float32, 2 * gemv.PARTIAL_WORDS, 16]

    @traced
    def stage(w, x, out, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        lane, wave = tid % 64, lanes.uniform(tid // 64)
        lds = fx.SharedAllocator().allocate(Shared).peek().partial.ptr
        tasks = [gemv.load_weights(w, 16 * t, weight_rows, depth, lane, wave) for t in range(2)]
        mine = gemv.load_rows(x, rows, depth, lane, wave)
        for t in range_constexpr(2):
            gemv.keep(lds, t, lane, wave, gemv.multiply(tasks[t], mine))
        gpu.barrier()
        task, row, weight_row = tid // 256, tid % 256 // 16, tid % 16
        value = gemv.result(lds, task, weight_row, row)
        column = task * 16 + weight_row
        if (row < rows) & (column < weight_rows):
            memory.store(out, row * weight_rows + column, value)

    return stage


@pytest.mark.parametrize(
    ("weight_rows", "rows", "depth"),
    [(32, 8, 1024), (32, 16, 256), (20, 1, 1536), (32, 3, 64), (32, 4, 7168), (32, 8, 96)],
    ids=lambda n: str(n),
)
def test_product_of_two_tasks(weight_rows, rows, depth):
    g = torch.Generator().manual_seed(depth)
    w = torch.randn(weight_rows, depth, generator=g).bfloat16()
    x = torch.randn(rows, depth, generator=g).bfloat16()
    out = torch.full((rows, weight_rows), float("nan"))
    result = run(product(weight_rows, rows, depth), w, x, out)
    exact = x.double() @ w.double().T
    size = x.double().abs() @ w.double().abs().T
    assert ((out - exact).abs() <= 2.0**-24 * 12 * size).all()
    totals = result.launches[0]
    assert totals.total("load_nt") == w.numel() * 2  # every weight and every row once
    assert totals.total("load_device") == x.numel() * 2
