"""Traffic: places are never taken twice, and everything repeats itself."""

from __future__ import annotations

import pytest

from verify.steps.traffic import draw_traffic


@pytest.mark.parametrize("seed", range(5))
def test_a_place_has_one_life_at_a_time(seed: int) -> None:
    traffic = draw_traffic(300, 3, 2, 100, seed)
    for step in range(300):
        places = [life.place for life in traffic.living(step)]
        assert len(set(places)) == len(places)
    assert max(life.first + life.steps for life in traffic.lives) <= 300
    padded = [step for step in range(300) if len(traffic.living(step)) < 3]
    assert padded


def test_a_life_begins_with_one_accepted_row_and_counts_lie_in_the_width() -> None:
    traffic = draw_traffic(64, 2, 4, 100, 0)
    for life in traffic.lives:
        assert traffic.accepted[life.first][life.place] == 1
    assert {n for row in traffic.accepted for n in row} == {1, 2, 3, 4}


def test_traffic_depends_on_the_seed_alone() -> None:
    assert draw_traffic(64, 2, 4, 100, 7) == draw_traffic(64, 2, 4, 100, 7)
    assert draw_traffic(64, 2, 4, 100, 7) != draw_traffic(64, 2, 4, 100, 8)
