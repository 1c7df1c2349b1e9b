"""One process a rank, as ``torchrun`` starts them: the group, and what it agrees on.

Every process runs the same command and draws the same case. Each launches its own rank; what the
others left is exchanged over a CPU group. Rank 0 judges and writes the record, the others follow:
they launch, exchange and compare what lies on their own device.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from types import TracebackType
from typing import Any, Protocol

import torch
import torch.distributed as dist

from kk3fast.runtime.agreement import exchange
from verify.data import Check, Verdict, worst_verdict
from verify.data.record import MAX_MESSAGES
from verify.device import CPU, device_name
from verify.step import UsageError

TIMEOUT = timedelta(minutes=30)
"""A follower waits so long for rank 0's judgement."""


class Closable(Protocol):
    """Memory that is mapped."""

    def close(self) -> None:
        """Unmap it."""
        ...


class Ranks:
    """The group of processes; use it as a context.

    Args:
        rank, size: this process's rank and how many there are.
        device: where its kernels run.
        shared: whether several ranks' processes have one device.

    Attributes:
        group: CPU group (gloo).
        named: the devices, for records.
    """

    def __init__(self, rank: int, size: int, device: torch.device, shared: bool):
        self.rank, self.size, self.device, self.shared = rank, size, device, shared
        cpu_only = device.type == "cpu" or shared  # NCCL refuses two ranks on one GPU
        backend = "gloo" if cpu_only else "cpu:gloo,cuda:nccl"
        dist.init_process_group(backend, rank=rank, world_size=size, timeout=TIMEOUT)
        self.group = dist.new_group(backend="gloo", timeout=TIMEOUT)
        names = self.exchange(_named(device))
        kinds = {name: names.count(name) for name in dict.fromkeys(names)}
        self.named = ", ".join(f"{name} × {count} processes" for name, count in kinds.items())
        if shared or device.type == "cpu":
            self.named += " on one device" if len(kinds) == 1 else ""
        self._mapped: list[Closable] = []

    @property
    def follower(self) -> bool:
        """Whether another rank judges."""
        return self.rank != 0

    def exchange(self, value: Any) -> list[Any]:
        """Every rank's value, in rank order; all call it at the same point."""
        return exchange(value, self.group)

    def keep(self, mapped: Closable) -> None:
        """Memory to unmap when the group ends: no launch of any rank may touch it any more then."""
        self._mapped.append(mapped)

    def merged(self, checks: Sequence[Check]) -> list[Check]:
        """The same checks as every rank made them: the worst verdict, with the ranks' messages."""
        every: list[list[Check]] = self.exchange(list(checks))
        return [_worst(found) for found in zip(*every, strict=True)]

    def links(self) -> Check:
        """Whether the ranks reached each other over links between devices."""
        crossed = not self.shared and self.device.type != "cpu"
        verdict = Verdict.PASS if crossed else Verdict.NOT_CHECKED
        told = "" if crossed else ": no link between devices was crossed"
        return Check(name="links", verdict=verdict, message=f"{self.named}{told}")

    def __enter__(self) -> Ranks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self.device.type == "cuda" and error is None:
            torch.cuda.synchronize(self.device)
        if error is None:  # else the others may not come here
            dist.barrier(self.group)
        for memory in self._mapped:
            memory.close()
        self._mapped = []
        if error is None:
            dist.barrier(self.group)
            dist.destroy_process_group()


def ranks_of_environment(
    tp: int, device: str, environment: Mapping[str, str] = os.environ, share: bool = False
) -> Ranks | None:
    """The group that ``torchrun`` started; None where it did not.

    Args:
        tp: ranks that are wanted.
        device: ``cpu`` or ``cuda``.
        share: several ranks' processes may have one GPU.

    Raises:
        UsageError: it does not fit; lists every reason.
    """
    size = int(environment.get("WORLD_SIZE", "1"))
    if size == 1:
        return None
    missing = [name for name in ("RANK", "LOCAL_RANK") if not environment.get(name, "").isdecimal()]
    if missing:
        raise UsageError(f"WORLD_SIZE is {size}, but {', '.join(missing)} is not set: use torchrun")
    rank, local = int(environment["RANK"]), int(environment["LOCAL_RANK"])
    problems = []
    if size != tp:
        problems.append(f"torchrun started {size} processes for --tp {tp}: one a rank is needed")
    if environment.get("LOCAL_WORLD_SIZE", str(size)) != str(size):
        problems.append("all processes must be on one host")
    if device not in ("cpu", "cuda"):
        problems.append(f"--device must be cpu or cuda, got {device!r}")
    count = torch.cuda.device_count() if device == "cuda" else 0
    shared = device == "cuda" and count < size
    if device == "cuda" and not count:
        problems.append("--device cuda: this machine has no GPU that torch can use")
    elif shared and not share:
        problems.append(f"{size} GPUs are needed, {count} are there (--share-gpu lets ranks share)")
    if problems:
        raise UsageError("\n".join(problems))
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // size))
    if device == "cpu":
        return Ranks(rank, size, CPU, True)
    torch.cuda.set_device(local % count)
    return Ranks(rank, size, torch.device("cuda", local % count), shared)


def _named(device: torch.device) -> str:
    return device_name(device) + (f" {device.index}" if device.type == "cuda" else "")


def _worst(found: Sequence[Check]) -> Check:
    """One check of all ranks' checks of a name."""
    verdict = worst_verdict(check.verdict for check in found)
    told = {rank: c.message for rank, c in enumerate(found) if c.verdict is verdict and c.message}
    same = len(set(told.values())) <= 1
    lines = list(dict.fromkeys(told.values()))
    if not same or (lines and len(told) < len(found) and verdict is not Verdict.PASS):
        lines = [f"rank {rank}: {text}" for rank, text in told.items()]
    if verdict is Verdict.PASS:
        lines = lines[:1]
    values = [check.value for check in found if check.value is not None]
    changed = {
        "verdict": verdict,
        "message": "\n".join(lines[:MAX_MESSAGES]),
        "value": max(values) if values else None,
    }
    return found[0].model_copy(update=changed)
