import flydsl.expr as fx
import pytest
import torch
from flydsl.expr import range_constexpr
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import lanes, memory, short_conv
from kk3fast.flydsl.device.tracing import traced
from kk3ref import kda
from kk3ref.precision import CONTRACT, ORACLE

CHANNELS = 96  # of each of q, k and v
SLOTS = 9
GAP = 24  # elements after each slot: production's pools share pages


def conv_stage(rows, width_major, strides):
    """A workgroup a request, a thread a channel of q, k and v."""
    slot_stride, channel_stride, entry_stride = strides

    @traced
    def stage(qkv, weight, pool, index, accepted, out, number):
        tid, m = fx.Int32(fx.thread_idx.x), fx.Int32(fx.block_idx.x)
        mine = tid < 3 * CHANNELS
        slot = lanes.uniform(memory.load(index, m * rows))
        n = lanes.uniform(memory.load(accepted, m))
        window = short_conv.window(pool, slot, slot_stride, channel_stride, entry_stride)
        part, channel = tid // CHANNELS, tid % CHANNELS
        weights = short_conv.load_weights(weight, part, channel, CHANNELS, width_major, mine)
        history = short_conv.load_history(window, tid, n, mine)
        inputs = [
            memory.load_bf16(qkv, (m * rows + t) * 3 * CHANNELS + tid, where=mine)
            for t in range(rows)
        ]
        found = short_conv.convolve(history, weights, inputs)
        short_conv.store_window(window, tid, history, inputs, mine)
        if mine:
            for t in range_constexpr(rows):
                memory.store_bf16(out, (m * rows + t) * 3 * CHANNELS + tid, found[t])

    return stage


def a_pool(g, rows, dim_first):
    """A strided pool ``[slots, …]`` with NaN after each slot and in the null slot."""
    entries = 2 + rows
    flat = torch.full((SLOTS, 3 * CHANNELS * entries + GAP), float("nan"), dtype=torch.bfloat16)
    shape = (3 * CHANNELS, entries) if dim_first else (entries, 3 * CHANNELS)
    pool = flat[:, : 3 * CHANNELS * entries].unflatten(1, shape)
    pool[1:] = torch.randn(pool[1:].shape, generator=g).bfloat16()
    return flat, pool


@pytest.mark.parametrize("width_major", [False, True], ids=["weights_cw", "weights_wc"])
@pytest.mark.parametrize("dim_first", [True, False], ids=["dim_first", "len_first"])
@pytest.mark.parametrize("rows", [1, 2, 4, 8], ids=lambda n: f"{n}rows")
def test_rows_and_window(rows, dim_first, width_major):
    g = torch.Generator().manual_seed(rows)
    requests = 1 if rows == 8 else 2
    flat, pool = a_pool(g, rows, dim_first)
    index = torch.zeros(requests + 1, rows, dtype=torch.int32)  # the last request is padding
    used = torch.randperm(SLOTS - 1, generator=g)[: requests * rows] + 1
    index[:requests] = used.view(requests, rows)
    accepted = torch.randint(1, rows + 1, (requests + 1,), generator=g).int()
    accepted[0], accepted[-1] = rows, 1
    qkv = torch.randn((requests + 1) * rows, 3 * CHANNELS, generator=g).bfloat16()
    weight = torch.randn(3 * CHANNELS, 4, generator=g)
    stored = weight
    if width_major:
        stored = weight.view(3, CHANNELS, 4).transpose(1, 2).contiguous()
    before, out = pool.clone(), torch.full_like(qkv, float("nan"))
    strides = (pool.stride(0), *(pool.stride()[1:] if dim_first else pool.stride()[:0:-1]))
    stage = conv_stage(rows, width_major, strides)
    run(stage, qkv, stored, flat, index, accepted, out, workgroups=requests + 1)

    before[0] = 0
    args = (qkv, weight, before, index, accepted, dim_first)
    _, moved = kda.spec_conv(CONTRACT, *args)
    assert torch.equal(pool[1:], moved[1:])
    assert pool[0].isnan().all()  # the null slot is neither read nor written
    assert flat[:, -GAP:].isnan().all()
    exact, _ = kda.spec_conv(ORACLE, *args)
    assert ((out.double() - exact).abs() <= 2.0**-8 * exact.abs() + 1e-6).all()
