"""The outcome of a run: status, findings, counts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from kk3fast.sim.findings import Finding
from kk3fast.sim.native import COUNTS
from kk3fast.sim.schedule import TICKS_PER_SECOND, Schedule
from kk3fast.sim.writers import Writers


@dataclass
class LaunchCounts:
    """What one launch did.

    ``counts`` is int64 [workgroups, stages, len(COUNTS)]; ``depth`` int64 [workgroups] is the
    longest chain of dependent hand-offs each workgroup had seen at its end; ``end_tick`` when the
    launch ended.
    """

    kernel: str
    rank: int
    stages: list[str]
    counts: np.ndarray
    depth: np.ndarray
    end_tick: int

    def total(self, what: str, stage: str | None = None) -> int:
        """The sum of one count over all workgroups, of one stage or all."""
        column = self.counts[:, :, COUNTS.index(what)]
        if stage is not None:
            column = column[:, self.stages.index(stage)]
        return int(column.sum())

    def by_stage(self) -> dict[str, dict[str, int]]:
        """Stage -> count name -> sum over workgroups; zero counts left out."""
        sums = self.counts.sum(0)
        return {
            stage: {name: int(n) for name, n in zip(COUNTS, row, strict=True) if n}
            for stage, row in zip(self.stages, sums, strict=True)
        }

    def by_workgroup(self, what: str) -> np.ndarray:
        """One count a workgroup, summed over stages: int64 [workgroups]."""
        out: np.ndarray = self.counts[:, :, COUNTS.index(what)].sum(1)
        return out


@dataclass
class Result:
    """A finished run. ``ticks`` is the virtual clock at its end (10 ns a tick).

    ``seconds`` is wall clock, ``cpu_seconds`` this process's processor time.
    """

    ticks: int
    seconds: float
    cpu_seconds: float
    rounds: int
    switches: int
    schedule: Schedule
    launches: list[LaunchCounts]
    findings: list[Finding] = field(default_factory=list)
    killed: int = 0
    """Workgroups that a ``Kill`` kept from ending."""
    stack_peak_bytes: int = 0
    pages_touched: int = 0
    writers: Writers | None = None
    """Who stored what last, with ``Simulator(writers=True)``."""

    @property
    def virtual_seconds(self) -> float:
        """The virtual clock in seconds."""
        return self.ticks / TICKS_PER_SECOND

    @property
    def wave_ops(self) -> int:
        """Operations executed, one a wave."""
        return sum(x.total("ops") for x in self.launches)

    @property
    def longest_chain(self) -> int:
        """The longest chain of dependent hand-offs between workgroups.

        A rank's launches run in order, so their chains add up; the end of a launch counts as none.
        """
        chains: dict[int, int] = defaultdict(int)
        for launch in self.launches:
            chains[launch.rank] += int(launch.depth.max(initial=0))
        return max(chains.values(), default=0)

    def of_kind(self, kind: str) -> list[Finding]:
        """The findings of one kind."""
        return [f for f in self.findings if f.kind == kind]
