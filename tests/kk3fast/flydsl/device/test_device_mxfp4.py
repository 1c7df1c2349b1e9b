import flydsl.expr as fx
import pytest
import torch
from flydsl.expr import range_constexpr
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import lanes, memory, mxfp4
from kk3fast.flydsl.device.tracing import traced
from kk3ref.formats import MXFP4, quantize_mxfp4, shuffle_scale, shuffle_weight


@traced
def quantise(x, codes, scales, d, e, f, number):
    """Thread t takes 8 elements; four threads share a block."""
    tid = fx.Int32(fx.thread_idx.x)
    values = [memory.load_f32(x, tid * 8 + i) for i in range(8)]
    bits = lanes.combine(mxfp4.magnitude(values), 4, fx.max)
    code = mxfp4.scale_code(bits)
    memory.store(codes, tid, mxfp4.encode(values, code))
    if tid % 4 == 0:
        memory.store(scales, tid // 4, code)


@traced
def quantise_pairs(x, codes, scales, d, e, f, number):
    """Thread t takes 2 elements of every fourth block; 16 threads share a block."""
    tid = fx.Int32(fx.thread_idx.x)
    for part in range_constexpr(4):
        place = tid + part * 512
        values = [memory.load_f32(x, place * 2 + i) for i in range(2)]
        code = mxfp4.scale_code(lanes.combine(mxfp4.magnitude(values), 16, fx.max))
        pair = mxfp4.encode_pair(values, code)
        word = lanes.combine(pair << (tid % 4 * 8), 4, _either)
        if tid % 4 == 0:
            memory.store(codes, place // 4, word)
        if tid % 16 == 0:
            memory.store(scales, place // 16, code)


def _either(a, b):
    return a | b


def quantised(x, stage=quantise):
    codes, scales = (torch.zeros(n, dtype=torch.int32) for n in (512, 128))
    run(stage, x, codes, scales)
    return codes.view(torch.uint8).view(128, 16), scales.to(torch.uint8).view(128, 1)


@pytest.mark.parametrize("stage", [quantise, quantise_pairs], ids=["octets", "pairs"])
@pytest.mark.parametrize("bf16", [False, True], ids=["fp32", "bf16"])
def test_quantisation_is_the_references(bf16, stage):
    g = torch.Generator().manual_seed(3)
    x = torch.randn(128, 32, generator=g) * torch.exp2(
        torch.randint(-40, 40, (128, 1), generator=g)
    )
    x = x.bfloat16().float() if bf16 else x
    x[0] = 0.0
    x[1, 3:] = 0.0
    x[2] = torch.arange(32) / 4 - 4  # midpoints
    x[3], x[4] = 2.7, 5.5
    x[5, 7] = float("inf")
    x[6, 7] = float("nan")
    x[7], x[8] = 1e-39, -3e38
    x[9], x[10] = 6.0, 6.0000005
    x[11] = 2.0**-127 * 6
    x[12] = -0.0
    expected = quantize_mxfp4(x)
    codes, scales = quantised(x, stage)
    assert torch.equal(scales, expected.scales)
    assert torch.equal(codes, expected.codes)


def product(rows, depth, batch):
    """Wave w: weight group w times ``batch`` activation rows."""

    @traced
    def stage(w, ws, x, xs, out, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        lane, wave = tid % 64, lanes.uniform(tid // 64)
        row, block = fx.min(lane % 16, batch - 1), lane // 16
        total = fx.Vector.filled(4, 0.0, fx.Float32)
        for step in range_constexpr(mxfp4.steps(depth)):
            weights = mxfp4.load_weights(w, wave, step, depth, lane)
            scales = mxfp4.load_scales(ws, wave // 2, step // 2, depth, lane)
            scales = scales >> (8 * (wave % 2))
            live = step * 128 + block * 32 < depth
            mine = memory.load(x, row * (depth // 8) + step * 16 + block * 4, 4, where=live)
            at = fx.min(step * 4 + block, depth // 32 - 1)
            code = memory.load_u8(xs, row * (depth // 32) + at)
            total = mxfp4.multiply(weights, scales, 2 * (step % 2), mine, code, total)
        if (lane % 16 < batch) & (wave < rows // 16):
            memory.store(out, ((lane % 16) * (rows // 16) + wave) * 16 + block * 4, total)

    return stage


@pytest.mark.parametrize(
    ("rows", "depth", "batch"),
    [(32, 128, 8), (64, 512, 3), (128, 384, 8), (48, 32, 1), (32, 96, 2)],
)
def test_product_with_shuffled_weights_of_distinct_scales(rows, depth, batch):
    g = torch.Generator().manual_seed(depth)

    def made(n):
        codes = torch.randint(0, 256, (n, depth // 2), generator=g, dtype=torch.uint8)
        scales = torch.randint(120, 134, (n, depth // 32), generator=g, dtype=torch.uint8)
        return MXFP4(codes, scales)

    w, x = made(rows), made(batch)
    out = torch.zeros(batch, rows)
    run(
        product(rows, depth, batch),
        shuffle_weight(w.codes), shuffle_scale(w.scales), x.codes, x.scales, out,
        threads=64 * (rows // 16),
    )  # fmt: skip
    wide, given = w.dequantize(torch.float64), x.dequantize(torch.float64)
    bound = (given.abs() @ wide.abs().T) * 2.0**-24 * 16
    assert ((out - given @ wide.T).abs() <= bound).all()
