"""The fail-stop: all ranks stop at the same step once one of them gave up a wait, or is gone."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.distributed as dist

EVERY = 16
"""steps between two agreements"""


class FailStop(RuntimeError):
    """A rank gave up a wait, or is gone: the engine stops.

    Attributes:
        ranks: those that gave up; empty where the agreement itself failed.
        step: number of steps that had been run.
    """

    def __init__(self, ranks: list[int], step: int, why: str = ""):
        self.ranks, self.step = ranks, step
        told = f"TP ranks {ranks} gave up a wait in a fused layer" if ranks else why
        super().__init__(
            f"kk3: fail-stop: {told} (seen after step {step}); stopping the engine "
            "(decode_backend=auto runs vLLM's decode)"
        )


class Watch:
    """Looks at this rank's health after every step; every :data:`EVERY` steps the ranks agree.

    A rank that raised alone would leave the others in their next collective for ever, so none
    does: a failure is known to all at the next agreement.

    Args:
        failed: whether this rank's launches gave a wait up, as far as is known without waiting.
        rank, ranks, group: this rank, their number, their CPU group (None: one process).
    """

    def __init__(
        self, failed: Callable[[], bool], rank: int, ranks: int, group: dist.ProcessGroup | None
    ):
        self._failed, self._rank, self._ranks, self._group = failed, rank, ranks, group
        self.seen = False
        self.steps = 0

    def after_step(self) -> None:
        """Once a step on every rank.

        Raises:
            FailStop: names the ranks; on every rank at the same step.
        """
        self.seen |= self._failed()
        self.steps += 1
        if self.steps % EVERY:
            return
        votes = torch.zeros(self._ranks, dtype=torch.int32)
        votes[self._rank] = int(self.seen)
        if self._group is not None or dist.is_initialized():
            try:
                dist.all_reduce(votes, group=self._group)
            except RuntimeError as error:  # a peer is gone: every other rank is in this call, too
                raise FailStop([], self.steps, f"a TP rank is gone ({error})") from error
        if votes.any():
            raise FailStop(votes.nonzero().flatten().tolist(), self.steps)
