import flydsl.expr as fx
import pytest
import torch
from flydsl.expr import gpu, range_constexpr
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import delta_rule, lanes, memory
from kk3fast.flydsl.device.tracing import traced
from kk3ref import kda
from kk3ref.precision import ORACLE

SLOTS = 12


def rows_stage(head_dim, chunk, rows, columns):
    """A workgroup ``chunk`` value rows of one head; ``rows`` rows of one request in sequence.

    ``qkvd`` is ``[4, rows, head_dim]`` fp32: q, k, v and the decay; a state is stored after every
    row, as a speculative step does.
    """
    tile = delta_rule.Tile(head_dim, chunk, columns)

    @fx.struct
    class Shared:
        vectors: fx.Array[fx.Float32, 4 * rows * head_dim, 16]
        outputs: fx.Array[fx.Float32, rows * chunk, 16]

    @traced
    def stage(qkvd, beta, pool, index, out, f, accepted):
        tid, part = fx.Int32(fx.thread_idx.x), fx.Int32(fx.block_idx.x)
        row0 = part * chunk
        shared = fx.SharedAllocator().allocate(Shared).peek()
        lds, outputs = shared.vectors.ptr, shared.outputs.ptr
        for first in range_constexpr(0, 4 * rows * head_dim, 512):
            if first + tid < 4 * rows * head_dim:
                fx.ptr_store(memory.load_f32(qkvd, first + tid), lds + (first + tid))
        gpu.barrier()
        start = lanes.uniform(memory.load(index, accepted - 1))
        size = head_dim * head_dim * 4
        head = pool + fx.Int64(row0 * head_dim) * 4
        state = delta_rule.load(tile, head + fx.Int64(start) * size, tid, start != 0)
        for t in range_constexpr(rows):
            q, k, _, decay = (
                delta_rule.load_columns(tile, lds, tid, (i * rows + t) * head_dim) for i in range(4)
            )
            v = delta_rule.load_values(tile, lds, tid, (2 * rows + t) * head_dim + row0)
            b = memory.load_f32(beta, t)
            o, state = delta_rule.step(tile, state, q, k, v, decay, b)
            slot = lanes.uniform(memory.load(index, t))
            delta_rule.store(tile, head + fx.Int64(slot) * size, tid, state, slot != 0)
            delta_rule.keep_outputs(tile, outputs, tid, o, t * chunk)
        gpu.barrier()
        for first in range_constexpr(0, rows * chunk, 512):
            at = first + tid
            if at < rows * chunk:
                word = at // chunk * head_dim + row0 + at % chunk
                memory.store(out, word, fx.ptr_load(outputs + at))

    return stage


@pytest.mark.parametrize(
    ("head_dim", "chunk", "rows", "accepted", "columns"),
    [
        pytest.param(128, 16, 8, 3, 4, id="K1"),
        pytest.param(128, 16, 1, 1, 4, id="K1 one row"),
        pytest.param(128, 128, 1, 1, 8, id="decode"),
        pytest.param(32, 32, 1, 1, 8, id="tiny decode"),
        pytest.param(32, 16, 4, 4, 4, id="tiny K1"),
        pytest.param(128, 40, 2, 1, 4, id="last pass in part"),
        pytest.param(64, 64, 2, 1, 16, id="four pieces"),
    ],
)
@pytest.mark.parametrize("padding", [False, True], ids=["request", "padding"])
def test_rows_of_a_request(head_dim, chunk, rows, accepted, columns, padding):
    g = torch.Generator().manual_seed(head_dim + rows)
    qkvd = torch.randn(4, rows, head_dim, generator=g)
    qkvd[:2] /= qkvd[:2].norm(dim=-1, keepdim=True)
    qkvd[3] = torch.exp(-5 * torch.rand(rows, head_dim, generator=g))
    beta = torch.rand(rows, generator=g)
    pool = torch.randn(SLOTS, head_dim, head_dim, generator=g)
    pool[0] = float("nan")
    slots = torch.randperm(SLOTS - 1, generator=g)[:rows] + 1
    index = (slots * (not padding)).int()
    before, out = pool.clone(), torch.full((rows, head_dim), float("nan"))
    parts = head_dim // chunk
    stage = rows_stage(head_dim, chunk, rows, columns)
    run(stage, qkvd, beta, pool, index, out, workgroups=parts, number=accepted)

    done = parts * chunk
    state = torch.zeros(1, 1, head_dim, head_dim, dtype=torch.float64)
    if not padding:
        state[:] = before[index[accepted - 1].item()]
    q, k, v, decay = qkvd.double()[:, :, None, None]
    b = beta.double()[:, None, None]
    for t in range(rows):
        o, state = kda.delta_step(ORACLE, state, q[t], k[t], v[t], decay[t], b[t])
        torch.testing.assert_close(out[t, :done].double(), o[0, 0, :done], rtol=1e-5, atol=2e-6)
        if not padding:
            got = pool[index[t].item()]
            torch.testing.assert_close(
                got[:done].double(), state[0, 0, :done], rtol=1e-5, atol=2e-6
            )
            assert torch.equal(got[done:], before[index[t].item(), done:])
            before[index[t].item()] = got
    assert torch.equal(pool[1:], before[1:])  # no other slot
    assert pool[0].isnan().all()
