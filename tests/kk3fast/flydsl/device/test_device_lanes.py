import flydsl.expr as fx
import pytest
import torch
from kk3fast_flydsl_run import run, words

from kk3fast.flydsl.device import lanes, memory


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16, 32, 64])
def test_sums_and_maxima_over_groups_are_alike_in_every_lane(width):
    def stage(x, out, peak, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        value = memory.load_f32(x, tid)
        memory.store(out, tid, lanes.total(value, width))
        memory.store(peak, tid, lanes.largest(value, width))

    x = torch.randn(512, generator=torch.Generator().manual_seed(0))
    out, peak = torch.zeros(512), torch.zeros(512)
    run(stage, x, out, peak)
    groups = x.view(-1, width)
    expected = groups
    while expected.shape[1] > 1:  # neighbours first, then pairs of pairs
        expected = expected[:, ::2] + expected[:, 1::2]
    assert torch.equal(out.view(-1, width), expected.expand(-1, width))
    assert torch.equal(peak.view(-1, width), groups.amax(1, keepdim=True).expand(-1, width))


def test_a_value_comes_from_another_lane():
    def stage(x, out, c, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        memory.store(out, tid, lanes.from_lane(memory.load(x, tid), (tid * 7) % 64))

    x, out = torch.arange(512, dtype=torch.int32), words(512)
    run(stage, x, out)
    source = (torch.arange(512) * 7) % 64 + torch.arange(512) // 64 * 64
    assert torch.equal(out, x[source])


def test_uniform_takes_the_first_lane():
    def stage(x, out, c, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        memory.store(out, tid, lanes.uniform(memory.load(x, tid)))

    x, out = torch.arange(512, dtype=torch.int32), words(512)
    run(stage, x, out)
    assert torch.equal(out, x // 64 * 64)


def test_a_row_is_mirrored_and_the_upper_half_comes_down():
    def stage(x, mirrored, upper, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        value = memory.load_f32(x, tid)
        memory.store(mirrored, tid, lanes.mirrored(value))
        memory.store(upper, tid, lanes.from_upper_half(value))

    x, mirrored, upper = torch.arange(512.0), torch.zeros(512), torch.zeros(512)
    run(stage, x, mirrored, upper)
    assert torch.equal(mirrored.view(-1, 16), x.view(-1, 16).flip(1))
    assert torch.equal(upper.view(-1, 64)[:, :32], x.view(-1, 64)[:, 32:])
