"""M1a's build parameters, arguments and mailbox regions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kk3fast.abi import Argument, ArgumentTable
from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.layout import Region, lay_out

BLOCK = 32


@dataclass(frozen=True, kw_only=True)
class M1aBuild(KernelBuild):
    """One build of M1a.

    Attributes:
        rows: rows of the step, 1 … 8.
        query_rows: rows a request brings (drafts + 1); divides ``rows``.
        blocks: valid AttnRes blocks, 0 … 8.
        hidden, heads, q_lora, latent, pe, nope, value_dim: sizes of a rank.
        page_size: rows of a page of the latent cache.
        fp8_cache, fp8_query: E4M3 (OCP) rather than bf16.
        kv_scale, query_scale: static scales of fp8, stored = value / scale.
        mxfp4: W_UK and the query's nope columns in MXFP4, else bf16.
        eps, out_eps, norm_eps: of the AttnRes sources, the input norm and the latents' norms.
    """

    kernel: ClassVar[str] = "m1a"
    PLANTS: ClassVar[Mapping[str, str]] = {
        "x_not_drained": "x is announced before its stores have landed",
        "proj_stale_tag": "the projection is handed over with the tag of the step before",
        "q_c_missing_barrier": "the normed query latent in LDS is read without a barrier",
        "cache_scale_skipped": "cache rows are stored without the division by their scale",
        "null_page_written": "a padded request's rows are written into the null page",
    }

    rows: int
    query_rows: int
    blocks: int
    hidden: int
    heads: int
    q_lora: int
    latent: int
    pe: int
    nope: int
    value_dim: int
    page_size: int = 16
    fp8_cache: bool = True
    fp8_query: bool = True
    kv_scale: float = 1.0
    query_scale: float = 1.0
    mxfp4: bool = False
    eps: float = 1e-5
    out_eps: float = 1e-5
    norm_eps: float = 1e-5

    def problems(self) -> list[str]:
        found = []
        if not 1 <= self.rows <= 8:
            found.append(f"rows must be 1 to 8, got {self.rows}")
        if self.query_rows < 1 or self.rows % self.query_rows:
            found.append(f"query_rows must divide rows ({self.rows}), got {self.query_rows}")
        if self.blocks < 0:
            found.append(f"blocks must not be negative, got {self.blocks}")
        for name, step in (
            ("hidden", 32),
            ("q_lora", 32),
            ("latent", 32),
            ("pe", 16),
            ("nope", 32),
            ("value_dim", 16),
        ):
            value = getattr(self, name)
            if value < step or value % step:
                found.append(f"{name} must be a positive multiple of {step}, got {value}")
        for name in ("heads", "page_size", "kv_scale", "query_scale"):
            if not getattr(self, name) > 0:
                found.append(f"{name} must be positive, got {getattr(self, name)}")
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
    def value_cols(self) -> int:
        """Width of the gate."""
        return self.heads * self.value_dim

    @property
    def handed_rows(self) -> int:
        """Projection rows that other workgroups need: q_c | kv_c | k_pe."""
        return self.q_lora + self.width

    @property
    def a_rows(self) -> int:
        """Rows of the fused projection."""
        return self.handed_rows + self.value_cols

    @property
    def head_rows(self) -> int:
        """Columns of a head's query before W_UK."""
        return self.nope + self.pe

    @property
    def q_rows(self) -> int:
        """Rows of W_qb."""
        return self.heads * self.head_rows

    def scratch(self) -> dict[str, Region]:
        rows, blocks = self.rows, self.heads * (self.nope // BLOCK)
        pairs = {
            "x_ready": rows,
            "proj": rows * self.handed_rows // 2,
            "q": rows * self.q_rows // 2,
        }
        plain = {
            "x": rows * self.hidden * 2,
            "q_c_normed": rows * self.q_lora * 2,
            "kv_normed": rows * self.latent * 2,
            "q_lat": rows * self.heads * self.latent * 2,
        }
        if self.mxfp4:
            plain |= {"q_codes": rows * blocks * (BLOCK // 2), "q_scales": rows * blocks * 4}
        return lay_out(pairs, plain)

    def arguments(self) -> tuple[Argument, ...]:
        table = ArgumentTable()
        rows, hidden = self.rows, self.hidden
        table.tensor("prefix", (rows, hidden), "read-write", "running AttnRes sum")
        table.tensor("delta", (rows, hidden), "read", "last layer's output, not yet added")
        table.tensor("blocks", (rows, "blocks", hidden), "read", "AttnRes blocks")
        table.scalar("block_row_stride", "elements between rows of blocks")
        table.scalar("block_stride", "elements between blocks of a row")
        table.tensor("attn_norm", (hidden,), "read", "norm weight of the AttnRes sources")
        table.tensor("attn_query", (hidden,), "read", "AttnRes query")
        table.tensor("input_norm", (hidden,), "read", "norm weight of the attention's input")
        table.tensor("w_a", (self.a_rows, hidden), "read", "projection q_c|kv_c|k_pe|gate")
        table.tensor("q_norm", (self.q_lora,), "read", "norm weight of the query latent")
        table.tensor("kv_norm", (self.latent,), "read", "norm weight of the key-value latent")
        table.tensor("w_qb", (self.q_rows, self.q_lora), "read", "heads' nope|pe of the query")
        meaning = "W_UK by output columns [h, c, nope]; MXFP4: shuffled codes of [h·c, nope]"
        shape, dtype = (self.heads, self.latent, self.nope), "bfloat16"
        if self.mxfp4:
            shape, dtype = (self.heads, self.latent, self.nope // 2), "uint8"
        table.tensor("w_uk", shape, "read", meaning, dtype)
        table.tensor("w_uk_scales", ("bytes",), "read", "shuffled scales; bf16: unused", "uint8")
        stored = "uint8" if self.fp8_cache else "bfloat16"
        shape = ("pages", self.page_size, self.width)  # type: ignore[assignment]
        table.tensor("kv_cache", shape, "read-write", "paged latent cache", stored)
        table.scalar("page_stride", "elements between pages of kv_cache")
        table.tensor("block_table", (self.requests, "pages"), "read", "pages", "int32")
        table.scalar("max_pages", "pages a request has in block_table")
        table.scalar("table_stride", "elements between requests of block_table")
        table.tensor("context_len", (self.requests,), "read", "rows before the step", "int32")
        stored = "uint8" if self.fp8_query else "bfloat16"
        shape = (rows, self.heads, self.width)
        table.tensor("query", shape, "write", "absorbed query", stored)
        table.tensor("gate", (rows, self.value_cols), "write", "output gate before its sigmoid")
        table.tensor("scratch", ("bytes",), "read-write", "hand-offs on this GPU", "uint8")
        table.tensor("epoch", (1,), "read", "step counter", "int32")
        table.scalar("slot", "launch of the step, 0 to 255")
        table.tensor("health", ("words",), "read-write", "given-up waits", "int32")
        table.tensor("alarm", (1,), "write", "this rank's word on the output rank", "int32")
        return tuple(table.arguments.values())

    def launcher(self) -> Any:
        from kk3fast.flydsl.m1a.kernel import launcher

        return launcher(self)
