import flydsl.expr as fx
import pytest
import torch
from flydsl.expr import range_constexpr
from kk3fast_flydsl_run import run

from kk3fast.flydsl.device import lanes, memory, top_k
from kk3fast.flydsl.device.tracing import traced
from kk3ref.precision import CONTRACT


def select(count, k):
    """Wave w selects from row w."""
    per_lane = -(-count // 64)

    @traced
    def stage(scores, out, c, d, e, f, number):
        tid = fx.Int32(fx.thread_idx.x)
        lane, wave = tid % 64, lanes.uniform(tid // 64)
        keys, ids = [], []
        for i in range_constexpr(per_lane):
            candidate = lane + 64 * i
            score = memory.load_f32(scores, wave * count + fx.min(candidate, count - 1))
            keys.append((candidate < count).select(top_k.key(score), fx.Int32(top_k.TAKEN)))
            ids.append(candidate)
        _, number = top_k.select(keys, ids, k, lane)
        if lane < k:
            memory.store(out, wave * k + lane, number)

    return stage


def picked(scores, k):
    out = torch.zeros(scores.shape[0], k, dtype=torch.int32)
    run(select(scores.shape[1], k), scores, out, threads=64 * scores.shape[0])
    return out


@pytest.mark.parametrize(("count", "k"), [(112, 16), (128, 16), (896, 16), (32, 4), (5, 5)])
def test_the_best_are_found_in_order(count, k):
    scores = torch.randn(8, count, generator=torch.Generator().manual_seed(count))
    assert torch.equal(picked(scores, k), CONTRACT.top_k(scores, k, ""))


def test_ties_go_to_the_lower_id_and_nan_is_last():
    inf, nan = float("inf"), float("nan")
    scores = torch.tensor(
        [
            [1.0, 2, 2, 1, 2, 0, -1, -2],
            [0.0, -0.0, 0, -0.0, 0, 0, -0.0, 0],
            [nan, -inf, nan, -3, nan, -inf, 2, inf],
            [nan] * 8,
            [-1e-40, 1e-40, 0, -0.0, 1e-45, -1e-45, 3e38, -3e38],
        ]
    )
    assert torch.equal(picked(scores, 8), CONTRACT.top_k(scores, 8, ""))
