import flydsl.expr as fx
import pytest
import torch
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import attn_res, lanes
from kk3fast.flydsl.device.tracing import traced
from kk3ref import attn_res as reference
from kk3ref.precision import ORACLE

EPS = 1e-5


def read_stage(hidden, blocks):
    """A workgroup a row: updates the prefix, reads, stores x. ``weights`` [3, H] in one tensor."""
    row = attn_res.Row(hidden, EPS, EPS)

    @fx.struct
    class Shared:
        sums: fx.Array[fx.Float32, attn_res.lds_words(blocks + 1), 16]

    @traced
    def stage(prefix, delta, bank, weights, x, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        lane, wave = tid % 64, lanes.uniform(tid // 64)
        lds = fx.SharedAllocator().allocate(Shared).peek().sums.ptr
        t = fx.Int32(fx.block_idx.x)
        first = t * hidden
        p = attn_res.updated(
            attn_res.load(row, prefix, first, tid), attn_res.load(row, delta, first, tid)
        )
        attn_res.store(row, prefix, first, tid, p)
        sources = [attn_res.load(row, bank, (t * blocks + b) * hidden, tid) for b in range(blocks)]
        norm, query, out = (weights + 2 * hidden * i for i in range(3))
        found = attn_res.read(row, [*sources, p], norm, query, out, lds, tid, lane, wave)
        attn_res.store(row, x, first, tid, found)

    return stage


@pytest.mark.parametrize("hidden", [256, 1024, 7168])
@pytest.mark.parametrize("blocks", [0, 1, 3, 8], ids=lambda b: f"{b} blocks")
def test_read_of_rows(hidden, blocks):
    g = torch.Generator().manual_seed(hidden + blocks)
    rows = 2
    prefix, delta = (torch.randn(rows, hidden, generator=g).bfloat16() for _ in range(2))
    bank = torch.randn(rows, max(blocks, 1), hidden, generator=g).bfloat16() * 3
    weights = torch.randn(3, hidden, generator=g).bfloat16()
    before = prefix.clone()
    x = torch.full_like(prefix, float("nan"))
    run(read_stage(hidden, blocks), prefix, delta, bank, weights, x, workgroups=rows)
    assert torch.equal(prefix, (before.float() + delta.float()).bfloat16())
    exact = reference.read(ORACLE, prefix, bank[:, :blocks], *weights, EPS, EPS)
    assert ((x.double() - exact).abs() <= 2.0**-8 * 1.01 * exact.abs() + 1e-6).all()
