"""Kernels that wait for the other ranks: all-reduces, and the gather before routing.

Their grids are small: on one GPU all ranks' waiting programs must leave room for the kernels they
wait for.
"""

from __future__ import annotations

import triton
import triton.language as tl

from kk3fast.triton.mailbox import await_words, bf16_high, bf16_low, complete
from kk3fast.triton.maths import (
    begin,
    quantize_mxfp4,
    rounded,
    sigmoid,
    situ,
    to_bf16,
)
from kk3fast.triton.mxfp4 import store_activation


@triton.jit
def _rank_sum(
    box, at, mask, epoch, health, limit,
    SLOT_NUMBER: tl.constexpr, OFFSET: tl.constexpr, WORDS: tl.constexpr,
    PARITY_WORDS: tl.constexpr, TP: tl.constexpr, CLOCK: tl.constexpr,
):  # fmt: skip
    """bf16 of the ranks' partials summed in fp32, in rank order: low and high of each word."""
    # All senders' words are asked for together; only where one is missing does a wait begin.
    tag = epoch * 256 + SLOT_NUMBER + 1
    place = box + (epoch & 1) * PARITY_WORDS + OFFSET + at
    full = tag.to(tl.int64) << 32
    missing = tl.zeros(at.shape, tl.int32)
    words = ()
    for sender in tl.static_range(TP):
        seen = tl.load(place + sender * WORDS, mask=mask, other=full, volatile=True)
        missing += ((seen >> 32) != tag).to(tl.int32)
        words += (seen,)
    absent = tl.sum(missing, 0)
    low = tl.zeros(at.shape, tl.float32)
    high = tl.zeros(at.shape, tl.float32)
    for sender in tl.static_range(TP):
        if absent > 0:
            word = await_words(
                box, sender * WORDS + at, mask, epoch, health, limit,
                SLOT_NUMBER, OFFSET, PARITY_WORDS, CLOCK,
            )  # fmt: skip
        else:
            word = complete(words[sender], place + sender * WORDS, mask, full).to(tl.int32)
        low += bf16_low(word)
        high += bf16_high(word)
    return rounded(low), rounded(high)


@triton.jit
def all_reduce_kernel(
    out,
    prefix,
    prefix_after,
    box,
    epoch_word,
    health,
    limit,
    HIDDEN: tl.constexpr,
    BLOCK: tl.constexpr,
    PREFIX: tl.constexpr,
    SLOT_NUMBER: tl.constexpr,
    OFFSET: tl.constexpr,
    WORDS: tl.constexpr,
    PARITY_WORDS: tl.constexpr,
    TP: tl.constexpr,
    CLOCK: tl.constexpr,
    PDL: tl.constexpr,
):
    """``BLOCK`` words (twice as many columns) of one row.

    PREFIX 0: the sum alone; 1: also ``bf16(prefix + sum)``; 2: the prefix restarts at the sum.
    """
    row = tl.program_id(1)
    pair = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = pair < HIDDEN // 2
    begin(PDL)
    epoch = tl.load(epoch_word)
    low, high = _rank_sum(
        box, row * (HIDDEN // 2) + pair, mask, epoch, health, limit,
        SLOT_NUMBER, OFFSET, WORDS, PARITY_WORDS, TP, CLOCK,
    )  # fmt: skip
    col = tl.program_id(0) * (2 * BLOCK) + tl.arange(0, 2 * BLOCK)
    both = tl.reshape(tl.join(low, high), (2 * BLOCK,))
    at = row * HIDDEN + col
    live = col < HIDDEN
    tl.store(out + at, to_bf16(both), mask=live)
    if PREFIX == 1:
        both += tl.load(prefix + at, mask=live, other=0.0).to(tl.float32)
    if PREFIX > 0:
        tl.store(prefix_after + at, to_bf16(both), mask=live)


@triton.jit
def latent_reduce_kernel(
    lat_sum,
    ln_w,
    ln,
    box,
    epoch_word,
    health,
    limit,
    WIDTH: tl.constexpr,
    WIDE: tl.constexpr,
    EPS: tl.constexpr,
    SLOT_NUMBER: tl.constexpr,
    OFFSET: tl.constexpr,
    WORDS: tl.constexpr,
    PARITY_WORDS: tl.constexpr,
    TP: tl.constexpr,
    CLOCK: tl.constexpr,
    PDL: tl.constexpr,
):
    """One row of the latent all-reduce with its norm; ``WIDE`` words at least half of WIDTH."""
    row = tl.program_id(0)
    pair = tl.arange(0, WIDE)
    mask = pair < WIDTH // 2
    begin(PDL)
    epoch = tl.load(epoch_word)
    low, high = _rank_sum(
        box, row * (WIDTH // 2) + pair, mask, epoch, health, limit,
        SLOT_NUMBER, OFFSET, WORDS, PARITY_WORDS, TP, CLOCK,
    )  # fmt: skip
    low = tl.where(mask, low, 0.0)
    high = tl.where(mask, high, 0.0)
    scale = tl.rsqrt(tl.sum(low * low + high * high, 0) / WIDTH + EPS)
    at = row * WIDTH + 2 * pair
    tl.store(lat_sum + at, to_bf16(low), mask=mask)
    tl.store(lat_sum + at + 1, to_bf16(high), mask=mask)
    w_low = tl.load(ln_w + 2 * pair, mask=mask, other=0.0).to(tl.float32)
    w_high = tl.load(ln_w + 2 * pair + 1, mask=mask, other=0.0).to(tl.float32)
    tl.store(ln + at, to_bf16(low * scale * w_low), mask=mask)
    tl.store(ln + at + 1, to_bf16(high * scale * w_high), mask=mask)


@triton.jit
def _route(
    part, row, logits, bias, ids, slots, slot_of, box, epoch, health, limit,
    E: tl.constexpr, EP: tl.constexpr, CHUNK: tl.constexpr, FIRST: tl.constexpr,
    PICKS: tl.constexpr, SLOT_NUMBER: tl.constexpr, OFFSET: tl.constexpr, WORDS: tl.constexpr,
    PARITY_WORDS: tl.constexpr, TP: tl.constexpr, CLOCK: tl.constexpr,
):  # fmt: skip
    """Gather a row's logits; place ``CHUNK`` of its experts by counting those that rank before.

    An expert ranks before another if its score is higher, or equal with a lower id. Only the
    chunk's own ``FIRST``, of which there are at least ``PICKS``, are counted against all experts.
    """
    expert = tl.arange(0, EP)
    mask = expert < E
    local: tl.constexpr = E // TP
    at = expert // local * WORDS + row * local + expert % local
    word = await_words(
        box, at, mask, epoch, health, limit, SLOT_NUMBER, OFFSET, PARITY_WORDS, CLOCK
    )
    logit = word.to(tl.float32, bitcast=True)
    score = sigmoid(logit) + tl.load(bias + expert, mask=mask, other=0.0)
    score = tl.where((score != score) | (expert >= E), -float("inf"), score)
    own = part * CHUNK + tl.arange(0, CHUNK)
    inside = own < E
    own_at = own // local * WORDS + row * local + own % local
    own_word = await_words(
        box, own_at, inside, epoch, health, limit, SLOT_NUMBER, OFFSET, PARITY_WORDS, CLOCK
    )
    own_logit = own_word.to(tl.float32, bitcast=True)
    tl.store(logits + row * E + own, own_logit, mask=inside)
    own_score = sigmoid(own_logit) + tl.load(bias + own, mask=inside, other=0.0)
    own_score = tl.where(own_score != own_score, -float("inf"), own_score)
    own_score = tl.where(inside, own_score, -float("inf"))
    near = tl.sum(_before(own_score, own, own_score, own), 1)
    # One of the chunk for each of its first places.
    here = near[None, :] == tl.arange(0, FIRST)[:, None]
    best = tl.sum(tl.where(here, own[None, :], 0), 1)
    best_score = tl.sum(tl.where(here, own_score[None, :], 0.0), 1)
    place = tl.sum(_before(score, expert, best_score, best), 1)
    picked = (best < E) & (place < PICKS)
    tl.store(ids + row * PICKS + place, best, mask=picked)
    slot = tl.load(slot_of + best, mask=picked, other=0)
    tl.store(slots + row * PICKS + place, slot, mask=picked)


@triton.jit
def _before(score, expert, own_score, own):
    """``[own, expert]``: 1 where an expert ranks before an own one."""
    higher = score[None, :] > own_score[:, None]
    tie = (score[None, :] == own_score[:, None]) & (expert[None, :] < own[:, None])
    return (higher | tie).to(tl.int32)


@triton.jit
def weigh_picks(row, logits, ids, weights, route_scale, E: tl.constexpr, PICKS: tl.constexpr):
    """A row's picks' scores over their sum, the sum in pick order."""
    total = tl.full((), 0.0, tl.float32)
    scores = ()
    for k in tl.static_range(PICKS):
        pick = tl.load(ids + row * PICKS + k)
        scores += (sigmoid(tl.load(logits + row * E + pick)),)
    for k in tl.static_range(PICKS):
        total += scores[k]
    for k in tl.static_range(PICKS):
        tl.store(weights + row * PICKS + k, scores[k] / total * route_scale)


@triton.jit
def _latent(
    part, row, lat, codes, scales, x, box, epoch, health, limit,
    WIDTH: tl.constexpr, GP: tl.constexpr, X_GROUPS: tl.constexpr, SLOT_NUMBER: tl.constexpr,
    OFFSET: tl.constexpr, WORDS: tl.constexpr, PARITY_WORDS: tl.constexpr, TP: tl.constexpr,
    CLOCK: tl.constexpr,
):  # fmt: skip
    """Gather ``GP`` groups of a latent row and quantise them."""
    pair = part * (GP * 16) + tl.arange(0, GP * 16)
    mask = pair < WIDTH // 2
    local: tl.constexpr = WIDTH // TP // 2
    at = pair // local * WORDS + row * local + pair % local
    word = await_words(
        box, at, mask, epoch, health, limit, SLOT_NUMBER, OFFSET, PARITY_WORDS, CLOCK
    )
    word = tl.where(mask, word, 0)
    value = tl.reshape(tl.join(bf16_low(word), bf16_high(word)), (GP, 32))
    group = part * GP + tl.arange(0, GP)
    live = group < WIDTH // 32
    column = group[:, None] * 32 + tl.arange(0, 32)[None, :]
    tl.store(lat + row * WIDTH + column, to_bf16(value), mask=live[:, None])
    code, scale = quantize_mxfp4(value)
    low, high = tl.split(tl.reshape(code, (GP, 16, 2)))
    at_byte = row * (WIDTH // 2) + group[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(codes + at_byte, (low | (high << 4)).to(tl.uint8), mask=live[:, None])
    tl.store(scales + row * (WIDTH // 32) + group, scale.to(tl.uint8), mask=live)
    store_activation(x + row * (32 * X_GROUPS), code, group, live, X_GROUPS)


@triton.jit
def route_kernel(
    logits,
    bias,
    ids,
    slots,
    slot_of,
    lat,
    lat_codes,
    lat_scales,
    x,
    gu,
    sh,
    box,
    epoch_word,
    health,
    limit,
    beta,
    linear_beta,
    E: tl.constexpr,
    EP: tl.constexpr,
    CHUNK: tl.constexpr,
    CHUNKS: tl.constexpr,
    FIRST: tl.constexpr,
    PICKS: tl.constexpr,
    WIDTH: tl.constexpr,
    GP: tl.constexpr,
    X_GROUPS: tl.constexpr,
    SHARED: tl.constexpr,
    SHARED_WIDE: tl.constexpr,
    SLOT_NUMBER: tl.constexpr,
    LOGIT_OFFSET: tl.constexpr,
    LOGIT_WORDS: tl.constexpr,
    LAT_OFFSET: tl.constexpr,
    LAT_WORDS: tl.constexpr,
    PARITY_WORDS: tl.constexpr,
    TP: tl.constexpr,
    CLOCK: tl.constexpr,
    PDL: tl.constexpr,
):
    """Programs of a row: the routing, the shared experts' SiTU, parts of the latent row."""
    part = tl.program_id(0)
    row = tl.program_id(1)
    begin(PDL)
    epoch = tl.load(epoch_word)
    if part < CHUNKS:
        _route(
            part, row, logits, bias, ids, slots, slot_of, box, epoch, health, limit, E, EP, CHUNK,
            FIRST, PICKS, SLOT_NUMBER, LOGIT_OFFSET, LOGIT_WORDS, PARITY_WORDS, TP, CLOCK,
        )  # fmt: skip
    elif part == CHUNKS:
        col = tl.arange(0, SHARED_WIDE)
        live = col < SHARED
        at = gu + row * (2 * SHARED) + col
        gate = tl.load(at, mask=live, other=0.0).to(tl.float32)
        up = tl.load(at + SHARED, mask=live, other=0.0).to(tl.float32)
        tl.store(sh + row * SHARED + col, to_bf16(situ(gate, up, beta, linear_beta)), mask=live)
    else:
        _latent(
            part - CHUNKS - 1, row, lat, lat_codes, lat_scales, x, box, epoch, health, limit, WIDTH,
            GP, X_GROUPS, SLOT_NUMBER + 1, LAT_OFFSET, LAT_WORDS, PARITY_WORDS, TP, CLOCK,
        )  # fmt: skip
