"""One verdict on all ranks before anything collective.

A rank that refused, failed or raised alone would leave the others waiting: in a collective, or in a
kernel that waits for its peers.
"""

from __future__ import annotations

from typing import Any

import torch.distributed as dist


def exchange(value: Any, group: dist.ProcessGroup | None) -> list[Any]:
    """Every rank's value, in rank order; every rank calls it at the same point.

    Args:
        group: a CPU group (gloo); None without torch.distributed: one process.
    """
    if group is None and not dist.is_initialized():
        return [value]
    found: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(found, value, group=group)
    return found


def agree(problem: str, group: dist.ProcessGroup | None) -> list[str]:
    """What went wrong on any rank, as ``rank r: problem``; empty if nothing did anywhere.

    Args:
        problem: of this rank; empty if there is none.
    """
    problems = exchange(problem, group)
    return [f"rank {rank}: {told}" for rank, told in enumerate(problems) if told]
