"""Eight processes that decode together: what one of them does when another does not come.

A step's launch is stood in for by what its wait is: every rank pushes a tagged word to every peer's
buffer and polls until all words of its own bear the tag, or gives up after a limit, records the
wait and sets FAILED. Buffers, health words and the watch are the runtime's own.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import queue
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from kk3fast.flydsl import geometry
from kk3fast.flydsl.layout import Region, lay_out_peer
from kk3fast.runtime import FailStop, LaunchState, Watch

RANKS = 8
STEPS = 40
DEADLINE_S = 90.0
GROUP_TIMEOUT_S = 20.0


class Words:
    """A build of one peer region: a tagged pair from every rank."""

    @staticmethod
    def scratch() -> dict[str, Region]:
        return {}

    @staticmethod
    def peer() -> dict[str, Region]:
        return lay_out_peer({"words": RANKS})


@dataclass(frozen=True)
class Scenario:
    """What goes wrong.

    Attributes:
        rank, step: where it happens.
        does: called there before the rank pushes its words.
        limit_s: how long a wait may last.
    """

    rank: int = -1
    step: int = -1
    does: Callable[[], Any] = int
    limit_s: float = 10.0


def stall() -> None:
    """Longer than the others wait."""
    time.sleep(3.0)


def late() -> None:
    """Shorter than the others wait."""
    time.sleep(0.5)


def die() -> None:
    """As if it was killed."""
    os._exit(9)


SCENARIOS = {
    "well": Scenario(),
    "late": Scenario(2, 5, late),
    "stalled": Scenario(3, 5, stall, limit_s=0.5),
    "dead": Scenario(5, 7, die, limit_s=0.5),
}


def launch(state: LaunchState, scenario: Scenario, step: int) -> None:
    """One rank's stand-in for a launch."""
    state.begin_step()
    tag = geometry.launch_tag(state.epoch, 0)
    half = (state.peers.own.numel() - 128) // 2
    start = 128 + half * (state.epoch % 2)
    if (state.rank, step) == (scenario.rank, scenario.step):
        scenario.does()
    boxes = [v[start : start + half].view(torch.int64)[:RANKS] for v in state.peers.views]
    for box in boxes:
        box[state.rank] = tag << 32 | step
    own, began = boxes[state.rank], time.monotonic()
    while bool(((own >> 32) != tag).any()) and not state.health[geometry.FAILED_WORD]:
        if time.monotonic() - began > scenario.limit_s:
            state.health[geometry.FAILED_WORD] = 1
        time.sleep(0)


def rank_main(rank: int, name: str, folder: str, answers: Any) -> None:
    """A rank's life: decode until the steps are over or the watch raises."""
    torch.set_num_threads(1)
    scenario = SCENARIOS[name]
    store = dist.FileStore(f"{folder}/{name}", RANKS)
    timeout = timedelta(seconds=GROUP_TIMEOUT_S)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=RANKS, timeout=timeout)
    state = LaunchState([Words()], rank, dist.group.WORLD, torch.device("cpu"))  # type: ignore[list-item]
    watch = Watch(state.failed, rank, RANKS, dist.group.WORLD)
    answer: tuple[int, int, list[int]] = (rank, -1, [])
    try:
        for step in range(STEPS):
            launch(state, scenario, step)
            watch.after_step()
    except FailStop as error:
        answer = (rank, error.step, error.ranks)
    answers.put(answer)
    answers.close()
    answers.join_thread()
    state.close()
    os._exit(0)  # a group whose peer is gone would wait for it at exit


@dataclass(frozen=True)
class Ended:
    """How a fleet ended.

    Attributes:
        stopped: by rank, the step after which it raised (-1: it ran all steps) and who was named.
        seconds: until the last rank had answered.
    """

    stopped: dict[int, tuple[int, list[int]]]
    seconds: float


def run_fleet(name: str, folder: Path) -> Ended:
    """Run a scenario; nothing is left running after ``DEADLINE_S``."""
    context = mp.get_context("forkserver")
    context.set_forkserver_preload(["torch", "torch.distributed", "kk3fast.runtime"])
    answers = context.Queue()
    ranks = [
        context.Process(target=rank_main, args=(r, name, str(folder), answers), daemon=True)
        for r in range(RANKS)
    ]
    began = time.monotonic()
    for process in ranks:
        process.start()
    expected = RANKS - (name == "dead")
    stopped: dict[int, tuple[int, list[int]]] = {}
    try:
        while len(stopped) < expected and time.monotonic() - began < DEADLINE_S:
            try:
                rank, step, named = answers.get(timeout=0.5)
            except queue.Empty:
                if all(process.exitcode is not None for process in ranks):
                    break
            else:
                stopped[rank] = (step, named)
        seconds = time.monotonic() - began
    finally:
        for process in ranks:
            process.join(timeout=2)
            if process.is_alive():
                process.kill()
                process.join()
    return Ended(stopped, seconds)
