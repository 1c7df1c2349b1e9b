"""Medians by graph replay, and the copy bandwidth of the device they are set against."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

Work = Callable[[], object]
WARM_UP = 2


@dataclass(frozen=True)
class Timing:
    """Microseconds of one call.

    Attributes:
        median, low, high: over the replays: median, 10th and 90th percentile.
        calls: calls a replay holds.
        captured: whether a graph was replayed; else calls were queued one by one.
    """

    median: float
    low: float
    high: float
    calls: int
    captured: bool


def replayed(works: Sequence[Work], rounds: int = 4, replays: int = 30) -> Timing:
    """Time ``works`` in one graph: each once, one after the other, ``rounds`` times.

    The works should read different memory, together several times what the L2 cache holds, so that
    each finds its operands in device memory.
    """
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(WARM_UP):
            for work in works:
                work()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(rounds):
            for work in works:
                work()
    for _ in range(WARM_UP):
        graph.replay()
    return _timed(graph.replay, len(works) * rounds, replays, captured=True)


def queued(works: Sequence[Work], replays: int = 10) -> Timing:
    """Time works that no graph can hold: called in turn, host work included."""
    for work in works:
        work()
    torch.cuda.synchronize()

    def once() -> None:
        for work in works:
            work()

    return _timed(once, len(works), replays, captured=False)


def _timed(run: Work, calls: int, replays: int, captured: bool) -> Timing:
    marks = [
        (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
        for _ in range(replays)
    ]
    for start, stop in marks:
        start.record()
        run()
        stop.record()
    torch.cuda.synchronize()
    times = [start.elapsed_time(stop) * 1e3 / calls for start, stop in marks]
    if len(times) == 1:
        return Timing(times[0], times[0], times[0], calls, captured)
    deciles = statistics.quantiles(times, n=10)
    return Timing(statistics.median(times), deciles[0], deciles[-1], calls, captured)


def copy_bandwidth(gigabytes: float = 4.0) -> float:
    """Bytes a second of a device-to-device copy, read and written bytes both counted."""
    source = torch.empty(int(gigabytes * 2**30), dtype=torch.uint8, device="cuda")
    source.random_(0, 255)
    target = torch.empty_like(source)
    timing = queued([lambda: target.copy_(source)] * 3, replays=10)
    return 2 * source.numel() / (timing.median * 1e-6)
