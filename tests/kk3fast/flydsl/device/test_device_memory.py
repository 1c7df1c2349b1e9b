import flydsl.expr as fx
import torch
from kk3fast_flydsl_run import run, words

from kk3fast.flydsl.device import memory


def test_lanes_that_are_left_out_load_zeros_and_no_bytes():
    def stage(x, out, c, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        found = memory.load(x, tid * 4, 4, where=tid < number)
        memory.store(out, tid * 4, found)

    x, out = torch.arange(64 * 4, dtype=torch.int32), words(512 * 4)
    result = run(stage, x, out, number=50)
    assert torch.equal(out[:200], x[:200])
    assert not out[200:].any()
    assert result.launches[0].total("load_plain") == 50 * 16


def test_far_addresses_may_differ_between_lanes():
    def stage(x, out, c, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        at = x + fx.Int64(511 - tid) * 8
        memory.store(out, tid * 2, memory.load_far(at, 2))

    x, out = torch.arange(1024, dtype=torch.int32), words(1024)
    run(stage, x, out)
    assert torch.equal(out.view(-1, 2), x.view(-1, 2).flip(0))


def test_bytes_and_bf16_elements():
    def stage(x, out, y, halves, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        memory.store(out, tid, memory.load_u8(x, tid))
        memory.store_bf16(halves, tid, memory.load_bf16(y, tid) * 3.0)

    x = torch.arange(512).to(torch.uint8)
    out, y = words(512), torch.randn(512).bfloat16()
    halves = torch.zeros(512, dtype=torch.bfloat16)
    run(stage, x, out, y, halves)
    assert torch.equal(out, x.int())
    assert torch.equal(halves, (y.float() * 3.0).bfloat16())
