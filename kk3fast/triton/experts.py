"""The routed experts: one program a pick and a part of its outputs; weights are read once a pick.

With 8 rows and 16 picks of 896 experts nearly every pick is an expert of its own, so a pick's
product is that of a matrix and one row: no matrix unit would be filled. A program decodes MXFP4
words in registers and multiplies them two elements at a time (:mod:`kk3fast.triton.mxfp4`).
"""

from __future__ import annotations

import triton
import triton.language as tl

from kk3fast.triton.collect import weigh_picks
from kk3fast.triton.mailbox import push_words
from kk3fast.triton.maths import begin, quantize_mxfp4, rounded, situ, to_bf16
from kk3fast.triton.mxfp4 import group_scales, store_activation, two_words


@triton.jit
def _half_group(w, at, x, g, WORD: tl.constexpr, GROUPS: tl.constexpr, PTX: tl.constexpr):
    """Words ``WORD`` and ``WORD + 1`` of each group of a tile ``[BN, BG]``."""
    w0 = tl.load(w + at + WORD * 128)
    w1 = tl.load(w + at + (WORD + 1) * 128)
    pairs = x + WORD * 4 * GROUPS + g
    x0 = tl.load(pairs)[None, :]
    x1 = tl.load(pairs + GROUPS)[None, :]
    x2 = tl.load(pairs + 2 * GROUPS)[None, :]
    x3 = tl.load(pairs + 3 * GROUPS)[None, :]
    x4 = tl.load(pairs + 4 * GROUPS)[None, :]
    x5 = tl.load(pairs + 5 * GROUPS)[None, :]
    x6 = tl.load(pairs + 6 * GROUPS)[None, :]
    x7 = tl.load(pairs + 7 * GROUPS)[None, :]
    return two_words(w0, w1, x0, x1, x2, x3, x4, x5, x6, x7, PTX)


@triton.jit
def experts_up_kernel(
    x,
    x_scales,
    slots,
    ids,
    logits,
    pick_weights,
    route_scale,
    words,
    scales,
    h_codes,
    h_scales,
    h,
    beta,
    linear_beta,
    epoch_word,
    BUMP: tl.constexpr,
    E: tl.constexpr,
    PICKS: tl.constexpr,
    HALF: tl.constexpr,
    GROUPS: tl.constexpr,
    X_GROUPS: tl.constexpr,
    H_GROUPS: tl.constexpr,
    BG: tl.constexpr,
    STAGES: tl.constexpr,
    PLAIN: tl.constexpr,
    PTX: tl.constexpr,
    PDL: tl.constexpr,
):
    """32 hidden elements of one pick: gate and up rows, SiTU, MXFP4.

    Args:
        x: int32 ``[S, 16, GROUPS]``, the latent row (``store_activation``); x_scales:
            uint8 ``[S, X_GROUPS]``.
        slots: ``[S, PICKS]`` int32, the picked experts' places in ``words`` and ``scales``
            (``Packed``, gate rows, then up rows).
        h: fp16 ``[S·PICKS, 4, 4, H_GROUPS, 2]``, the hidden row for the next product.
        GROUPS, X_GROUPS: groups of a row with and without padding.
        epoch_word: with ``BUMP`` the epoch goes up: no rank waits inside this launch.
    """
    part = tl.program_id(0)
    pick = tl.program_id(1)
    BN: tl.constexpr = 32
    begin(PDL)
    if BUMP:
        if (part == 0) & (pick == 0):
            tl.store(epoch_word, tl.load(epoch_word) + 1)
    row = pick // PICKS
    if (part == 0) & (pick % PICKS == 0):
        weigh_picks(row, logits, ids, pick_weights, route_scale, E, PICKS)
    place = tl.load(slots + pick).to(tl.int64)
    own_w = words + place * (2 * HALF * 4 * GROUPS)
    own_s = scales + place * (2 * HALF * GROUPS)
    own_x = x + row * (16 * GROUPS)
    # The tile's first half are gate rows, the second the up rows of the same elements.
    r = tl.arange(0, 2 * BN)
    to_up: tl.constexpr = HALF * GROUPS // 128
    tile = (part * (GROUPS // 4) + r // BN * to_up)[:, None]
    n = (r % BN * 4)[:, None]
    lane = tl.arange(0, BG)
    # A chunk of four groups and 32 rows holds 512 words and 128 scales.
    acc = tl.zeros((2 * BN, BG), tl.float32)
    for start in tl.range(0, GROUPS, BG, num_stages=STAGES):
        g = start + lane
        first = tile + start // 4
        at = first * 512 + (lane // 4 * 512 + lane % 4)[None, :] + n
        s_at = first * 128 + (lane // 4 * 128 + lane % 4)[None, :] + n
        xs = group_scales(tl.load(x_scales + row * X_GROUPS + g, mask=g < X_GROUPS, other=0)) * 4.0
        ws = group_scales(tl.load(own_s + s_at), PLAIN)
        p = _half_group(own_w, at, own_x, g, 0, GROUPS, PTX)
        p += _half_group(own_w, at, own_x, g, 2, GROUPS, PTX)
        acc += (p * xs[None, :]) * ws
    gate, up = tl.split(tl.trans(tl.reshape(tl.sum(acc, 1), (2, BN))))
    hidden = situ(gate, up, beta, linear_beta)
    code, scale = quantize_mxfp4(tl.reshape(hidden, (1, BN)))
    one = tl.arange(0, 1)
    low, high = tl.split(tl.reshape(code, (BN // 2, 2)))
    byte = (low | (high << 4)).to(tl.uint8)
    tl.store(h_codes + pick * (HALF // 2) + part * (BN // 2) + tl.arange(0, BN // 2), byte)
    tl.store(h_scales + pick * (HALF // 32) + part + one, scale.to(tl.uint8))
    store_activation(h + pick * (32 * H_GROUPS), code, part + one, one == 0, H_GROUPS)


@triton.jit
def experts_down_kernel(
    h,
    h_scales,
    slots,
    pick_weights,
    words,
    scales,
    y,
    arrived,
    out,
    epoch_word,
    peers,
    rank,
    PICKS: tl.constexpr,
    N: tl.constexpr,
    GROUPS: tl.constexpr,
    X_GROUPS: tl.constexpr,
    BN: tl.constexpr,
    BG: tl.constexpr,
    PUSH: tl.constexpr,
    SLOT_NUMBER: tl.constexpr,
    OFFSET: tl.constexpr,
    WORDS: tl.constexpr,
    PARITY_WORDS: tl.constexpr,
    TP: tl.constexpr,
    PLAIN: tl.constexpr,
    PTX: tl.constexpr,
    PDL: tl.constexpr,
):
    """``W2 h`` of one pick for ``BN`` outputs; the last pick of a row to arrive folds them all.

    The fold is ``acc ← bf16(acc + bf16(weight·y))`` in pick order whatever the order of arrival.

    Args:
        h: int32 ``[S·PICKS, 16, GROUPS]``; h_scales: uint8 ``[S·PICKS, X_GROUPS]``.
        y: fp32 ``[S·PICKS, N]``, scratch; arrived: int32 ``[S, tiles]``, zero.
        out: bf16 ``[S, N]``, sent to every rank with ``PUSH``.
    """
    tile = tl.program_id(0)
    pick = tl.program_id(1)
    n = tile * BN + tl.arange(0, BN)
    begin(PDL)
    place = tl.load(slots + pick).to(tl.int64)
    own_w = words + place * (N * 4 * GROUPS)
    own_s = scales + place * (N * GROUPS)
    own_x = h + pick * (16 * GROUPS)
    acc = tl.zeros((BN, BG), tl.float32)
    lane = tl.arange(0, BG)
    chunk = n // 32 * (GROUPS // 4)
    for start in tl.static_range(0, GROUPS, BG):
        g = start + lane
        first = (chunk + start // 4)[:, None]
        at = first * 512 + (lane // 4 * 512 + lane % 4)[None, :] + (n % 32 * 4)[:, None]
        s_at = first * 128 + (lane // 4 * 128 + lane % 4)[None, :] + (n % 32 * 4)[:, None]
        xs = group_scales(tl.load(h_scales + pick * X_GROUPS + g, mask=g < X_GROUPS, other=0)) * 4.0
        ws = group_scales(tl.load(own_s + s_at), PLAIN)
        p = _half_group(own_w, at, own_x, g, 0, GROUPS, PTX)
        p += _half_group(own_w, at, own_x, g, 2, GROUPS, PTX)
        acc += (p * xs[None, :]) * ws
    tl.store(y + pick.to(tl.int64) * N + n, tl.sum(acc, 1))
    tl.debug_barrier()
    row = pick // PICKS
    counter = arrived + row * tl.num_programs(0) + tile
    before = tl.atomic_add(counter, 1, sem="acq_rel", scope="gpu")
    tl.debug_barrier()
    if before == PICKS - 1:
        tl.store(counter, 0)
        total = tl.zeros((BN,), tl.float32)
        for k in tl.static_range(PICKS):
            value = tl.load(y + (row * PICKS + k).to(tl.int64) * N + n, volatile=True)
            weight = tl.load(pick_weights + row * PICKS + k)
            total = rounded(total + rounded(weight * value))
        result = to_bf16(total)
        tl.store(out + row * N + n, result)
        if PUSH:
            low, high = tl.split(tl.reshape(result, (BN // 2, 2)))
            low = low.to(tl.int16, bitcast=True).to(tl.int32) & 0xFFFF
            high = high.to(tl.int16, bitcast=True).to(tl.int32) << 16
            pair = tile * BN // 2 + tl.arange(0, BN // 2)
            push_words(
                low | high,
                row * (N // 2) + pair,
                pair < N // 2,
                epoch_word,
                peers,
                rank,
                SLOT_NUMBER,
                OFFSET,
                WORDS,
                PARITY_WORDS,
                TP,
            )
