"""The paged latent cache: where a context's rows lie, and how they are stored.

A cache is ``[pages, page_size, width]``; the block table ``[R, max_pages]`` lists a request's pages
in order. Page 0 is the null page, as slot 0 is KDA's null slot: rows there are never seen and never
written, so a padded request is one whose block table is null.

With decode context parallelism over ``dcp`` ranks, row ``t`` of a context lies on rank ``t % dcp``
as that rank's local row ``t // dcp``; every rank uses the same block table for its local rows.

Row offsets are 64-bit: a pool may hold more than 2³¹ rows or elements.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from kk3ref.formats import decode_fp8
from kk3ref.precision import Precision, Value

NULL_PAGE = 0
NO_SLOT = -1
KV_DTYPES = ("fp8_e4m3fn", "fp8_e4m3fnuz", "bf16")


@dataclass(frozen=True)
class StoredFormat:
    """How cache rows, or the query, are stored.

    Raises:
        ValueError: unknown name, or a scale that is not positive.
    """

    name: str = "fp8_e4m3fn"
    """``fp8_e4m3fn``, ``fp8_e4m3fnuz`` (bytes, uint8) or ``bf16``"""
    scale: float = 1.0
    """static scale of fp8: stored = value / scale, rounded to nearest even, saturating"""

    def __post_init__(self) -> None:
        if self.name not in KV_DTYPES:
            raise ValueError(f"format must be one of {', '.join(KV_DTYPES)}, got {self.name!r}")
        if not self.scale > 0:
            raise ValueError(f"scale must be positive, got {self.scale}")

    @property
    def fp8(self) -> bool:
        """Whether elements are fp8 bytes."""
        return self.name != "bf16"

    @property
    def dtype(self) -> torch.dtype:
        """dtype of stored elements: uint8 bytes of fp8, or bfloat16."""
        return torch.uint8 if self.fp8 else torch.bfloat16

    def encode(self, p: Precision, x: Value, point: str) -> Value:
        """Loaded values that lie on the bf16 grid, as they are stored."""
        if self.fp8:
            return p.quantize_fp8(x, self.scale, self.name, point)
        return p.store(x, torch.bfloat16)

    def load(self, p: Precision, stored: Value) -> Value:
        """Stored elements as values in the arithmetic dtype."""
        if self.fp8:
            return p.load(decode_fp8(stored, self.name, p.dtype)) * self.scale
        return p.load(stored)


def _locate(
    block_table: Tensor, positions: Tensor, page_size: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Page, row in the page, and whether it is there, of local positions ``[R, n]`` int64."""
    column = positions // page_size
    listed = column < block_table.shape[1]
    page = block_table.long().gather(1, column.clamp(max=block_table.shape[1] - 1))
    return page, positions % page_size, listed & (page != NULL_PAGE)


def slot_mapping(
    block_table: Tensor,
    context_len: Tensor,
    rows: int,
    page_size: int,
    dcp: int = 1,
    dcp_rank: int = 0,
) -> Tensor:
    """Where the step's rows go: row ``page·page_size + offset`` of the flattened pool.

    Args:
        block_table: ``[R, max_pages]`` int.
        context_len: ``[R]`` int, rows of each context before the step.
        rows: L; row ``j`` of request ``m`` has position ``context_len[m] + j``.

    Returns:
        ``[R·L]`` int64; ``NO_SLOT`` for a null page, a position past the table, and rows of another
        rank: nothing is written there.
    """
    step = torch.arange(rows, device=context_len.device)
    positions = context_len.long()[:, None] + step
    page, offset, there = _locate(block_table, positions // dcp, page_size)
    mine = there & (positions % dcp == dcp_rank)
    return torch.where(mine, page * page_size + offset, NO_SLOT).flatten()


def write_cache(
    p: Precision, kv: Value, k_pe: Value, cache: Value, slots: Tensor, stored: StoredFormat
) -> Value:
    """The whole pool with the step's rows in it.

    Args:
        kv: ``[S, c]`` bf16, normed; k_pe: ``[S, pe]`` bf16.
        cache: ``[pages, page_size, c+pe]`` of ``stored.dtype``.
        slots: ``[S]`` int64, see :func:`slot_mapping`.

    Returns:
        the pool after the step; other rows keep their bits.
    """
    live = slots != NO_SLOT
    rows = torch.cat([p.load(kv), p.load(k_pe)], -1)[live]
    pool = cache if stored.fp8 else p.load(cache)
    pool = pool.reshape(-1, cache.shape[-1])
    if stored.fp8:
        codes = stored.encode(p, rows, "mla.cache")
        return pool.index_copy(0, slots[live], codes).reshape(cache.shape)
    pool = pool.index_copy(0, slots[live], rows).reshape(cache.shape)
    return stored.encode(p, pool, "mla.cache")


def read_cache(
    p: Precision, cache: Value, block_table: Tensor, positions: Tensor, stored: StoredFormat
) -> tuple[Value, Tensor]:
    """Rows of the contexts.

    Args:
        cache: ``[pages, page_size, width]`` of ``stored.dtype``, any strides.
        block_table: ``[R, max_pages]`` int.
        positions: ``[n]`` int64, local rows.

    Returns:
        values ``[R, n, width]`` in the arithmetic dtype, zero where there is no row, and which rows
        there are ``[R, n]`` bool. A position is there when its page is; whether it was ever written
        is the caller's to know.
    """
    wanted = positions[None].expand(block_table.shape[0], -1)
    page, offset, there = _locate(block_table, wanted, cache.shape[1])
    values = stored.load(p, cache[page, offset])
    # What a null page holds may be NaN; it must not reach a sum, not even times zero.
    return torch.where(there[..., None], values, torch.zeros((), dtype=p.dtype)), there
