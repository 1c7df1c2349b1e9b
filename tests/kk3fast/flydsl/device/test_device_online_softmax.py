import flydsl.expr as fx
import torch
from flydsl.expr import range_constexpr
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import memory, online_softmax
from kk3fast.flydsl.device.tracing import traced

QUERIES, PIECES, LANES = 32, 5, 16
"""32 queries of 16 lanes, 4 scores a lane and piece"""


def reference(scores, shown, values):
    hidden = torch.where(shown, scores.double(), -torch.inf)
    weights = torch.where(shown, torch.softmax(hidden, -1), 0.0).nan_to_num(0.0)
    return weights @ values.double()


def given(seed=0):
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(QUERIES, PIECES * 64, generator=generator) * 20
    shown = torch.rand(QUERIES, PIECES * 64, generator=generator) < 0.5
    shown[0] = False
    shown[1, :128] = False  # whole pieces hidden
    shown[2, 64:] = False
    scores[~shown] = torch.nan
    return scores, shown, torch.randn(PIECES * 64, generator=generator)


@traced
def _pieces(a, b, c, tid, first, last):
    """Maximum, sum and weighted value of pieces, this lane's part of the value."""
    query, column = tid // LANES, tid % LANES * 4
    top, total, value = fx.Float32(online_softmax.LOWEST), fx.Float32(0.0), fx.Float32(0.0)
    for piece in range(first, last, fx.Int32(1)):
        at = query * (PIECES * 64) + fx.Int32(piece) * 64 + column
        scores = memory.load(a, at, 4).bitcast(fx.Float32)
        shown = memory.load(b, at, 4)
        factors = memory.load(c, fx.Int32(piece) * 64 + column, 4).bitcast(fx.Float32)
        top, total, factor, weights = online_softmax.extend(
            top,
            total,
            [scores[j] for j in range(4)],
            [shown[j] != 0 for j in range(4)],
            LANES,
        )
        value = value * factor
        for j in range_constexpr(4):
            value = value + weights[j] * factors[j]
    return top, total, value


def stage(a, b, c, d, e, f, number):
    """Pieces 0 … number in one part, the others in a second one, merged."""
    tid = fx.Int32(fx.thread_idx.x)
    parts = []
    for first, last in ((fx.Int32(0), number), (number, fx.Int32(PIECES))):
        top, total, value = _pieces(a, b, c, tid, first, last)
        parts.append((top, total, [value]))
    _, total, found = online_softmax.merge(parts)
    (value,) = online_softmax.divided(found, total)
    memory.store(d, tid, value.bitcast(fx.Int32))


def test_pieces_and_parts_give_the_whole_softmax():
    scores, shown, values = given()
    expected = reference(scores, shown, values)
    for number in (0, 2, 5):  # an empty first part, two parts, an empty second part
        found = torch.zeros(512)
        mask = shown.to(torch.int32)
        run(stage, scores, mask, values, found.view(torch.int32), number=number)
        got = found.view(QUERIES, LANES).double().sum(-1)
        assert got[0] == 0
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=2e-6)
