"""M1c alone, on contexts of any length in a pool of any size."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from kk3fast.flydsl.m1c import M1cBuild
from kk3fast.flydsl.run import simulated
from kk3fast.flydsl.run.memory import StepMemory
from kk3fast.flydsl.run.values import KernelLaunch, Paged
from kk3fast.sim import Result, Schedule
from kk3ref import mla
from kk3ref.formats import encode_fp8
from kk3ref.precision import ORACLE

LATENT, PE, PAGE = 64, 16, 16
WIDTH = LATENT + PE
POISON = 0x7F
"""NaN in E4M3: what no row may ever read"""
POOL_PAGE = 1 << 16


@dataclass(frozen=True)
class Contexts:
    """Requests with rows in a compact pool; ``where`` moves its pages elsewhere for the kernel.

    Attributes:
        query: ``[R·L, h, width]`` uint8; cache ``[pages, PAGE, width]`` uint8, page 0 poisoned.
        table: ``[R, columns]`` int32 into ``cache``; lengths: ``[R]`` int32 before the step.
    """

    query: Tensor
    cache: Tensor
    table: Tensor
    lengths: Tensor

    @property
    def rows(self) -> int:
        return self.query.shape[0] // len(self.lengths)

    def build(self, **options: object) -> M1cBuild:
        """The build; fp8 throughout."""
        chosen = {"workgroups": 8, "split_tiles": 1, "max_splits": 32} | options
        return M1cBuild(
            rows=self.query.shape[0],
            query_rows=self.rows,
            heads=self.query.shape[1],
            latent=LATENT,
            pe=PE,
            scale=48**-0.5,
            page_size=PAGE,
            **chosen,  # type: ignore[arg-type]
        )

    def only(self, request: int) -> Contexts:
        """One request alone."""
        rows = slice(request * self.rows, (request + 1) * self.rows)
        one = slice(request, request + 1)
        return replace(
            self, query=self.query[rows], table=self.table[one], lengths=self.lengths[one]
        )

    def expected(self) -> Tensor:
        """``o_lat`` in float64."""
        stored = mla.StoredFormat()
        found, _ = mla.attend(
            ORACLE,
            self.query,
            self.cache,
            self.table,
            self.lengths,
            latent=LATENT,
            scale=48**-0.5,
            query_format=stored,
            cache_format=stored,
        )
        return found


def contexts(lengths: list[int], rows: int, heads: int = 2, live_pages: int = 0) -> Contexts:
    """Requests of given lengths.

    ``live_pages``: pages a context has at most, at its ends and spread between; the rest of its
    table is null. 0: all.
    """
    generator = torch.Generator().manual_seed(sum(lengths) + rows)

    def normal(*shape: int) -> Tensor:
        return encode_fp8(torch.randn(shape, generator=generator)).view(torch.uint8)

    columns = -(-(max(lengths) + rows) // PAGE)
    table, used = torch.zeros(len(lengths), columns, dtype=torch.int32), 0
    for request, length in enumerate(lengths):
        needed = -(-(length + rows) // PAGE) if length >= 0 else 0
        places = torch.arange(needed)
        if live_pages and needed > live_pages:
            places = torch.linspace(0, needed - 1, live_pages).long()
        table[request, places] = torch.arange(used + 1, used + 1 + len(places), dtype=torch.int32)
        used += len(places)
    cache = normal(used + 1, PAGE, WIDTH)
    cache[0] = POISON
    for request, length in enumerate(lengths):  # what lies past a context may be anything
        if length >= 0:
            end = length + rows
            if end % PAGE:
                cache[table[request, end // PAGE], end % PAGE :] = POISON
    query = normal(len(lengths) * rows, heads, WIDTH)
    given = torch.tensor([max(length, 0) for length in lengths], dtype=torch.int32)
    return Contexts(query, cache, table, given)


@dataclass
class Ran:
    """A finished run."""

    o_lat: Tensor
    result: Result
    memory: StepMemory


def run(
    given: Contexts,
    schedule: Schedule | None = None,
    *,
    moved: Tensor | None = None,
    poison: bool = False,
    sanitize: bool = True,
    **options: object,
) -> Ran:
    """Run M1c.

    Args:
        moved: the page in the kernel's pool for every page of the compact one, int64.
        poison: fill scratch with NaN first, all but the pairs.
    """
    build = given.build(**options)
    cache, table = given.cache, given.table
    pool: Tensor | Paged = cache
    if moved is not None:
        table = moved[table.long()].to(torch.int32)
        pool = _sparse(cache, moved)
    o_lat = torch.full((given.query.shape[0], given.query.shape[1], LATENT), torch.nan)
    o_lat = o_lat.to(torch.bfloat16)
    values = {
        "query": given.query,
        "kv_cache": pool,
        "page_stride": PAGE * WIDTH,
        "block_table": table,
        "max_pages": table.shape[1],
        "table_stride": table.stride(0),
        "context_len": given.lengths,
        "o_lat": o_lat,
    }
    memory = StepMemory.for_builds([build], 1)
    if poison:
        for region in build.scratch().values():
            if not region.pairs:
                part = memory.scratch[0][region.offset : region.offset + region.bytes]
                part.view(torch.float32).fill_(torch.nan)
    memory.begin_step()
    launch = KernelLaunch(build, [values], 7)
    ran = simulated.run([launch], memory, schedule=schedule, sanitize=sanitize, isa=False)
    assert not ran.result.findings, [str(f) for f in ran.result.findings]
    return Ran(o_lat, ran.result, memory)


def _sparse(cache: Tensor, moved: Tensor) -> Paged:
    """A pool that has the compact pool's pages where they were moved, and NaN everywhere else."""
    each = PAGE * WIDTH
    starts = (moved * each).tolist()

    def page(number: int) -> Tensor:
        found = torch.full((POOL_PAGE,), POISON, dtype=torch.uint8)
        first = number * POOL_PAGE
        for index, start in enumerate(starts):
            low, high = max(first, start), min(first + POOL_PAGE, start + each)
            if low < high:
                found[low - first : high - first] = cache[index].flatten()[
                    low - start : high - start
                ]
        return found

    return Paged((int(moved.max()) + 1) * each, POOL_PAGE, page)


def close(found: Tensor, expected: Tensor) -> None:
    """bf16 rounding, and fp32 sums."""
    torch.testing.assert_close(found.double(), expected.double(), rtol=2**-8, atol=2e-5)
