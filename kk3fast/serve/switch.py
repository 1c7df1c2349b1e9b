"""The off switch of a running server: a file, on whose presence all ranks agree."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.distributed as dist

EVERY = 16  # steps between two looks


class OffSwitch:
    """Whether steps run vLLM's layers because the operator said so.

    Every ``EVERY`` steps each rank looks for the file and the ranks agree: off if any sees it, so
    that all change over at the same step.

    Args:
        path: the file; None: never off, and nothing is exchanged.
        group: the ranks' CPU group.
    """

    def __init__(self, path: Path | None, group: dist.ProcessGroup | None):
        self._path, self._group = path, group
        self.on = path is not None and self._agreed()
        self._steps = 0

    def after_step(self) -> None:
        """Once a step on every rank."""
        self._steps += 1
        if self._path is not None and self._steps % EVERY == 0:
            self.on = self._agreed()

    def _agreed(self) -> bool:
        assert self._path is not None
        seen = torch.tensor([int(self._path.exists())], dtype=torch.int32)
        if self._group is not None or dist.is_initialized():
            dist.all_reduce(seen, dist.ReduceOp.MAX, group=self._group)
        return bool(seen)
