"""MLA's kernels: norms with the cache write, W_UK with the stored query, attention, W_UV."""

from __future__ import annotations

import triton
import triton.language as tl

from kk3fast.triton.maths import begin, dot, rounded, sigmoid, to_bf16


@triton.jit
def encode_fp8(x):
    """E4M3FN bytes (int32) of fp32 values: nearest even, saturating; NaN is 0x7F."""
    bits = x.to(tl.int32, bitcast=True)
    a = tl.minimum(tl.abs(x), 448.0)
    size = a.to(tl.int32, bitcast=True)
    normal = ((size + 0x7FFFF + ((size >> 20) & 1)) >> 20) - 960
    # Below 2^-6 the step is 2^-9; adding 2^23 rounds to whole steps.
    small = (a * 512.0 + 8388608.0).to(tl.int32, bitcast=True) - 0x4B000000
    code = tl.where(a < 0.015625, small, normal)
    code = tl.where(x != x, 0x7F, code)
    return code | tl.where(bits < 0, 0x80, 0)


@triton.jit
def decode_fp8(byte):
    """fp32 values of E4M3FN bytes."""
    code = byte.to(tl.int32)
    value = ((code & 0x7F) << 20).to(tl.float32, bitcast=True) * 1.329227995784916e36  # 2^120
    value = tl.where((code & 0x7F) == 0x7F, float("nan"), value)
    return tl.where((code & 0x80) != 0, -value, value)


@triton.jit
def stored(x, scale, FP8: tl.constexpr, SCALED: tl.constexpr):
    """fp32 values on the bf16 grid as they are stored: fp8 bytes, or bf16."""
    if FP8:
        if SCALED:
            x = tl.div_rn(x, scale)
        return encode_fp8(x).to(tl.uint8)
    else:
        return to_bf16(x)


_FP8_TO_BF16 = tl.constexpr("""
{
  .reg .b32 t, u, n, c;
  mov.b32 c, 0x7B807B80;
  prmt.b32 t, $2, 0, 0x1404;
  shr.u32 u, t, 4;
  and.b32 u, u, 0x07F007F0;
  add.u32 n, u, 0x00100010;
  lop3.b32 u, t, 0x80008000, u, 0xEA;
  shr.u32 n, n, 11;
  and.b32 n, n, 0x00010001;
  mul.lo.u32 n, n, 0x7FC0;
  mul.rn.bf16x2 u, u, c;
  or.b32 $0, u, n;
  prmt.b32 t, $2, 0, 0x3424;
  shr.u32 u, t, 4;
  and.b32 u, u, 0x07F007F0;
  add.u32 n, u, 0x00100010;
  lop3.b32 u, t, 0x80008000, u, 0xEA;
  shr.u32 n, n, 11;
  and.b32 n, n, 0x00010001;
  mul.lo.u32 n, n, 0x7FC0;
  mul.rn.bf16x2 u, u, c;
  or.b32 $1, u, n;
}
""")


@triton.jit
def loaded(x, FP8: tl.constexpr, PTX: tl.constexpr):
    """Stored elements as bf16, which holds every fp8 value."""
    if FP8 and PTX:
        # The conversion instructions are slow. Sign and the other bits are put where bf16 has them,
        # multiplied by 2^120 (0x7B80), and 0x7F becomes NaN.
        return tl.inline_asm_elementwise(
            _FP8_TO_BF16, "=r,=r,r", [x], dtype=tl.bfloat16, is_pure=False, pack=4
        )
    elif FP8:
        return to_bf16(decode_fp8(x))
    else:
        return x


@triton.jit
def mla_norm_kernel(
    proj_a,
    q_norm_w,
    kv_norm_w,
    q_normed,
    kv_normed,
    cache,
    block_table,
    context_len,
    page_stride,
    row_stride,
    max_pages,
    kv_scale,
    PROJ: tl.constexpr,
    Q: tl.constexpr,
    Q_WIDE: tl.constexpr,
    KV: tl.constexpr,
    PE: tl.constexpr,
    L: tl.constexpr,
    PAGE: tl.constexpr,
    FP8: tl.constexpr,
    SCALED: tl.constexpr,
    EPS: tl.constexpr,
    PDL: tl.constexpr,
):
    """Program ``(0, row)``: the query latent's norm; ``(1, row)``: the key's, and the cache row."""
    row = tl.program_id(1)
    begin(PDL)
    if tl.program_id(0) == 0:
        q_col = tl.arange(0, Q_WIDE)
        live = q_col < Q
        q = tl.load(proj_a + row * PROJ + q_col, mask=live, other=0.0).to(tl.float32)
        q_scale = tl.rsqrt(tl.sum(q * q, 0) / Q + EPS)
        q_w = tl.load(q_norm_w + q_col, mask=live, other=0.0).to(tl.float32)
        tl.store(q_normed + row * Q + q_col, to_bf16(q * q_scale * q_w), mask=live)
    else:
        col = tl.arange(0, KV)
        v = tl.load(proj_a + row * PROJ + Q + col).to(tl.float32)
        scale = tl.rsqrt(tl.sum(v * v, 0) / KV + EPS)
        normed = to_bf16(v * scale * tl.load(kv_norm_w + col).to(tl.float32))
        tl.store(kv_normed + row * KV + col, normed)
        m = row // L
        position = tl.load(context_len + m) + row % L
        column = position // PAGE
        page = tl.load(block_table + m * max_pages + column, mask=column < max_pages, other=0)
        at = cache + page.to(tl.int64) * page_stride + (position % PAGE) * row_stride
        pe = tl.arange(0, PE)
        k_pe = tl.load(proj_a + row * PROJ + Q + KV + pe).to(tl.float32)
        own = stored(normed.to(tl.float32), kv_scale, FP8, SCALED)
        tl.store(at + col, own, mask=col * 0 + page != 0)
        tl.store(at + KV + pe, stored(k_pe, kv_scale, FP8, SCALED), mask=pe * 0 + page != 0)


@triton.jit
def absorb_kernel(
    q,
    w_uk,
    q_lat,
    query,
    rows,
    heads,
    query_scale,
    NOPE: tl.constexpr,
    KV: tl.constexpr,
    PE: tl.constexpr,
    BC: tl.constexpr,
    FP8: tl.constexpr,
    SCALED: tl.constexpr,
    PDL: tl.constexpr,
):
    """``BC`` columns of one head's absorbed query, and the query as the attention reads it."""
    part = tl.program_id(0)
    h = tl.program_id(1)
    m = tl.arange(0, 16)[:, None]
    live = m < rows
    nope = tl.arange(0, NOPE)
    col = part * BC + tl.arange(0, BC)
    w = tl.load(w_uk + (h * NOPE + nope[:, None]) * KV + col[None, :])
    begin(PDL)
    own = q + (m * heads + h) * (NOPE + PE)
    a = tl.load(own + nope[None, :], mask=live, other=0.0)
    y = to_bf16(dot(a, w, tl.zeros((16, BC), tl.float32)))
    line = m * heads + h
    tl.store(q_lat + line * KV + col[None, :], y, mask=live)
    out = query + line * (KV + PE)
    tl.store(out + col[None, :], stored(y.to(tl.float32), query_scale, FP8, SCALED), mask=live)
    if part == 0:
        pe = tl.arange(0, PE)[None, :]
        q_pe = tl.load(own + NOPE + pe, mask=live, other=0.0).to(tl.float32)
        tl.store(out + KV + pe, stored(q_pe, query_scale, FP8, SCALED), mask=live)


@triton.jit
def attend_kernel(
    query,
    cache,
    block_table,
    context_len,
    part_o,
    part_lse,
    page_stride,
    row_stride,
    max_pages,
    heads,
    scale,
    kv_scale,
    KV: tl.constexpr,
    PE: tl.constexpr,
    L: tl.constexpr,
    PAGE: tl.constexpr,
    SPLITS: tl.constexpr,
    BM: tl.constexpr,
    BKV: tl.constexpr,
    Q_FP8: tl.constexpr,
    FP8: tl.constexpr,
    PTX: tl.constexpr,
    PDL: tl.constexpr,
):
    """``BM`` of a request's ``L·heads`` queries over one split of its context.

    Softmax weights stay fp32: each is cut into three bf16 numbers whose products with the values,
    which bf16 holds, add up to fp32's.

    Args:
        scale: softmax scale times the scales of query and cache; kv_scale: that of the values.
        part_o: fp32 ``[SPLITS, S·heads, KV]``; part_lse: fp32 ``[SPLITS, S·heads]``, natural log.
    """
    split = tl.program_id(0)
    block = tl.program_id(1)
    m = tl.program_id(2)
    col = tl.arange(0, KV)
    pe = tl.arange(0, PE)
    i = block * BM + tl.arange(0, BM)
    count = L * heads
    line = m * count + i
    inside = i < count
    begin(PDL)
    q = query + line[:, None].to(tl.int64) * (KV + PE)
    q_lat = loaded(tl.load(q + col[None, :], mask=inside[:, None], other=0), Q_FP8, PTX)
    q_pe = loaded(tl.load(q + KV + pe[None, :], mask=inside[:, None], other=0), Q_FP8, PTX)
    context = tl.load(context_len + m)
    last = context + i // heads  # the last position a query sees
    total = context + L
    share = ((total + SPLITS - 1) // SPLITS + BKV - 1) // BKV * BKV
    first = split * share
    stop = tl.minimum(first + share, total)
    top = tl.full((BM,), -float("inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, KV), tl.float32)
    pages = block_table + m * max_pages
    # A step's cache rows are asked for a step ahead, their pages two. (The compiler's pipelining
    # leaves out loads whose values are converted.)
    slot = first + tl.arange(0, BKV)
    page = tl.load(pages + slot // PAGE, mask=(slot < stop) & (slot // PAGE < max_pages), other=0)
    there = page != 0
    at = page.to(tl.int64) * page_stride + (slot % PAGE) * row_stride
    next_kv = tl.load(cache + at[:, None] + col[None, :], mask=there[:, None], other=0)
    next_pe = tl.load(cache + at[:, None] + KV + pe[None, :], mask=there[:, None], other=0)
    slot += BKV
    page = tl.load(pages + slot // PAGE, mask=(slot < stop) & (slot // PAGE < max_pages), other=0)
    for start in tl.range(first, stop, BKV, num_stages=1):
        position = start + tl.arange(0, BKV)
        now, kv, k_pe = there, next_kv, next_pe
        there = page != 0
        slot = position + BKV
        at = page.to(tl.int64) * page_stride + (slot % PAGE) * row_stride
        next_kv = tl.load(cache + at[:, None] + col[None, :], mask=there[:, None], other=0)
        next_pe = tl.load(cache + at[:, None] + KV + pe[None, :], mask=there[:, None], other=0)
        slot += BKV
        page = tl.load(
            pages + slot // PAGE, mask=(slot < stop) & (slot // PAGE < max_pages), other=0
        )
        kv = loaded(kv, FP8, PTX)
        s = dot(q_lat, tl.trans(kv), tl.zeros((BM, BKV), tl.float32))
        s = dot(q_pe, tl.trans(loaded(k_pe, FP8, PTX)), s) * scale
        shown = now[None, :] & (position[None, :] <= last[:, None])
        s = tl.where(shown, s, -float("inf"))
        peak = tl.maximum(top, tl.max(s, 1))
        base = tl.where(peak == -float("inf"), 0.0, peak)
        e = tl.where(shown, tl.exp(s - base[:, None]), 0.0)
        old = tl.exp(top - base)
        weight = weight * old + tl.sum(e, 1)
        acc = acc * old[:, None]
        e1 = rounded(e)
        e2 = rounded(e - e1)
        acc = dot(to_bf16(e1), kv, acc)
        acc = dot(to_bf16(e2), kv, acc)
        acc = dot(to_bf16(e - e1 - e2), kv, acc)
        top = peak
    some = weight > 0
    o = acc / tl.where(some, weight, 1.0)[:, None] * kv_scale
    lse = tl.where(some, top + tl.log(tl.where(some, weight, 1.0)), -float("inf"))
    lines = tl.num_programs(2) * count
    place = (split * lines + line).to(tl.int64)
    tl.store(part_o + place[:, None] * KV + col[None, :], o, mask=inside[:, None])
    tl.store(part_lse + place, lse, mask=inside)


@triton.jit
def merge_kernel(
    part_o,
    part_lse,
    o_lat,
    SPLITS: tl.constexpr,
    WIDE: tl.constexpr,
    KV: tl.constexpr,
    PDL: tl.constexpr,
):
    """The splits of one query merged by log-sum-exp; no row seen gives zero."""
    line = tl.program_id(0).to(tl.int64)
    lines = tl.num_programs(0)
    split = tl.arange(0, WIDE)
    col = tl.arange(0, KV)
    begin(PDL)
    lse = tl.load(part_lse + split * lines + line, mask=split < SPLITS, other=-float("inf"))
    top = tl.max(lse, 0)
    base = tl.where(top == -float("inf"), 0.0, top)
    a = tl.where(lse == -float("inf"), 0.0, tl.exp(lse - base))
    at = (split[:, None] * lines + line) * KV + col[None, :]
    o = tl.load(part_o + at, mask=(split < SPLITS)[:, None], other=0.0)
    total = tl.sum(a, 0)
    merged = tl.sum(a[:, None] * o, 0) / tl.where(total > 0, total, 1.0)
    tl.store(o_lat + line * KV + col, to_bf16(merged))


@triton.jit
def v_up_kernel(
    o_lat,
    w_uv,
    proj_a,
    attn,
    core,
    rows,
    heads,
    KV: tl.constexpr,
    V: tl.constexpr,
    BV: tl.constexpr,
    PROJ: tl.constexpr,
    GATE: tl.constexpr,
    PDL: tl.constexpr,
):
    """``BV`` columns of one head's values and their gate; ``GATE``: its first column of proj_a."""
    part = tl.program_id(0)
    h = tl.program_id(1)
    m = tl.arange(0, 16)[:, None]
    live = m < rows
    col = tl.arange(0, KV)
    v = part * BV + tl.arange(0, BV)
    w = tl.load(w_uv + (h * V + v[:, None]) * KV + col[None, :])
    begin(PDL)
    a = tl.load(o_lat + (m * heads + h) * KV + col[None, :], mask=live, other=0.0)
    y = rounded(dot(a, tl.trans(w), tl.zeros((16, BV), tl.float32)))
    at = (m * heads + h) * V + v[None, :]
    tl.store(attn + at, to_bf16(y), mask=live)
    gate = tl.load(proj_a + m * PROJ + GATE + h * V + v[None, :], mask=live, other=0.0)
    tl.store(core + at, to_bf16(y * sigmoid(gate.to(tl.float32))), mask=live)
