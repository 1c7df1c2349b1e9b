"""Commands that ``torchrun`` may start with one process a rank."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext

from verify.device import device_of
from verify.placement import Placement
from verify.ranks import Ranks, ranks_of_environment


def add_share(p: argparse._ActionsContainer) -> None:
    """The option of ranks in processes."""
    p.add_argument(
        "--share-gpu",
        action="store_true",
        help="under torchrun: ranks' processes may share a GPU (no link between GPUs is checked)",
    )


def group_of(arguments: argparse.Namespace) -> AbstractContextManager[Ranks | None]:
    """The group of processes that torchrun started, as a context; of None without it.

    Raises:
        UsageError: it does not fit ``--tp`` and ``--device``; lists every reason.
    """
    share = bool(getattr(arguments, "share_gpu", False))
    found = ranks_of_environment(arguments.tp, arguments.device, share=share)
    return nullcontext(None) if found is None else found


def placement_of(arguments: argparse.Namespace, ranks: Ranks | None) -> Placement:
    """Where memory lies.

    Raises:
        UsageError: there is no such device here.
    """
    return Placement(device_of(arguments.device) if ranks is None else ranks.device, ranks)


def under_torchrun(command: str, ranks: Ranks | None) -> str:
    """The command that repeats a run, as the processes were started."""
    if ranks is None:
        return command
    start = f"torchrun --nproc-per-node {ranks.size} -m"
    share = " --share-gpu" if ranks.shared and ranks.device.type == "cuda" else ""
    return start + command.removeprefix("python -m") + share
