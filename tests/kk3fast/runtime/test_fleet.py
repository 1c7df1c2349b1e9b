"""Eight processes: all ranks raise at the same step, or none does."""

from __future__ import annotations

from pathlib import Path

import pytest
from kk3fast_runtime_fleet import RANKS, run_fleet

from kk3fast.runtime.failstop import EVERY


@pytest.mark.parametrize("name", ["well", "late"])
def test_nobody_raises(name: str, tmp_path: Path) -> None:
    ended = run_fleet(name, tmp_path)
    assert ended.stopped == dict.fromkeys(range(RANKS), (-1, []))


def test_a_stalled_rank_stops_all_at_the_same_step(tmp_path: Path) -> None:
    """It gave up nothing itself: it came late, found the others gone on, and stops with them."""
    ended = run_fleet("stalled", tmp_path)
    assert {step for step, _ in ended.stopped.values()} == {EVERY}
    (named,) = {tuple(ranks) for _, ranks in ended.stopped.values()}
    assert set(named) >= set(range(RANKS)) - {3}
    assert len(ended.stopped) == RANKS


def test_a_dead_rank_stops_the_others_at_the_same_step(tmp_path: Path) -> None:
    ended = run_fleet("dead", tmp_path)
    assert set(ended.stopped) == set(range(RANKS)) - {5}
    assert {step for step, _ in ended.stopped.values()} == {EVERY}
