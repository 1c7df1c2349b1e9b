"""The AttnRes read with its output norm: a row's columns shared by a few programs."""

from __future__ import annotations

import triton
import triton.language as tl

from kk3fast.triton.maths import begin, rounded, to_bf16


@triton.jit
def _meet(counter, PARTS: tl.constexpr):
    """Wait until all ``PARTS`` programs of a row are here. The counter only ever grows."""
    if PARTS > 1:
        tl.debug_barrier()
        before = tl.atomic_add(counter, 1, sem="acq_rel", scope="gpu")
        goal = (before // PARTS + 1) * PARTS
        seen = before + 1
        while seen < goal:
            seen = tl.atomic_add(counter, 0, sem="acquire", scope="gpu")
        tl.debug_barrier()


@triton.jit
def attn_res_kernel(
    prefix,
    delta,
    prefix_after,
    blocks,
    norm_w,
    query,
    out_w,
    x,
    partial,
    counters,
    row_stride,
    HIDDEN: tl.constexpr,
    N: tl.constexpr,
    NP: tl.constexpr,
    WRITE: tl.constexpr,
    HAS_DELTA: tl.constexpr,
    EPS: tl.constexpr,
    PARTS: tl.constexpr,
    WIDE: tl.constexpr,
    PDL: tl.constexpr,
):
    """``WIDE`` columns of one row; every source is read once and kept.

    The programs of a row meet twice: to add up the squares and logits of the sources, and to add
    up the squares of the mix. All of them must be resident together.

    Args:
        blocks: ``[S, ≥N, HIDDEN]`` with a stride a row; block ``WRITE`` (if ≥ 0) is written.
        partial: fp32 ``[S, PARTS, 2·NP + 3]``, scratch; counters: int32 ``[S]``.
    """
    part = tl.program_id(0)
    row = tl.program_id(1).to(tl.int64)
    own = blocks + row * row_stride
    source = tl.arange(0, NP)
    col = part * WIDE + tl.arange(0, WIDE)
    live = col < HIDDEN
    w = tl.load(norm_w + col, mask=live, other=0.0).to(tl.float32)
    w *= tl.load(query + col, mask=live, other=0.0).to(tl.float32)
    w_out = tl.load(out_w + col, mask=live, other=0.0).to(tl.float32)
    begin(PDL)
    there = (source < N)[:, None] & live[None, :]
    v = tl.load(own + source[:, None] * HIDDEN + col[None, :], mask=there, other=0.0)
    v = v.to(tl.float32)
    p = tl.load(prefix + row * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
    if HAS_DELTA:
        p += tl.load(delta + row * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
        p = rounded(p)
        tl.store(prefix_after + row * HIDDEN + col, to_bf16(p), mask=live)
    if WRITE >= 0:
        tl.store(own + WRITE * HIDDEN + col, to_bf16(p), mask=live)
    b_square = tl.sum(v * v, 1)
    b_logit = tl.sum(v * w[None, :], 1)
    p_square = tl.sum(p * p, 0)
    p_logit = tl.sum(p * w, 0)
    WORDS: tl.constexpr = 2 * NP + 3
    if PARTS > 1:
        place = partial + (row * PARTS + part) * WORDS
        tl.store(place + source, b_square)
        tl.store(place + NP + source, b_logit)
        tl.store(place + 2 * NP, p_square)
        tl.store(place + 2 * NP + 1, p_logit)
        _meet(counters + row, PARTS)
        b_square = tl.zeros((NP,), tl.float32)
        b_logit = tl.zeros((NP,), tl.float32)
        p_square = tl.full((), 0.0, tl.float32)
        p_logit = tl.full((), 0.0, tl.float32)
        for other in tl.static_range(PARTS):
            there_at = partial + (row * PARTS + other) * WORDS
            b_square += tl.load(there_at + source, volatile=True)
            b_logit += tl.load(there_at + NP + source, volatile=True)
            p_square += tl.load(there_at + 2 * NP, volatile=True)
            p_logit += tl.load(there_at + 2 * NP + 1, volatile=True)
    logit = p_logit * tl.rsqrt(p_square / HIDDEN + EPS)
    logits = b_logit * tl.rsqrt(b_square / HIDDEN + EPS)
    logits = tl.where(source < N, logits, -float("inf"))
    top = tl.maximum(logit, tl.max(logits, 0))
    e = tl.exp(logits - top)
    e_p = tl.exp(logit - top)
    total = tl.sum(e, 0) + e_p
    mixed = (e_p / total) * p + tl.sum((e / total)[:, None] * v, 0)
    square = tl.sum(mixed * mixed, 0)
    if PARTS > 1:
        tl.store(partial + (row * PARTS + part) * WORDS + 2 * NP + 2, square)
        _meet(counters + row, PARTS)
        square = tl.full((), 0.0, tl.float32)
        for other in tl.static_range(PARTS):
            at = partial + (row * PARTS + other) * WORDS + 2 * NP + 2
            square += tl.load(at, volatile=True)
    scale = tl.rsqrt(square / HIDDEN + EPS)
    tl.store(x + row * HIDDEN + col, to_bf16(mixed * scale * w_out), mask=live)
