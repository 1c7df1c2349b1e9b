import flydsl.expr as fx
import pytest
import torch
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import gated_norm, lanes, maths, memory
from kk3ref import kda
from kk3ref.precision import ORACLE

EPS = 1e-5


def four(address, tid):
    words = memory.load(address, tid * 2, 2)
    return maths.bf16_values(words[j] for j in range(2))


@pytest.mark.parametrize("head_dim", [32, 128])
@pytest.mark.parametrize("parts", [1, 2], ids=["whole head", "sum of two parts"])
@pytest.mark.parametrize("size", [1.0, 2.0**-12], ids=["ordinary", "epsilon counts"])
def test_norm_and_gate(head_dim, parts, size):
    heads, width = 512 * 4 // head_dim, head_dim // 4

    def stage(o, g, weight, out, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        values = four(o, tid)
        squares = gated_norm.square_sum(values, width // parts)
        if parts == 2:
            squares = squares + lanes.from_lane(squares, tid % 64 ^ (width // 2))
        w = memory.load(weight, tid % width * 4, 4).bitcast(fx.Float32)
        y = gated_norm.gated(values, squares, [w[j] for j in range(4)], four(g, tid), head_dim, EPS)
        pairs = [maths.pack_bf16(y[0], y[1]), maths.pack_bf16(y[2], y[3])]
        memory.store(out, tid * 2, fx.Vector.from_elements(pairs, fx.Int32))

    rng = torch.Generator().manual_seed(head_dim)
    o = (torch.randn(1, heads, head_dim, generator=rng) * size).bfloat16()
    g = (torch.randn(1, heads * head_dim, generator=rng) * 8).bfloat16()
    weight = torch.randn(head_dim, generator=rng)
    out = torch.full_like(g, float("nan"))
    run(stage, o, g, weight, out)
    exact = kda.gated_norm(ORACLE, o, g, weight, EPS)
    assert ((out.double() - exact).abs() <= 2.0**-8 * exact.abs() + 1e-30).all()
