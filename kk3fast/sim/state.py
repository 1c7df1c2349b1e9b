"""The runtime's structures of one run, and their life time."""

from __future__ import annotations

import ctypes as ct
import mmap
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kk3fast.sim import native
from kk3fast.sim.findings import KINDS, Finding, SimulationTimeout
from kk3fast.sim.ir import Location
from kk3fast.sim.kernel import CompiledKernel
from kk3fast.sim.result import LaunchCounts
from kk3fast.sim.schedule import TICKS_PER_SECOND

if TYPE_CHECKING:
    from kk3fast.sim.simulator import Queued, Simulator

LDS_PER_CU = 160 * 1024
WAVES_PER_CU = 32
XCDS = 8
SLICE_SECONDS = 0.05
_ORDERS = {"forward": 0, "reverse": 1, "random": 2}


class State:
    """The runtime's structures of one run, and their life time."""

    def __init__(self, owner: Simulator) -> None:
        self.owner = owner
        self.native = native.native()
        launches = owner.queued
        self.kernels: list[CompiledKernel] = []
        for x in launches:
            if not any(x.kernel is k for k in self.kernels):
                self.kernels.append(x.kernel)
        total = sum(x.workgroups for x in launches)
        self.launches = (native.LaunchStruct * len(launches))()
        self.wgs = (native.WgStruct * total)()
        self.regions = (native.RegionStruct * (len(owner.regions) + 1))()
        for region in owner.regions:
            self.regions[region.index] = region.struct
        self.found = (native.FindingStruct * 4096)()
        self.io = native.IoStruct()
        self.stamp = (ct.c_uint64 * native.BUCKETS)()
        self.sim = native.SimStruct()
        self._fill_launches(launches)
        self._fill_sim()
        self._fill_schedule()

    def _fill_launches(self, launches: list[Queued]) -> None:
        first = 0
        last_of_rank: dict[int, int] = {}
        resident_waves: dict[int, int] = {}
        for i, (x, s) in enumerate(zip(launches, self.launches, strict=True)):
            k = x.kernel
            waves = -(-k.block[0] * k.block[1] * k.block[2] // native.LANES)
            per_cu = min(WAVES_PER_CU // waves, LDS_PER_CU // max(k.kernel.lds_bytes, 1), 32) or 1
            s.fn, s.sites = k.address, ct.addressof(k.site_table)
            s.args = ct.addressof(x.args)
            s.grid[:], s.block[:] = x.grid, k.block
            s.nwg, s.nwaves = x.workgroups, waves
            s.lds_bytes, s.private_bytes = k.kernel.lds_bytes, k.private_bytes
            s.kernel = next(j for j, known in enumerate(self.kernels) if known is k)
            s.nstages, s.nsites = max(len(k.stages), 1), len(k.sites)
            s.rank, s.first_gid = x.rank, first
            s.start_clock = self.owner.schedule.delays.get(x.rank, 0)
            s.resident = min(x.workgroups, self.owner.compute_units * per_cu)
            s.after = last_of_rank.get(x.rank, 0)
            s.counts, s.depth = x.counts.ctypes.data, x.depth.ctypes.data
            last_of_rank[x.rank] = i + 1
            resident_waves[x.rank] = max(resident_waves.get(x.rank, 0), s.resident * waves)
            first += x.workgroups
        self.stacks = sum(resident_waves.values())

    def _fill_sim(self) -> None:
        o, s = self.owner, self.sim
        self.arena = _take_arena(self.stacks * o.stack_bytes)
        self.arena_view = ct.c_char.from_buffer(self.arena)
        self.free_stacks = (ct.c_uint32 * self.stacks)(*range(self.stacks - 1, -1, -1))
        s.regions, s.nregions = ct.addressof(self.regions), len(self.regions)
        s.launches, s.nlaunches = ct.addressof(self.launches), len(self.launches)
        s.wgs, s.nwgs = ct.addressof(self.wgs), len(self.wgs)
        s.stack_arena, s.stack_bytes = ct.addressof(self.arena_view), o.stack_bytes
        s.nstacks = s.nfree = self.stacks
        s.free_stacks = ct.addressof(self.free_stacks)
        s.io = ct.addressof(self.io)
        s.findings, s.cap_findings = ct.addressof(self.found), len(self.found)
        s.stamp = ct.addressof(self.stamp)
        self.failure: BaseException | None = None
        s.provide = native.PROVIDE(self._provide)
        s.arch, s.xcds = self.native.architecture, XCDS
        s.sanitize, s.checks = int(o.sanitize), int(o.checks)
        m = o.models
        s.mfma_order, s.mfma_denormals = m.number("mfma_order"), m.number("mfma_denormals")
        s.trans_rounding = m.number("transcendental_rounding")
        s.trans_denormals = m.number("transcendental_denormals")
        s.fp8_overflow = m.number("fp8_overflow")

    def _fill_schedule(self) -> None:
        plan, s = self.owner.schedule, self.sim
        random = plan.order == "random"
        s.order, s.shuffle_waves, s.random_quantum = _ORDERS[plan.order], int(random), int(random)
        s.rng = plan.seed & (2**64 - 1)
        s.quantum, s.tick = plan.quantum, plan.tick
        s.idle_cap, s.max_idle = TICKS_PER_SECOND, 200
        for wg, rank, block in self._workgroups():
            for stall in plan.stalls:
                if stall.rank == rank and stall.block in (None, block):
                    wg.not_before = max(wg.not_before, stall.until)
            for kill in plan.kills:
                if kill.rank == rank and kill.block in (None, block):
                    wg.killed_at = kill.at + 1
            for starve in plan.starved:
                if starve.rank == rank and starve.block == block:
                    wg.starve = starve.every

    def _workgroups(self) -> Iterator[tuple[native.WgStruct, int, int]]:
        for x in self.launches:
            for i in range(x.nwg):
                yield self.wgs[x.first_gid + i], x.rank, i

    def run(self, timeout_s: float) -> int:
        now = time.perf_counter()
        end = now + timeout_s
        pointer, rounds = ct.byref(self.sim), 1
        while True:
            status: int = self.native.run(pointer, rounds)
            if self.failure is not None:
                raise self.failure
            if status != native.PAUSED:
                return status
            last, now = now, time.perf_counter()
            if (
                now - last < SLICE_SECONDS
            ):  # native code is left often enough for signals and the limit
                rounds *= 2
            elif rounds > 1:
                rounds //= 2
            if now > end:
                live = self.unfinished()
                raise SimulationTimeout(
                    f"{live} workgroups still ran after {timeout_s} s at tick {self.sim.clock}"
                    f" ({self.owner.schedule.describe()})"
                )

    def _provide(self, region: int, page: int) -> int:
        try:
            self.owner.regions[region - 1].provide(page)
        except BaseException as e:  # carried over the native frames, raised by run()
            self.failure = e
            return 1
        return 0

    def unfinished(self) -> int:
        """Workgroups that have not ended."""
        return sum(x.nwg - x.finished for x in self.launches)

    def findings(self) -> list[Finding]:
        out = []
        for i in range(self.sim.nfindings):
            f = self.found[i]
            kernel = self.kernels[f.kernel]
            name = KINDS[f.kind][0]
            other = None
            if f.other_site != 0xFFFFFFFF:
                other = _location(self.kernels[f.other_kernel], f.other_site)
            out.append(
                Finding(
                    kind=name,
                    kernel=kernel.name,
                    where=_location(kernel, f.site),
                    rank=f.rank,
                    block=tuple(f.bid),
                    wave=f.wave,
                    lane=f.lane if f.addr else -1,
                    address=self.owner.describe_address(f.addr) if f.addr else "",
                    tick=f.clock,
                    count=f.count,
                    detail=_detail(name, f.extra),
                    other=other,
                    other_rank=f.other_rank,
                    other_block=tuple(f.other_bid) if other is not None else None,
                    schedule=self.owner.schedule.describe(),
                )
            )
        return out

    def counts(self) -> list[LaunchCounts]:
        pairs = zip(self.owner.queued, self.launches, strict=True)
        return [
            LaunchCounts(
                x.kernel.name,
                x.rank,
                list(x.kernel.stages),
                x.counts,
                x.depth.astype(np.int64),
                s.end_clock,
            )
            for x, s in pairs
        ]

    def close(self) -> None:
        self.native.free(ct.byref(self.sim))
        del self.arena_view
        _give_arena(self.arena)


_spare: list[mmap.mmap] = []
"""Stacks of an ended run, kept (up to 2 GiB of address space) so that small runs fault no new
pages."""


def _take_arena(size: int) -> mmap.mmap:
    for i, arena in enumerate(_spare):
        if len(arena) >= size:
            return _spare.pop(i)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    arena = mmap.mmap(-1, size, flags=flags)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):  # a huge page a stack would be mostly waste
        arena.madvise(mmap.MADV_NOHUGEPAGE)
    return arena


def _give_arena(arena: mmap.mmap) -> None:
    if len(arena) <= 1 << 31 and not _spare:
        _spare.append(arena)
    else:
        arena.close()


def _location(kernel: CompiledKernel, site: int) -> Location:
    return kernel.sites[site].loc if site < len(kernel.sites) else Location()


def _detail(kind: str, extra: int) -> str:
    if kind == "out_of_bounds":
        return f"the region has {extra} bytes"
    if kind == "misaligned":
        return f"must be a multiple of {extra} bytes"
    if kind == "divergent_barrier":
        return f"active lanes {extra:#018x}"
    if kind == "deadlock":
        return {0: "could run", 1: "waits at a barrier", 2: "sleeps in a wait", 4: "killed"}.get(
            extra, ""
        )
    return ""
