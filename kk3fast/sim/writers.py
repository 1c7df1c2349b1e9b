"""Who stored a word last: kernel, rank, workgroup, wave and source line of every word of memory.

The sanitizer keeps it while kernels run; here it is copied before the runtime forgets it.
"""

from __future__ import annotations

import ctypes as ct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kk3fast.sim import native
from kk3fast.sim.ir import Location
from kk3fast.sim.memory import Region

if TYPE_CHECKING:
    from kk3fast.sim.state import State

PAGE = 4096  # bytes of memory a page of the sanitizer's table covers
_WORDS = PAGE // 4
_WAVE_BITS = 4  # GW in sanitize.c: (workgroup << 4 | wave) + 1


@dataclass(frozen=True)
class Writer:
    """The last store to a word.

    Attributes:
        kernel: its symbol.
        rank: whose launch.
        block: workgroup in its grid.
        wave: wave in the workgroup.
        where: source line.
    """

    kernel: str
    rank: int
    block: tuple[int, int, int]
    wave: int
    where: Location

    def __str__(self) -> str:
        who = f"{self.kernel}, rank {self.rank} block {self.block} wave {self.wave}"
        return f"{who}, at {self.where}"


@dataclass(frozen=True)
class _Launched:
    kernel: str
    rank: int
    grid: tuple[int, int, int]
    first: int
    count: int
    locations: tuple[Location, ...]


@dataclass(frozen=True)
class Writers:
    """The last writer of every word that a run stored to."""

    regions: tuple[Region, ...] = field(repr=False)
    launches: tuple[_Launched, ...] = field(repr=False)
    pages: Mapping[tuple[int, int], np.ndarray] = field(repr=False)
    """(region, page) → uint32 ``[1024, 2]``: writer and site"""

    def at(self, address: int) -> Writer | None:
        """Who stored the word at a simulated address last; None if nobody did in this run."""
        region, offset = address >> native.REGION_SHIFT, address & ((1 << native.REGION_SHIFT) - 1)
        page = self.pages.get((region, offset // PAGE))
        if page is None:
            return None
        writer, site = (int(n) for n in page[offset % PAGE // 4])
        if writer == 0:
            return None
        group, wave = (writer - 1) >> _WAVE_BITS, (writer - 1) & ((1 << _WAVE_BITS) - 1)
        launch = next(x for x in self.launches if x.first <= group < x.first + x.count)
        local = group - launch.first
        x, y, _ = launch.grid
        block = (local % x, local // x % y, local // (x * y))
        where = launch.locations[site] if site < len(launch.locations) else Location()
        return Writer(launch.kernel, launch.rank, block, wave, where)

    def of(self, tensor: Any, index: tuple[int, ...]) -> Writer | None:
        """Who stored an element last of a CPU tensor that lies in a region's memory.

        Raises:
            ValueError: the element lies in no region.
        """
        offset = sum(i * s for i, s in zip(index, tensor.stride(), strict=True))
        return self.at_host(tensor.data_ptr() + offset * tensor.element_size())

    def at_host(self, host: int) -> Writer | None:
        """Who stored the word at an address of this process last.

        Raises:
            ValueError: it lies in no region.
        """
        for region in self.regions:
            start = region.struct.host
            if start and start <= host < start + region.nbytes:
                return self.at(region.address + host - start)
        raise ValueError("the element must lie in the memory of a region")


def read_writers(state: State) -> Writers:
    """Copy the sanitizer's tables of a run that has ended and is not closed."""
    owner = state.owner
    launches = tuple(
        _Launched(
            q.kernel.name,
            q.rank,
            q.grid,
            s.first_gid,
            s.nwg,
            tuple(site.loc for site in q.kernel.sites),
        )
        for q, s in zip(owner.queued, state.launches, strict=True)
    )
    size = ct.sizeof(native.ShadowStruct)
    columns = [native.ShadowStruct.writer.offset // 4, native.ShadowStruct.wsite.offset // 4]
    pages = {}
    for region in owner.regions:
        struct = state.regions[region.index]
        if not struct.shadow:
            continue
        count = (struct.size >> 12) + 1
        table = (ct.c_void_p * count).from_address(struct.shadow)
        for number, address in enumerate(table):
            if address:
                raw = (ct.c_uint32 * (_WORDS * size // 4)).from_address(address)
                words = np.ctypeslib.as_array(raw).reshape(_WORDS, size // 4)
                pages[region.index, number] = words[:, columns].copy()
    return Writers(tuple(owner.regions), launches, pages)
