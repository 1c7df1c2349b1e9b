import flydsl.expr as fx
import pytest
import torch
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import maths, memory


def _softplus(x):
    return torch.logaddexp(x, torch.zeros_like(x))


@pytest.mark.parametrize(
    ("function", "exact", "inputs"),
    [
        (maths.exp, torch.exp, torch.linspace(-80.0, 80.0, 512)),
        (maths.sigmoid, torch.sigmoid, torch.linspace(-80.0, 80.0, 512)),
        (maths.softplus, _softplus, torch.linspace(-80.0, 80.0, 512)),
        (maths.log2, torch.log2, torch.logspace(-20, 20, 512)),
        (maths.rsqrt, torch.rsqrt, torch.logspace(-20, 20, 512)),
        (maths.reciprocal, torch.reciprocal, torch.logspace(-20, 20, 512)),
    ],
    ids=["exp", "sigmoid", "softplus", "log2", "rsqrt", "reciprocal"],
)
def test_functions_are_good_to_a_few_units_in_the_last_place(function, exact, inputs):
    def stage(x, out, c, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        memory.store(out, tid, function(memory.load_f32(x, tid)))

    out = torch.zeros(512)
    run(stage, inputs.float(), out)
    expected = exact(inputs.float().double())
    assert ((out.double() - expected).abs() <= 4 * 2.0**-24 * expected.abs()).all()


def test_bf16_packing_rounds_to_nearest_even():
    def stage(x, out, c, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        low, high = memory.load_f32(x, tid * 2), memory.load_f32(x, tid * 2 + 1)
        word = maths.pack_bf16(low, high)
        memory.store(out, tid * 2, maths.low_bf16(word))
        memory.store(out, tid * 2 + 1, maths.high_bf16(word))

    x = torch.randn(1024)
    x[:8] = torch.tensor([1 + 2.0**-8, 1 + 3 * 2.0**-8, -0.0, 1e-40, 3e38, -1.0, 2.0, 0.5])
    out = torch.zeros(1024)
    run(stage, x, out)
    assert torch.equal(out, x.bfloat16().float())
