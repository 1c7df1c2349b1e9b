"""Attention over the paged latent cache: absorbed, unabsorbed, split and sharded contexts.

Row ``j`` of request ``m`` sees ``context_len[m] + j + 1`` rows of the cache: the context and,
causally, the step's own rows, which are already written. A row that sees nothing (a padded request,
an empty shard) gives ``o = 0`` and ``lse = -inf``: weight 0 in a merge, and never NaN.

Softmax is in fp32. A context is read in splits of bounded size, merged by log-sum-exp.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from kk3ref.mla.cache import NULL_PAGE, StoredFormat, read_cache, slot_mapping, write_cache
from kk3ref.mla.projections import join_query
from kk3ref.precision import Precision, Value

_SPLIT_ELEMENTS = 1 << 22  # cache elements, and scores, held at once in the wide dtype
_SPLIT_ROWS = 2048  # short fp32 sums: a long context loses little to their order
_OPEN_SPLITS = 16  # splits kept before they are merged


def attend(
    p: Precision,
    query: Value,
    cache: Value,
    block_table: Tensor,
    context_len: Tensor,
    *,
    latent: int,
    scale: float,
    query_format: StoredFormat,
    cache_format: StoredFormat,
    dcp: int = 1,
    dcp_rank: int = 0,
    split: int | None = None,
) -> tuple[Value, Value]:
    """Absorbed attention of the step's rows over (one rank's shard of) their contexts.

    Args:
        query: ``[S, h, c+pe]`` of ``query_format.dtype``, ``[q_lat | q_pe]``.
        cache: ``[pages, page_size, c+pe]`` of ``cache_format.dtype``, the step's rows written.
        block_table: ``[R, max_pages]`` int; a null first page makes a request padding.
        context_len: ``[R]`` int, rows of each context **before** the step, over all ranks.
        latent: c, the columns that are also the value.
        scale: softmax scale, ``(nope + pe)^-0.5``.
        dcp, dcp_rank: ranks that share a context, and which one this is.
        split: rows a split; None: at most 2048, and fewer where memory demands it.

    Returns:
        ``o_lat`` ``[S, h, c]`` and ``lse`` ``[S, h]`` (natural log), both unrounded.

    Raises:
        ValueError: a context is longer than its block table.
    """
    requests = block_table.shape[0]
    heads, width = query.shape[1:]
    rows = query.shape[0] // requests
    local = _local_rows(block_table, context_len, rows, cache.shape[1], dcp, dcp_rank)
    step = split or max(1, min(local, _SPLIT_ROWS, _SPLIT_ELEMENTS // (requests * width)))
    block = max(1, _SPLIT_ELEMENTS // (requests * heads * step))
    q = query_format.load(p, query).reshape(requests, rows, heads, width)
    outputs, sums = [], []
    for first in range(0, rows, block):
        part = q[:, first : first + block]
        last = (
            context_len.long()[:, None]
            + first
            + torch.arange(part.shape[1], device=context_len.device)
        )  # the last position each row sees
        seen = first + part.shape[1]
        stop = _local_rows(block_table, context_len, seen, cache.shape[1], dcp, dcp_rank)
        parts: list[tuple[Value, Value]] = []
        for start in range(0, stop, step):
            mine = torch.arange(start, min(start + step, stop), device=context_len.device)
            kv, there = read_cache(p, cache, block_table, mine, cache_format)
            visible = there[:, None] & (mine * dcp + dcp_rank <= last[..., None])
            parts.append(_absorbed(p, part, kv, visible, latent, scale))
            if len(parts) == _OPEN_SPLITS:
                parts = [merge(p, *zip(*parts, strict=True))]
        o, lse = parts[0] if len(parts) == 1 else merge(p, *zip(*parts, strict=True))
        outputs.append(o)
        sums.append(lse)
    return (
        torch.cat(outputs, 1).reshape(-1, heads, latent),
        torch.cat(sums, 1).reshape(-1, heads),
    )


def _local_rows(
    block_table: Tensor, context_len: Tensor, rows: int, page_size: int, dcp: int, dcp_rank: int
) -> int:
    """Local rows of the longest live context after the step, at least one."""
    live = block_table[:, 0] != NULL_PAGE
    longest = int(torch.where(live, context_len.long() + rows, 0).max())
    capacity = block_table.shape[1] * page_size * dcp
    if longest > capacity:
        raise ValueError(
            f"context_len + rows must be at most the {capacity} rows of the block table, "
            f"got {longest}"
        )
    return max(1, -(-(longest - dcp_rank) // dcp))


def _absorbed(
    p: Precision, q: Value, kv: Value, visible: Tensor, latent: int, scale: float
) -> tuple[Value, Value]:
    """One split: q ``[R, L, h, w]``, kv ``[R, n, w]``, visible ``[R, L, n]``."""
    # A row nobody sees may never have been written: NaN there must not meet a weight of zero.
    kv = torch.where(visible.any(1)[..., None], kv, torch.zeros((), dtype=p.dtype))
    scores = p.einsum("rlhw,rnw->rlhn", q, kv, "mla.score_sum") * scale
    e, total, lse = _weights(p, scores, visible)
    o = p.einsum("rlhn,rnc->rlhc", e, kv[..., :latent], "mla.value_sum")
    return o / total[..., None], lse


def _weights(p: Precision, scores: Value, visible: Tensor) -> tuple[Value, Value, Value]:
    """Masked softmax numerators ``[R, L, h, n]``, their sum (1 for no row) and its log."""
    zero, infinity = torch.zeros((), dtype=p.dtype), torch.full((), torch.inf, dtype=p.dtype)
    shown, seen = visible[:, :, None], visible.any(-1)[..., None]
    top = torch.where(shown, scores, -infinity).amax(-1)
    top = torch.where(seen, top, zero)
    # Hidden scores are replaced before exp, so that nothing overflows or becomes inf - inf.
    e = torch.exp(torch.where(shown, scores - top[..., None], zero))
    e = torch.where(shown, e, zero)
    total = p.sum(e, -1, "mla.softmax_sum")
    total = torch.where(seen, total, torch.ones((), dtype=p.dtype))
    return e, total, torch.where(seen, top + torch.log(total), -infinity)


def merge(p: Precision, outputs: Sequence[Value], sums: Sequence[Value]) -> tuple[Value, Value]:
    """Merge attention over parts of a context by log-sum-exp.

    Args:
        outputs: ``o`` of each part ``[..., c]``; sums: natural ``lse`` of each part ``[...]``.

    Returns:
        ``o = Σ_i exp(lse_i - lse) o_i`` and ``lse = log Σ_i exp(lse_i)``. A part with ``-inf`` has
        weight 0; with no other, ``o = 0`` and ``lse = -inf``.
    """
    zero, infinity = torch.zeros((), dtype=p.dtype), torch.full((), torch.inf, dtype=p.dtype)
    o = p.load(torch.stack(list(outputs)))
    lse = p.load(torch.stack(list(sums)))
    empty = lse.isinf()
    none = empty.all(0)
    top = torch.where(none, zero, lse.amax(0))
    weights = torch.exp(torch.where(empty, zero, lse - top))
    weights = torch.where(empty, zero, weights)
    total = p.sum(weights, 0, "mla.merge_weight_sum")
    total = torch.where(none, torch.ones((), dtype=p.dtype), total)
    o = p.sum(weights[..., None] * o, 0, "mla.merge_sum") / total[..., None]
    return o, torch.where(none, -infinity, top + torch.log(total))


def attend_unabsorbed(
    p: Precision,
    q: Value,
    cache: Value,
    block_table: Tensor,
    context_len: Tensor,
    w_uk: Tensor,
    w_uv: Tensor,
    *,
    scale: float,
    cache_format: StoredFormat,
) -> Value:
    """The same attention with keys ``[W_UK kv | k_pe]`` and values ``W_UV kv`` written out.

    Takes the memory of a whole context in keys and values: for checking the absorbed form.

    Args:
        q: ``[S, h, nope+pe]`` bf16; w_uk: ``[h, nope, c]``; w_uv: ``[h, v, c]`` bf16.
        cache, block_table, context_len, scale: see :func:`attend`.

    Returns:
        ``bf16`` attention output ``[S, h, v]``.
    """
    requests, (heads, _) = block_table.shape[0], q.shape[1:]
    rows, latent = q.shape[0] // requests, w_uk.shape[2]
    q = p.load(q).reshape(requests, rows, heads, -1)
    local = _local_rows(block_table, context_len, rows, cache.shape[1], 1, 0)
    positions = torch.arange(local, device=context_len.device)
    kv, there = read_cache(p, cache, block_table, positions, cache_format)
    last = context_len.long()[:, None] + torch.arange(rows, device=context_len.device)
    visible = there[:, None] & (positions <= last[..., None])
    lat, k_pe = kv[..., :latent], kv[:, :, None, latent:]
    k = p.einsum("rnc,hdc->rnhd", lat, p.load(w_uk), "mla.k_sum")
    v = p.einsum("rnc,hvc->rnhv", lat, p.load(w_uv), "mla.v_sum")
    k = p.load(p.round(k, "mla.k", torch.bfloat16))
    v = p.load(p.round(v, "mla.v", torch.bfloat16))
    k = torch.cat([k, k_pe.expand(-1, -1, heads, -1)], -1)
    scores = p.einsum("rlhd,rnhd->rlhn", q, k, "mla.score_sum") * scale
    e, total, _ = _weights(p, scores, visible)
    o = p.einsum("rlhn,rnhv->rlhv", e, v, "mla.value_sum") / total[..., None]
    return p.round(o, "mla.attn", torch.bfloat16).reshape(q.shape[0] * rows, heads, -1)


def prefill(
    p: Precision,
    q_lat: Value,
    q_pe: Value,
    kv: Value,
    k_pe: Value,
    cache: Value,
    pages: Tensor,
    start: int = 0,
    *,
    scale: float,
    query_format: StoredFormat,
    cache_format: StoredFormat,
) -> tuple[Value, Value]:
    """Causal attention of one sequence's rows, which are written into the cache first.

    The rows are read back as they were stored, and the query is stored as in a decode step: a
    sequence gives the same result whole, in pieces, or row by row. (A deployment may prefill from
    unquantised keys; the definition here is the decode step's.)

    Args:
        q_lat: ``[T, h, c]``, q_pe: ``[T, h, pe]``, kv: ``[T, c]``, k_pe: ``[T, pe]`` bf16.
        cache: ``[pages, page_size, c+pe]``; pages: ``[max_pages]`` int, the sequence's pages.
        start: rows of the sequence that are in the cache already.

    Returns:
        ``o_lat`` ``[T, h, c]`` bf16 and the pool after it.
    """
    table, context_len = pages[None], torch.tensor([start], device=pages.device)
    slots = slot_mapping(table, context_len, kv.shape[0], cache.shape[1])
    cache = write_cache(p, kv, k_pe, cache, slots, cache_format)
    query = query_format.encode(p, join_query(p, q_lat, q_pe), "mla.query")
    o, _ = attend(
        p,
        query,
        cache,
        table,
        context_len,
        latent=kv.shape[1],
        scale=scale,
        query_format=query_format,
        cache_format=cache_format,
    )
    return p.round(o, "mla.o_lat", torch.bfloat16), cache
