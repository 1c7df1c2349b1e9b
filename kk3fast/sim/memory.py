"""Virtual memory regions: dense ones that alias a tensor, sparse ones paged on demand."""

from __future__ import annotations

import ctypes as ct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kk3fast.sim.native import REGION_SHIFT, RegionStruct

PageProvider = Callable[[int], Any]
"""Page index -> a C-contiguous array or tensor of one page's bytes (kept and aliased), or None:
zeros."""


def as_bytes(data: Any) -> np.ndarray:
    """A tensor's or array's own memory as uint8 [nbytes], without a copy.

    Raises ``ValueError`` unless it lies on the CPU and is contiguous.
    """
    if isinstance(data, np.ndarray):
        if not data.flags["C_CONTIGUOUS"]:
            raise ValueError("a region's array must be C-contiguous")
        return data.reshape(-1).view(np.uint8)
    import torch

    if not isinstance(data, torch.Tensor):
        raise TypeError(
            f"a region must be a torch tensor or a numpy array, got {type(data).__name__}"
        )
    if data.device.type != "cpu" or not data.is_contiguous():
        raise ValueError(
            f"a region's tensor must be contiguous on the CPU, got {data.device}, {data.stride()}"
        )
    out: np.ndarray = data.detach().reshape(-1).view(torch.uint8).numpy()
    return out


@dataclass(eq=False)
class Region:
    """A named stretch of simulated memory. ``address`` is what kernels are given.

    Every byte outside ``[address, address + nbytes)`` is guard: an access there is an error that
    names the region.
    """

    name: str
    index: int
    nbytes: int
    rank: int | None
    struct: RegionStruct
    keep: list[Any] = field(default_factory=list)
    provider: PageProvider | None = None
    page_bytes: int = 0
    table: Any = None
    pages_touched: int = 0

    @property
    def address(self) -> int:
        """The virtual address of the first byte."""
        return self.index << REGION_SHIFT

    def __add__(self, offset: int) -> int:
        return self.address + offset

    def __index__(self) -> int:
        return self.address

    def provide(self, page: int) -> None:
        """Make a page of a sparse region present."""
        data = self.provider(page) if self.provider else None
        raw = np.zeros(self.page_bytes, np.uint8) if data is None else as_bytes(data)
        if raw.nbytes < min(self.page_bytes, self.nbytes - page * self.page_bytes):
            raise ValueError(
                f"page {page} of {self.name} must have {self.page_bytes} bytes, got {raw.nbytes}"
            )
        self.keep.append(raw)
        self.table[page] = raw.ctypes.data
        self.pages_touched += 1


def dense(
    name: str, index: int, data: Any, rank: int | None, writable: bool, initialised: bool
) -> Region:
    """A region over a tensor's own memory."""
    raw = as_bytes(data)
    struct = RegionStruct(
        size=raw.nbytes,
        host=raw.ctypes.data,
        writable=int(writable),
        rank=-1 if rank is None else rank,
        track_init=int(not initialised),
    )
    return Region(name, index, raw.nbytes, rank, struct, [data, raw])


def sparse(
    name: str,
    index: int,
    nbytes: int,
    provider: PageProvider | None,
    page_bytes: int,
    rank: int | None,
    writable: bool,
) -> Region:
    """A region whose pages come to be when they are touched."""
    if page_bytes < 4096 or page_bytes & (page_bytes - 1):
        raise ValueError(f"page_bytes must be a power of two of at least 4096, got {page_bytes}")
    table = (ct.c_void_p * (-(-nbytes // page_bytes)))()
    struct = RegionStruct(
        size=nbytes,
        pages=ct.addressof(table),
        page_shift=page_bytes.bit_length() - 1,
        writable=int(writable),
        rank=-1 if rank is None else rank,
    )
    return Region(name, index, nbytes, rank, struct, [table], provider, page_bytes, table)
