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
    """One row; the second pass over the sources finds them in the L1 cache.

    The valid blocks were written launches ago, so that their part is done before the kernel
    before, which gives prefix or delta, has ended.

    Args:
        blocks: ``[S, ≥N, HIDDEN]`` with a stride a row; block ``WRITE`` (if ≥ 0) is written.
    """
    row = tl.program_id(0).to(tl.int64)
    own = blocks + row * row_stride
    source = tl.arange(0, NP)
    same = source[:, None] * 0
    square = tl.zeros((NP, CHUNK), tl.float32)
    logit = tl.zeros((NP, CHUNK), tl.float32)
    for start in tl.static_range(0, HIDDEN if N > 0 else 0, CHUNK):
        # Everything as [sources, columns]: a vector would change its layout at every step.
        at = start + tl.arange(0, CHUNK)[None, :]
        there = (source < N)[:, None] & (at < HIDDEN)
        v = tl.load(own + source[:, None] * HIDDEN + at, mask=there, other=0.0).to(tl.float32)
        u = tl.load(norm_w + same + at, mask=there, other=0.0).to(tl.float32)
        u *= tl.load(query + same + at, mask=there, other=0.0).to(tl.float32)
        square += v * v
        logit += v * u
    logits = tl.sum(logit, 1) * tl.rsqrt(tl.sum(square, 1) / HIDDEN + EPS)
    logits = tl.where(source < N, logits, -float("inf"))
    col = tl.arange(0, WIDE)
    live = col < HIDDEN
    w = tl.load(norm_w + col, mask=live, other=0.0).to(tl.float32)
    w *= tl.load(query + col, mask=live, other=0.0).to(tl.float32)
    begin(PDL)
    p = tl.load(prefix + row * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
    if HAS_DELTA:
        p += tl.load(delta + row * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
        p = rounded(p)
        tl.store(prefix_after + row * HIDDEN + col, to_bf16(p), mask=live)
    if WRITE >= 0:
        tl.store(own + WRITE * HIDDEN + col, to_bf16(p), mask=live)
    p_logit = tl.sum(p * w, 0) * tl.rsqrt(tl.sum(p * p, 0) / HIDDEN + EPS)
    top = tl.maximum(p_logit, tl.max(logits, 0))
    e = tl.exp(logits - top)
    e_p = tl.exp(p_logit - top)
    total = tl.sum(e, 0) + e_p
    mixed = (e_p / total) * p
    for s in tl.static_range(N):
        a = tl.sum(tl.where(source == s, e, 0.0), 0) / total
        mixed += a * tl.load(own + s * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(mixed * mixed, 0) / HIDDEN + EPS)
    w_out = tl.load(out_w + col, mask=live, other=0.0).to(tl.float32)
    tl.store(x + row * HIDDEN + col, to_bf16(mixed * scale * w_out), mask=live)
