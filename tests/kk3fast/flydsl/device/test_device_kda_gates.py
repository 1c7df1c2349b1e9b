import flydsl.expr as fx
import pytest
import torch
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import kda_gates, memory
from kk3ref import kda
from kk3ref.precision import ORACLE

HEADS = 4
HEAD_DIM = 128  # a thread a channel


@pytest.mark.parametrize("scale", [2.0**-9, 1.0, 64.0], ids=["tiny", "ordinary", "saturating"])
@pytest.mark.parametrize("lower_bound", [-5.0, None], ids=["safe", "softplus"])
def test_decay_and_beta(lower_bound, scale):
    def stage(g1, b, a_log, dt_bias, decay, beta, number):
        tid = fx.Int32(fx.thread_idx.x)
        head = tid // HEAD_DIM
        found = kda_gates.decay(
            memory.load_bf16(g1, tid),
            memory.load_f32(dt_bias, tid),
            memory.load_f32(a_log, head),
            lower_bound,
        )
        memory.store(decay, tid, found)
        memory.store(beta, tid, kda_gates.beta(memory.load_bf16(b, head)))

    g = torch.Generator().manual_seed(1)
    g1 = (torch.randn(1, HEADS * HEAD_DIM, generator=g) * scale).bfloat16()
    b = (torch.randn(1, HEADS, generator=g) * scale).bfloat16()
    a_log = torch.randn(HEADS, generator=g) * 0.5
    dt_bias = torch.randn(HEADS * HEAD_DIM, generator=g) - 2.0
    decay, beta = torch.zeros(512), torch.zeros(512)
    run(stage, g1, b, a_log, dt_bias, decay, beta)
    want, want_beta = kda.gates(ORACLE, g1, b, a_log, dt_bias, lower_bound)
    log = kda.log_decay(ORACLE, g1, a_log, dt_bias, lower_bound).flatten()
    # The exponent's own error counts in full.
    allowed = 2.0**-24 * (8 + 16 * log.abs()) * want.flatten() + 2.0**-126
    assert ((decay.double() - want.flatten()).abs() <= allowed).all()
    got = beta.view(HEADS, HEAD_DIM)
    assert (got == got[:, :1]).all()
    wrong = (got[:, 0].double() - want_beta[0]).abs()
    assert (wrong <= 6 * 2.0**-24 * want_beta[0] + 2.0**-126).all()
