"""Run by torchrun on three processes: what a group does without a kernel."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

from kk3fast.runtime.peer_memory import PeerMemory
from verify.data import Check
from verify.ranks import ranks_of_environment
from verify.replay.stalled import GOOD_STEPS, stalled_rank


class Launch:
    """Gives up once the last rank stalls; ``deaf``: on no rank but the first."""

    def __init__(self, rank: int, last: int, deaf: bool = False):
        self._rank, self._last, self._deaf = rank, last, deaf
        self._launches = 0

    def __call__(self) -> None:
        self._launches += 1

    def give_up_after(self, limit: int) -> None:
        """One launch was before the steps."""
        self._launches = 0

    def failed(self) -> bool:
        """Every launch after the last rank's last one gives up."""
        hears = not self._deaf or self._rank == 0
        return hears and self._rank != self._last and self._launches > GOOD_STEPS


def main() -> None:
    """Print what rank 0 found."""
    group = ranks_of_environment(3, "cpu")
    assert group is not None
    with group as ranks:
        memory = PeerMemory(64, ranks.rank, ranks.group, torch.device("cpu"))
        ranks.keep(memory)
        memory.views[(ranks.rank + 1) % 3][0] = 7
        ranks.exchange(None)
        problems = ["an input was written"] if ranks.rank == 2 else []
        found = {
            "reached": int(memory.own[0]),
            "merged": ranks.merged([Check.none_of("inputs", problems)])[0].model_dump(mode="json"),
            "links": ranks.links().model_dump(mode="json"),
            "stalled": stalled_rank(Launch(ranks.rank, 2), ranks).model_dump(mode="json"),
            "deaf": stalled_rank(Launch(ranks.rank, 2, True), ranks).model_dump(mode="json"),
        }
    if ranks.rank == 0:
        Path(sys.argv[1]).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
