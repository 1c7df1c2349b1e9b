import flydsl.expr as fx
import pytest
import torch
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import maths, memory, qk_norm
from kk3ref import kda
from kk3ref.precision import ORACLE


@pytest.mark.parametrize("head_dim", [32, 128])
@pytest.mark.parametrize("size", [1.0, 2.0**-12], ids=["ordinary", "epsilon counts"])
def test_unit_query_and_key(head_dim, size):
    heads = 512 * 4 // head_dim

    def stage(conv, q, k, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        for i, out, scale in ((0, q, head_dim**-0.5), (1, k, 1.0)):
            words = memory.load(conv, i * 1024 + tid * 2, 2)
            values = qk_norm.unit(
                maths.bf16_values(words[j] for j in range(2)), head_dim // 4, scale
            )
            memory.store(out, tid * 4, fx.Vector.from_elements(values, fx.Float32))

    g = torch.Generator().manual_seed(head_dim)
    conv = (torch.randn(1, 3 * heads * head_dim, generator=g) * size).bfloat16()
    q, k = torch.zeros(heads, head_dim), torch.zeros(heads, head_dim)
    run(stage, conv, q, k)
    for got, want in zip((q, k), kda.qk_norm(ORACLE, conv, heads, head_dim), strict=True):
        assert ((got.double() - want[0]).abs() <= 8 * 2.0**-24 * want[0].abs()).all()
