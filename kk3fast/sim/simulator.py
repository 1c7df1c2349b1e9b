"""The simulator: regions, launches, and the run of all of them under one schedule."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kk3fast.sim import memory, native
from kk3fast.sim.findings import SimulationError
from kk3fast.sim.kernel import CompiledKernel, compile_kernel
from kk3fast.sim.memory import PageProvider, Region
from kk3fast.sim.models import Models
from kk3fast.sim.result import Result
from kk3fast.sim.schedule import Schedule
from kk3fast.sim.state import LDS_PER_CU, State
from kk3fast.sim.writers import read_writers

COMPUTE_UNITS = 256


_one_run = threading.Lock()
"""The runtime keeps its working state in the process: runs of several threads take turns."""


@dataclass
class Queued:
    """A launch that waits for ``run``."""

    kernel: CompiledKernel
    grid: tuple[int, int, int]
    args: Any
    rank: int
    counts: np.ndarray
    depth: np.ndarray

    @property
    def workgroups(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]


class Simulator:
    """Runs FlyDSL kernels for gfx950 on this computer's CPU.

    ``schedule``: how waves interleave. ``models``: the rounding that is not known for certain.
    ``sanitize``: follow scopes, waits and barriers, and report races. ``writers``: keep who stored
    every word last (turns ``sanitize`` on), in ``Result.writers``. ``checks``: report reads of
    uninitialised LDS and private memory. ``stack_bytes``: the most stack a wave's native code may
    use.
    """

    def __init__(
        self,
        schedule: Schedule | None = None,
        models: Models | None = None,
        *,
        sanitize: bool = False,
        writers: bool = False,
        checks: bool = True,
        stack_bytes: int = 1 << 20,
        compute_units: int = COMPUTE_UNITS,
    ) -> None:
        self.schedule = schedule or Schedule()
        self.models = models or Models()
        self.sanitize = sanitize or writers
        self.writers = writers
        self.checks = checks
        self.stack_bytes = stack_bytes
        self.compute_units = compute_units
        self.regions: list[Region] = []
        self.queued: list[Queued] = []
        self._kernels: list[CompiledKernel] = []
        self._ran = False

    # ---- memory
    def region(
        self,
        name: str,
        data: Any = None,
        *,
        nbytes: int | None = None,
        pages: PageProvider | None = None,
        page_bytes: int = 1 << 16,
        rank: int | None = None,
        writable: bool = True,
        initialised: bool = True,
    ) -> Region:
        """Register simulated memory and return it (it stands for its address in ``launch``).

        ``data``: a contiguous CPU tensor or array whose memory is used itself, no copy. Without it
        a sparse region of ``nbytes`` bytes: ``pages(i)`` gives page ``i`` when it is first touched
        (None: zeros). ``rank``: whose memory it is, None for memory all ranks share read-only or
        alike. ``initialised=False``: reading a byte no kernel wrote is an error (dense regions
        only).
        """
        index = len(self.regions) + 1
        if (data is None) == (nbytes is None):
            raise ValueError(f"region {name}: must have either data or nbytes")
        if data is not None:
            made = memory.dense(name, index, data, rank, writable, initialised)
        else:
            assert nbytes is not None
            made = memory.sparse(name, index, nbytes, pages, page_bytes, rank, writable)
        self.regions.append(made)
        return made

    # ---- launches
    def launch(
        self,
        kernel: CompiledKernel | str,
        grid: Sequence[int],
        args: Sequence[Any],
        *,
        block: Sequence[int] | None = None,
        rank: int = 0,
    ) -> None:
        """Queue a launch. Launches of one rank run in order; those of different ranks at once.

        ``kernel``: from ``compile_kernel``, or IR text. ``grid``: workgroups in x, y, z. ``args``:
        as ``CompiledKernel.pack`` takes them. At most as many workgroups are resident as the GPU's
        LDS and waves allow; the rest start as others end.
        """
        shape = _three(block) if block is not None else None
        if isinstance(kernel, str):
            kernel = compile_kernel(kernel, block=shape)
        elif shape is not None and shape != kernel.block:
            raise ValueError(f"{kernel.name}: block must be {kernel.block}, got {shape}")
        full = _three(grid)
        n = full[0] * full[1] * full[2]
        waves = -(-kernel.block[0] * kernel.block[1] * kernel.block[2] // native.LANES)
        if not 1 <= waves <= native.MAX_WAVES or n < 1:
            raise ValueError(
                f"{kernel.name}: must have 1 … {native.MAX_WAVES} waves and at least one"
                f" workgroup, got block {kernel.block}, grid {full}"
            )
        if kernel.kernel.lds_bytes > LDS_PER_CU:
            raise ValueError(
                f"{kernel.name}: LDS must fit {LDS_PER_CU} bytes, got {kernel.kernel.lds_bytes}"
            )
        counts = np.zeros((n, max(len(kernel.stages), 1), len(native.COUNTS)), np.int64)
        self.queued.append(
            Queued(kernel, full, kernel.pack(list(args)), rank, counts, np.zeros(n, np.uint32))
        )

    # ---- running
    def run(self, *, timeout_s: float = 600.0, raise_on_fault: bool = True) -> Result:
        """Run every launch to its end.

        Raises ``SimulationError`` with every fault (unless ``raise_on_fault`` is off: then they are
        in the result's findings), ``SimulationTimeout`` after ``timeout_s`` seconds of wall clock.
        A simulator runs once.
        """
        if self._ran:
            raise RuntimeError("a simulator runs once: make a new one")
        if not self.queued:
            raise RuntimeError("nothing to run: launch a kernel first")
        self._ran = True
        with _one_run:
            return self._run(timeout_s, raise_on_fault)

    def _run(self, timeout_s: float, raise_on_fault: bool) -> Result:
        state = State(self)
        start, cpu = time.perf_counter(), time.process_time()
        try:
            status = state.run(timeout_s)
            findings = state.findings()
            writers = read_writers(state) if self.writers else None
        finally:
            state.close()
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        killed = 0
        if status == native.DEADLOCK:
            alive = [f for f in findings if f.kind == "deadlock" and f.detail != "killed"]
            killed = state.unfinished()
            if not alive:
                findings = [f for f in findings if f.kind != "deadlock"]
        s = state.sim
        result = Result(
            ticks=s.clock,
            seconds=seconds,
            cpu_seconds=cpu,
            rounds=s.rounds,
            switches=s.switches,
            schedule=self.schedule,
            launches=state.counts(),
            findings=findings,
            killed=killed if killed else 0,
            stack_peak_bytes=s.stack_peak_bytes,
            pages_touched=sum(r.pages_touched for r in self.regions),
            writers=writers,
        )
        fatal = [f for f in findings if f.fatal]
        if fatal and raise_on_fault:
            raise SimulationError(fatal)
        return result

    def describe_address(self, address: int) -> str:
        """An address as ``region + offset``."""
        if address & native.LDS_TAG:
            return f"LDS + {address & 0xFFFFFFFF:#x}"
        if address & native.PRIVATE_TAG:
            return f"private + {address & 0xFFFFFFFF:#x}"
        index, offset = address >> native.REGION_SHIFT, address & ((1 << native.REGION_SHIFT) - 1)
        if 1 <= index <= len(self.regions):
            region = self.regions[index - 1]
            past = f" ({offset - region.nbytes:#x} past its end)" if offset >= region.nbytes else ""
            return f"{region.name} + {offset:#x}{past}"
        return f"{address:#x}"


def _three(values: Sequence[int]) -> tuple[int, int, int]:
    if not 1 <= len(values) <= 3:
        raise ValueError(f"must have 1 … 3 numbers, got {tuple(values)}")
    full = [*values, 1, 1][:3]
    return int(full[0]), int(full[1]), int(full[2])
