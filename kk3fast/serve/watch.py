"""The fail-stop watch: all ranks stop at the same step once one of them gave up a wait."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.distributed as dist

EVERY = 16  # steps between two agreements


class FailStop(RuntimeError):
    """A rank gave up a wait: the engine stops.

    Attributes:
        ranks: the ranks that did.
    """

    def __init__(self, ranks: list[int]):
        self.ranks = ranks
        super().__init__(
            f"kk3: fail-stop: TP ranks {ranks} gave up a wait in a fused layer; stopping the "
            "engine (decode_backend=auto runs vLLM's decode)"
        )


class Watch:
    """Looks at this rank's health after every step; every ``EVERY`` steps the ranks agree.

    A rank that raised alone would leave the others in the next collective for ever.

    Args:
        failed: whether this rank's launches gave a wait up, as far as it is known without waiting.
    """

    def __init__(
        self, failed: Callable[[], bool], rank: int, ranks: int, group: dist.ProcessGroup | None
    ):
        self._failed, self._rank, self._ranks, self._group = failed, rank, ranks, group
        self.seen = False
        self._steps = 0

    def after_step(self) -> None:
        """Once a step on every rank.

        Raises:
            FailStop: names the ranks.
        """
        self.seen |= self._failed()
        self._steps += 1
        if self._steps % EVERY:
            return
        votes = torch.zeros(self._ranks, dtype=torch.int32)
        votes[self._rank] = int(self.seen)
        if self._group is not None or dist.is_initialized():
            dist.all_reduce(votes, group=self._group)
        if votes.any():
            raise FailStop(votes.nonzero().flatten().tolist())
