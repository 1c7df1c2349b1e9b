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
    PDL: tl.constexpr,
):
    """One row; all its sources are asked for at once.

    The valid blocks were written launches ago, so that their part is done before the kernel
    before, which gives prefix or delta, has ended.

    Args:
        blocks: ``[S, ≥N, HIDDEN]`` with a stride a row; block ``WRITE`` (if ≥ 0) is written.
    """
    row = tl.program_id(0).to(tl.int64)
    own = blocks + row * row_stride
    # Everything as [sources, columns]: a vector would change its layout at every step.
    source = tl.arange(0, NP)[:, None]
    col = tl.arange(0, WIDE)[None, :]
    live = col < HIDDEN
    v = tl.load(own + source * HIDDEN + col, mask=(source < N) & live, other=0.0)
    w = tl.load(norm_w + col, mask=live, other=0.0).to(tl.float32)
    w *= tl.load(query + col, mask=live, other=0.0).to(tl.float32)
    w_out = tl.load(out_w + col, mask=live, other=0.0)
    wide = v.to(tl.float32)
    square = tl.sum(wide * wide, 1, keep_dims=True)
    logits = tl.sum(wide * w, 1, keep_dims=True) * tl.rsqrt(square / HIDDEN + EPS)
    logits = tl.where(source < N, logits, -float("inf"))
    begin(PDL)
    p = tl.load(prefix + row * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
    if HAS_DELTA:
        p += tl.load(delta + row * HIDDEN + col, mask=live, other=0.0).to(tl.float32)
        p = rounded(p)
        tl.store(prefix_after + row * HIDDEN + col, to_bf16(p), mask=live)
    if WRITE >= 0:
        tl.store(own + WRITE * HIDDEN + col, to_bf16(p), mask=live)
    p_square = tl.sum(p * p, 1, keep_dims=True)
    p_logit = tl.sum(p * w, 1, keep_dims=True) * tl.rsqrt(p_square / HIDDEN + EPS)
    top = tl.maximum(p_logit, tl.max(logits, 0, keep_dims=True))
    e = tl.exp(logits - top)
    e_p = tl.exp(p_logit - top)
    total = tl.sum(e, 0, keep_dims=True) + e_p
    # Read again from the L1 cache: registers would not hold both passes. (The barrier keeps the
    # compiler from taking the first read's values.)
    tl.debug_barrier()
    v = tl.load(own + source * HIDDEN + col, mask=(source < N) & live, other=0.0)
    mixed = (e_p / total) * p + tl.sum((e / total) * v.to(tl.float32), 0, keep_dims=True)
    scale = tl.rsqrt(tl.sum(mixed * mixed, 1, keep_dims=True) / HIDDEN + EPS)
    out = to_bf16(mixed * scale * w_out.to(tl.float32))
    tl.store(x + row * HIDDEN + col, out, mask=live)
