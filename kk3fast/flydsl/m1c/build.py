"""M1c's build parameters, arguments and mailbox regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kk3fast.abi import Argument, ArgumentTable
from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.layout import Region, lay_out, shifted

TILE = 64
"""cache rows a workgroup holds in LDS"""
WAVE_ROWS = 8
"""of them a wave loads: they must lie in one page"""
MOST_SPLITS = 512
_FP8_QUERIES, _BF16_QUERIES = 96, 48  # what LDS and registers hold


@dataclass(frozen=True, kw_only=True)
class M1cBuild(KernelBuild):
    """One build of M1c.

    A context of ``n`` tiles of 64 rows (the step's own included) is cut into
    ``min(max_splits, ceil(n / split_tiles))`` splits of equal length, whatever the other requests
    are: a request's bits do not depend on its batch.

    Attributes:
        rows: rows of the step, 1 … 8.
        query_rows: rows a request brings (drafts + 1); divides ``rows``.
        heads, latent, pe: sizes of a rank.
        page_size: rows of a page of the latent cache, a multiple of 8.
        fp8_cache, fp8_query: E4M3 (OCP) rather than bf16.
        kv_scale, query_scale: static scales of fp8, stored = value / scale.
        scale: of the softmax.
        split_tiles: tiles of the shortest split.
        max_splits: most splits of a context.
        scratch_offset: bytes of scratch before this kernel's: what the launches before left there
            stays readable, and no value is ever taken for a tag.
    """

    kernel: ClassVar[str] = "m1c"
    PLANTS: ClassVar[Mapping[str, str]] = {
        "partials_not_drained": "a split is announced before its stores have landed",
        "scores_missing_barrier": "the scores in LDS are read without a barrier",
        "one_split_more": "the merge takes a split that this step did not write",
        "offset_32_bits": "a page's offset is computed in 32 bits",
        "causal_off_by_one": "a row sees the one after it",
        "kv_scale_skipped": "scores are of the stored bytes, without the cache's scale",
    }

    rows: int
    query_rows: int
    heads: int
    latent: int
    pe: int
    scale: float
    page_size: int = 16
    fp8_cache: bool = True
    fp8_query: bool = True
    kv_scale: float = 1.0
    query_scale: float = 1.0
    split_tiles: int = 4
    max_splits: int = 256

    scratch_offset: int = 0

    def problems(self) -> list[str]:
        found = []
        if self.scratch_offset < 0 or self.scratch_offset % 128:
            found.append(f"scratch_offset must be a multiple of 128, got {self.scratch_offset}")
        if not 1 <= self.rows <= 8:
            found.append(f"rows must be 1 to 8, got {self.rows}")
        if self.query_rows < 1 or self.rows % self.query_rows:
            found.append(f"query_rows must divide rows ({self.rows}), got {self.query_rows}")
        if self.latent % 64 or not 64 <= self.latent <= 512:
            found.append(f"latent must be a multiple of 64 up to 512, got {self.latent}")
        if self.pe < 16 or self.pe % 16:
            found.append(f"pe must be a positive multiple of 16, got {self.pe}")
        if self.page_size < WAVE_ROWS or self.page_size % WAVE_ROWS:
            found.append(
                f"page_size must be a multiple of {WAVE_ROWS} (a wave's rows lie in one page), "
                f"got {self.page_size}"
            )
        for name in ("heads", "scale", "kv_scale", "query_scale", "split_tiles"):
            if not getattr(self, name) > 0:
                found.append(f"{name} must be positive, got {getattr(self, name)}")
        if not 1 <= self.max_splits <= MOST_SPLITS:
            found.append(f"max_splits must be 1 to {MOST_SPLITS}, got {self.max_splits}")
        if self.fp8_query and not self.fp8_cache:
            found.append("fp8_query needs fp8_cache")
        return found

    @property
    def requests(self) -> int:
        """Requests of the step."""
        return self.rows // self.query_rows

    @property
    def width(self) -> int:
        """Columns of a cache row and of a query."""
        return self.latent + self.pe

    @property
    def queries(self) -> int:
        """Queries of a request: its rows' heads."""
        return self.query_rows * self.heads

    @property
    def groups(self) -> int:
        """Groups of queries; each reads the context once."""
        most = _FP8_QUERIES if self.fp8_query else _BF16_QUERIES
        return -(-self.queries // most)

    @property
    def group_queries(self) -> int:
        """Queries of a group (the last may have fewer)."""
        return -(-self.queries // self.groups)

    @property
    def query_tiles(self) -> int:
        """16-query tiles of a group."""
        return -(-self.group_queries // 16)

    @property
    def partial_queries(self) -> int:
        """Queries of all requests over all splits."""
        return self.requests * self.max_splits * self.queries

    def scratch(self) -> dict[str, Region]:
        pairs = {"done": self.requests * self.groups * self.max_splits}
        count = self.partial_queries
        plain = {"partial": count * self.latent * 4, "softmax": count * 8}
        return shifted(lay_out(pairs, plain), self.scratch_offset)

    def arguments(self) -> tuple[Argument, ...]:
        table = ArgumentTable()
        stored = "uint8" if self.fp8_query else "bfloat16"
        table.tensor("query", (self.rows, self.heads, self.width), "read", "queries", stored)
        stored = "uint8" if self.fp8_cache else "bfloat16"
        shape = ("pages", self.page_size, self.width)
        table.tensor("kv_cache", shape, "read", "paged latent cache with the step's rows", stored)
        table.scalar("page_stride", "elements between pages of kv_cache")
        table.tensor("block_table", (self.requests, "pages"), "read", "pages", "int32")
        table.scalar("max_pages", "pages a request has in block_table")
        table.scalar("table_stride", "elements between requests of block_table")
        table.tensor("context_len", (self.requests,), "read", "rows before the step", "int32")
        shape_o = (self.rows, self.heads, self.latent)
        table.tensor("o_lat", shape_o, "write", "attention in the latent space")
        table.tensor("scratch", ("bytes",), "read-write", "hand-offs on this GPU", "uint8")
        table.tensor("epoch", (1,), "read", "step counter", "int32")
        table.scalar("slot", "launch of the step, 0 to 255")
        table.tensor("health", ("words",), "read-write", "given-up waits", "int32")
        table.tensor("alarm", (1,), "write", "this rank's word on the output rank", "int32")
        return tuple(table.arguments.values())

    def launcher(self) -> Any:
        from kk3fast.flydsl.m1c.kernel import launcher

        return launcher(self)
