"""A rank that stalls: every other one ends its launches, and all stop at the same step."""

from __future__ import annotations

import time
from typing import Protocol

from kk3fast.runtime.failstop import EVERY, FailStop, Watch
from verify.data import Check
from verify.ranks import Ranks

GOOD_STEPS = 2
GIVE_UP_S = 1.0
CPU_POLLS = 400
"""Limit where a wait counts its polls."""


class StallableLaunch(Protocol):
    """One rank's launch, whose waits can be told when to give up."""

    def __call__(self) -> None:
        """Launch."""
        ...

    def give_up_after(self, limit: int) -> None:
        """Set the limit of its waits."""
        ...

    def failed(self) -> bool:
        """Whether a wait gave up."""
        ...


def stalled_rank(launch: StallableLaunch, ranks: Ranks) -> Check:
    """Steps in which the last rank launches nothing any more; the runtime's watch looks at each.

    Args:
        launch: of memory of its own: it is of no use afterwards.
    """
    launch()  # compiled, and all ranks have met
    launch.failed()
    ranks.exchange(None)
    on_gpu = ranks.device.type == "cuda"
    launch.give_up_after(int(GIVE_UP_S * 1e9) if on_gpu else CPU_POLLS)
    watch = Watch(launch.failed, ranks.rank, ranks.size, ranks.group)
    started, stopped = time.perf_counter(), ""
    last = ranks.size - 1
    try:
        for step in range(2 * EVERY):
            if ranks.rank != last or step < GOOD_STEPS:
                launch()
            watch.after_step()
    except FailStop as error:
        stopped = f"{error.step}: ranks {error.ranks}"
    seconds = time.perf_counter() - started
    every = ranks.exchange((stopped, seconds))
    return Check.none_of("stalled_rank", _problems(every, last, on_gpu)).model_copy(
        update={"value": max(s for _, s in every)} if on_gpu else {}
    )


def _problems(every: list[tuple[str, float]], last: int, on_gpu: bool) -> list[str]:
    wanted = f"{EVERY}: ranks {list(range(last))}"
    found = [
        f"rank {rank} must stop after step {wanted}, got {stopped or 'no stop'}"
        for rank, (stopped, _) in enumerate(every)
        if stopped != wanted
    ]
    limit = 10 * GIVE_UP_S
    if on_gpu:
        found += [
            f"rank {rank} must stop within {limit:g} s, took {seconds:.1f} s"
            for rank, (_, seconds) in enumerate(every)
            if seconds > limit
        ]
    return found
