"""The AttnRes read with its output norm, one program a row."""

from __future__ import annotations

import triton
import triton.language as tl

from kk3fast.triton.maths import begin, rounded, to_bf16


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
    row_stride,
    HIDDEN: tl.constexpr,
    N: tl.constexpr,
    NP: tl.constexpr,
    WRITE: tl.constexpr,
    HAS_DELTA: tl.constexpr,
    EPS: tl.constexpr,
    WIDE: tl.constexpr,
    CHUNK: tl.constexpr,
    PDL: tl.constexpr,
):
    """``blocks`` is ``[S, ≥N, HIDDEN]`` with a stride a row; block ``WRITE`` (if ≥ 0) is written.

    First pass: squares and logits of all sources together, a chunk of columns at a time, so that
    there is one reduction over the threads and not one a source. Second pass: the mix.
    """
    row = tl.program_id(0).to(tl.int64)
    own = blocks + row * row_stride
    source = tl.arange(0, NP)
    b_square = tl.zeros((NP, CHUNK), tl.float32)
    b_logit = tl.zeros((NP, CHUNK), tl.float32)
    p_square = tl.zeros((1, CHUNK), tl.float32)
    p_logit = tl.zeros((1, CHUNK), tl.float32)
    begin(PDL)
    for start in tl.static_range(0, HIDDEN, CHUNK):
        # Everything as [sources, columns]: a vector would change its layout at every step.
        col = start + tl.arange(0, CHUNK)[None, :]
        live = col < HIDDEN
        w = tl.load(norm_w + col, mask=live, other=0.0).to(tl.float32)
        w *= tl.load(query + col, mask=live, other=0.0).to(tl.float32)
        p = tl.load(prefix + row * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
        if HAS_DELTA:
            p += tl.load(delta + row * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
            p = rounded(p)
        p_square += p * p
        p_logit += p * w
        if N > 0:
            same = source[:, None] * 0
            there = (source < N)[:, None] & live
            v = tl.load(own + source[:, None] * HIDDEN + col, mask=there, other=0.0)
            v = v.to(tl.float32)
            u = tl.load(norm_w + same + col, mask=there, other=0.0).to(tl.float32)
            u *= tl.load(query + same + col, mask=there, other=0.0).to(tl.float32)
            b_square += v * v
            b_logit += v * u
    logit = tl.sum(tl.sum(p_logit, 1), 0)
    logit *= tl.rsqrt(tl.sum(tl.sum(p_square, 1), 0) / HIDDEN + EPS)
    logits = tl.sum(b_logit, 1) * tl.rsqrt(tl.sum(b_square, 1) / HIDDEN + EPS)
    logits = tl.where(source < N, logits, -float("inf"))
    top = tl.maximum(logit, tl.max(logits, 0))
    e = tl.exp(logits - top)
    e_p = tl.exp(logit - top)
    total = tl.sum(e, 0) + e_p
    a = e / total

    col = tl.arange(0, WIDE)
    live = col < HIDDEN
    p = tl.load(prefix + row * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
    if HAS_DELTA:
        p += tl.load(delta + row * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
        p = rounded(p)
        tl.store(prefix_after + row * HIDDEN + col, to_bf16(p), mask=live)
    if WRITE >= 0:
        tl.store(own + WRITE * HIDDEN + col, to_bf16(p), mask=live)
    mixed = (e_p / total) * p
    for s in tl.static_range(N):
        v = tl.load(own + s * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
        mixed += tl.sum(tl.where(source == s, a, 0.0), 0) * v
    scale = tl.rsqrt(tl.sum(mixed * mixed, 0) / HIDDEN + EPS)
    out = mixed * scale * tl.load(out_w + col, mask=live, other=0.0).to(tl.float32)
    tl.store(x + row * HIDDEN + col, to_bf16(out), mask=live)
