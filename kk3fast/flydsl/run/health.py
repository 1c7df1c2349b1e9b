"""Reading health words: which waits gave up, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kk3fast.flydsl import geometry
from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.run.memory import StepMemory


@dataclass(frozen=True)
class GivenUpWait:
    """One workgroup's first wait that gave up.

    Attributes:
        rank, workgroup: whose wait.
        region, index: the pair that was stale.
        wanted, seen: the tags.
        ticks: the low 31 bits of the 100 MHz clock.
    """

    rank: int
    workgroup: int
    region: str
    index: int
    wanted: int
    seen: int
    ticks: int

    def __str__(self) -> str:
        epoch, slot = divmod(self.wanted - 1, geometry.SLOTS)
        return (
            f"rank {self.rank}, workgroup {self.workgroup}: waited in vain for {self.region}"
            f"[{self.index}] of step {epoch}, launch {slot} (tag {self.wanted}, saw {self.seen})"
        )


def given_up_waits(memory: StepMemory, builds: Sequence[KernelBuild]) -> list[GivenUpWait]:
    """Every record of every rank; regions are named after the builds that were launched."""
    names: dict[int, str] = {}
    for build in builds:
        for name, region in (*build.scratch().items(), *build.peer().items()):
            names.setdefault(region.number, name)
    found = []
    for rank, words in enumerate(memory.health):
        records = words[geometry.HEALTH_HEADER_WORDS :].view(-1, geometry.RECORD_WORDS).tolist()
        for record in records:
            if record[0]:
                name = names.get(record[1], f"region {record[1]}")
                _, _, index, wanted, seen, workgroup, ticks, _ = record
                found.append(GivenUpWait(rank, workgroup, name, index, wanted, seen, ticks))
    return found


def problems(memory: StepMemory, builds: Sequence[KernelBuild]) -> list[str]:
    """Everything that forbids the use of a step's outputs, in words."""
    found = [str(wait) for wait in given_up_waits(memory, builds)]
    found += [f"rank {rank} has failed" for rank in memory.failed()]
    found += [f"rank {rank} raised its alarm word" for rank in memory.alarms()]
    return found
