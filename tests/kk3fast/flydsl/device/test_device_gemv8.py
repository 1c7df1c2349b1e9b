import functools

import flydsl.expr as fx
import pytest
import torch
from flydsl.expr import gpu
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import gemv8, lanes, memory
from kk3fast.flydsl.device.tracing import traced

TASKS = 3


def product(weight_rows, rows, depth):
    """One workgroup multiplies three tasks of a [weight_rows, depth] matrix with [rows, depth]."""

    @fx.struct
    class Shared:
        partial: fx.Array[fx.Float32, TASKS * gemv8.PARTIAL_WORDS, 16]

    def load(w, lane, wave, task, step):
        row = task * gemv8.ROWS + gemv8.weight_row(lane)
        return gemv8.load_step(w, row, row < weight_rows, depth, lane, wave, step)

    @traced
    def stage(w, x, out, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        lane, wave = tid % 64, lanes.uniform(tid // 64)
        lds = fx.SharedAllocator().allocate(Shared).peek().partial.ptr
        next_step = functools.partial(load, w, lane, wave)
        weights = [next_step(0, step) for step in range(gemv8.steps_a_wave(depth))]
        mine = gemv8.load_rows(x, rows, depth, lane, wave)
        gemv8.products(lds, 0, TASKS, TASKS, weights, next_step, mine, lane, wave)
        gpu.barrier()
        task, row, quad = tid // 16, tid % 16 // 2, tid % 2
        column = task * gemv8.ROWS + quad * 4
        if (task < TASKS) & (row < rows) & (column < weight_rows):
            values = gemv8.result(lds, task, quad, row)
            found = fx.Vector.from_elements(values, fx.Float32)
            memory.store(out, row * weight_rows + column, found)

    return stage


@pytest.mark.parametrize(
    ("weight_rows", "rows", "depth"),
    [(24, 8, 1024), (20, 1, 1536), (24, 3, 64), (24, 5, 96), (24, 8, 768), (24, 2, 32)],
    ids=str,
)
def test_product_of_three_tasks(weight_rows, rows, depth):
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
