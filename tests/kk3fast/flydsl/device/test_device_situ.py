import flydsl.expr as fx
import torch
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import memory, situ
from kk3fast.flydsl.device.tracing import traced
from kk3ref import mlp
from verify.bounds.functions import FUNCTIONS


@traced
def both(x, out, c, d, e, f, number):
    tid = fx.Int32(fx.thread_idx.x)
    gate, up = memory.load_f32(x, tid * 2), memory.load_f32(x, tid * 2 + 1)
    memory.store(out, tid * 2, situ.tanh(gate))
    memory.store(out, tid * 2 + 1, situ.situ(gate, up, 4.0, 25.0))


def test_tanh_and_situ():
    scale = torch.logspace(-6, 2.5, 512)[:, None]
    x = torch.randn(512, 2, generator=torch.Generator().manual_seed(0)) * scale
    x[-1] = torch.tensor([3e38, -3e38])
    x[-2] = torch.tensor([-80.0, 1.0])
    out = torch.zeros(512, 2)
    run(both, x, out)
    wide = x.double()
    loss = FUNCTIONS["tanh"].loss(wide[:, 0], torch.zeros(()))
    assert ((out[:, 0] - torch.tanh(wide[:, 0])).abs() <= loss).all()
    exact = mlp.situ(wide[:, 0], wide[:, 1], 4.0, 25.0)
    u = 2.0**-24
    # the factors' absolute losses times the other factors, and a relative part
    gate, up = wide[:, 0] / 4, wide[:, 1] / 25
    sigmoid = torch.sigmoid(wide[:, 0])
    bound = 100 * sigmoid * 12 * u * ((torch.tanh(up).abs() + torch.tanh(gate).abs()) + 1e-6)
    bound += exact.abs() * u * (2 * x[:, 0].abs().double().clamp(max=100) + 20) + 1e-30
    assert ((out[:, 1] - exact).abs() <= bound).all()


def test_nan_stays_nan():
    x = torch.ones(512, 2)
    x[0, 0] = x[1, 1] = float("nan")
    out = torch.zeros(512, 2)
    run(both, x, out)
    assert out[:2, 1].isnan().all()
    assert out[2:].isfinite().all()
