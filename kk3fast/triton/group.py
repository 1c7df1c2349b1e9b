"""Run all ranks of a group: on one device in this process, or one after the other on a CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from kk3fast.triton.k1 import Named
from kk3fast.triton.k2 import K2

Launches = list[Callable[[], Any]]


class Group:
    """K2 on every rank of one process.

    On a GPU each rank has a stream and its launches wait for the others' inside the kernels. Under
    the interpreter nothing runs at the same time: launch by launch, rank after rank, which is an
    order in which every wait finds what it waits for.

    Args:
        ranks: in rank order.
    """

    def __init__(self, ranks: Sequence[K2]):
        self.ranks = list(ranks)
        device = self.ranks[0].w_x.device
        self._streams = (
            [torch.cuda.Stream(device) for _ in self.ranks] if device.type == "cuda" else []
        )

    def run(
        self,
        inputs: Sequence[Named],
        buffers: Sequence[Named],
        stalled: frozenset[int] = frozenset(),
    ) -> list[dict[str, Tensor]]:
        """One step of all ranks.

        Args:
            stalled: ranks that launch nothing (to see the others give up).

        Returns:
            every tap by name, one mapping a rank.
        """
        taps = [dict(k.taps()) | dict(b) for k, b in zip(self.ranks, buffers, strict=True)]
        firsts = [k.first_half(i, t) for k, i, t in zip(self.ranks, inputs, taps, strict=True)]
        self._launch(firsts, stalled)
        for k, t in zip(self.ranks, taps, strict=True):
            k.bring_experts(t)
        self._launch([k.second_half(t) for k, t in zip(self.ranks, taps, strict=True)], stalled)
        return taps

    def problems(self) -> list[str]:
        """What the ranks' health words say."""
        return [p for k in self.ranks for p in k.peers.problems()]

    def _launch(self, launches: Sequence[Launches], stalled: frozenset[int]) -> None:
        live = [r for r in range(len(self.ranks)) if r not in stalled]
        if not self._streams:
            for step in zip(*(launches[r] for r in live), strict=True):
                for r, run in zip(live, step, strict=True):
                    self.ranks[r].built.append(run())
            return
        main = torch.cuda.current_stream()
        for r in live:
            self._streams[r].wait_stream(main)
        # Breadth first: with one launch a rank at a time no rank's kernels fill the GPU alone.
        for step in zip(*(launches[r] for r in live), strict=True):
            for r, run in zip(live, step, strict=True):
                with torch.cuda.stream(self._streams[r]):
                    self.ranks[r].built.append(run())
        for r in live:
            main.wait_stream(self._streams[r])
