import flydsl.expr as fx
import pytest
import torch
from kk3fast_flydsl_run import run, words

from kk3fast.flydsl.device import fp8, memory
from kk3ref.formats import decode_fp8, encode_fp8

EDGES = [0.0, -0.0, 448.0, 449.0, 464.0, 465.0, 1e30, torch.inf, -torch.inf, torch.nan, 2.0**-9]
TIES = [2.0**-10, 3 * 2.0**-10, 1.0625, 1.1875, 432.0, 0.0171875, 2.0**-7 * 0.9375]


def values(count=2048):
    found = torch.randn(count, generator=torch.Generator().manual_seed(0)) * 40
    found[: count // 2] *= 2.0**-9  # subnormal bytes too
    special = torch.tensor(EDGES + [s * x for x in TIES for s in (1, -1)])
    found[: len(special)] = special
    return found


@pytest.mark.parametrize("scale", [1.0, 0.25, 8.0, 0.3, 0.0711])
def test_encoding_is_the_references(scale):
    def stage(a, b, c, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        four = memory.load(a, tid * 4, 4).bitcast(fx.Float32)
        memory.store(b, tid, fp8.encode([four[j] for j in range(4)], scale))

    given, found = values(), words(512)
    run(stage, given, found)
    expected = encode_fp8(given / scale).view(torch.uint8)
    got = found.view(torch.uint8)
    nan = given.isnan()
    assert torch.equal(got[~nan], expected[~nan])
    assert (got[nan] & 0x7F == 0x7F).all()


def test_every_byte_is_decoded_as_the_reference_does():
    def stage(a, b, c, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        four = fp8.decode(memory.load(a, tid))
        memory.store(b, tid * 4, fx.Vector.from_elements(four, fx.Float32).bitcast(fx.Int32))

    given = torch.arange(256, dtype=torch.uint8).repeat(8)
    found = words(2048)
    run(stage, given.view(torch.int32), found)
    expected = decode_fp8(given)
    got = found.view(torch.float32)
    assert torch.equal(got.isnan(), expected.isnan())
    assert torch.equal(got[~got.isnan()], expected[~expected.isnan()])
