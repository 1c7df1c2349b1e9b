"""Products of a few rows with a large matrix: ``y = W x`` for up to 16 rows, W read once."""

from __future__ import annotations

import triton
import triton.language as tl

from kk3fast.triton.mailbox import push_pairs, push_words
from kk3fast.triton.maths import begin, dot, prefetch_rows, to_bf16

ROWS = 16  # rows of the matrix unit's tile; a step has at most 8


@triton.jit
def row_product(
    x,
    x_stride,
    w,
    n,
    n_live,
    rows,
    K: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    EVEN: tl.constexpr,
    PRECISE: tl.constexpr = False,
):
    """``x [rows, K] · w[n, K]ᵀ`` in fp32 ``[16, BN]``; ``EVEN``: BK divides K.

    Args:
        n: ``[BN]`` rows of w, those at or above ``n_live`` give zero.
        PRECISE: sums of ``BK`` columns are added in fp32, rounded to nearest.
    """
    m = tl.arange(0, 16)
    k = tl.arange(0, BK)
    acc = tl.zeros((16, BN), tl.float32)
    x_at = x + m[:, None].to(tl.int64) * x_stride + k[None, :]
    w_at = w + n[:, None].to(tl.int64) * K + k[None, :]
    in_rows = (m < rows)[:, None]
    in_cols = (n < n_live)[:, None]
    for start in range(0, K, BK):
        if EVEN:
            a = tl.load(x_at + start, mask=in_rows, other=0.0)
            b = tl.load(w_at + start, mask=in_cols, other=0.0)
        else:
            live = (start + k < K)[None, :]
            a = tl.load(x_at + start, mask=in_rows & live, other=0.0)
            b = tl.load(w_at + start, mask=in_cols & live, other=0.0)
        if PRECISE:
            # A matrix unit's own accumulator truncates: let it hold BK columns only. (An addition
            # would be folded into the product again; a subtraction is not.)
            acc -= dot(a, tl.trans(b), tl.zeros((16, BN), tl.float32))
        else:
            acc = dot(a, tl.trans(b), acc)
    return -acc if PRECISE else acc


@triton.jit
def linear_kernel(
    x,
    w,
    out,
    out_second,
    out_third,
    rows,
    epoch_word,
    peers,
    rank,
    N: tl.constexpr,
    N_FIRST: tl.constexpr,
    N_SECOND: tl.constexpr,
    FIRST_STRIDE: tl.constexpr,
    SECOND_STRIDE: tl.constexpr,
    K: tl.constexpr,
    X_STRIDE: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    EVEN: tl.constexpr,
    FP32_FIRST: tl.constexpr,
    PUSH: tl.constexpr,
    SLOT_FIRST: tl.constexpr,
    OFFSET_FIRST: tl.constexpr,
    WORDS_FIRST: tl.constexpr,
    OFFSET_SECOND: tl.constexpr,
    WORDS_SECOND: tl.constexpr,
    PARITY_WORDS: tl.constexpr,
    TP: tl.constexpr,
    PREFETCH: tl.constexpr,
    PDL: tl.constexpr,
):
    """Up to three matrices stacked in ``w``; rows of each go to a tensor of their own.

    Rows ``0…N_FIRST-1`` go to ``out`` (fp32 if ``FP32_FIRST``), the next ``N_SECOND`` to
    ``out_second``, the rest to ``out_third``; all bf16 but the first. ``PUSH`` 1 sends the first
    part to every rank, 2 the first and the second.
    """
    tile = tl.program_id(0)
    if PREFETCH > 0:
        prefetch_rows(w, tile * BN, N - 1, BN, K * 2, PREFETCH)
    begin(PDL)
    n = tile * BN + tl.arange(0, BN)
    acc = row_product(x, X_STRIDE, w, n, N, rows, K, BN, BK, EVEN, FP32_FIRST)
    m = tl.arange(0, 16)[:, None]
    live = m < rows
    first = live & (n < N_FIRST)[None, :]
    second = live & ((n >= N_FIRST) & (n < N_FIRST + N_SECOND))[None, :]
    third = live & ((n >= N_FIRST + N_SECOND) & (n < N))[None, :]
    y = to_bf16(acc)
    if FP32_FIRST:
        tl.store(out + m * FIRST_STRIDE + n[None, :], acc, mask=first)
    else:
        tl.store(out + m * FIRST_STRIDE + n[None, :], y, mask=first)
    if N_SECOND > 0:
        tl.store(out_second + m * SECOND_STRIDE + (n[None, :] - N_FIRST), y, mask=second)
    if N > N_FIRST + N_SECOND:
        third_width: tl.constexpr = N - N_FIRST - N_SECOND
        at = out_third + m * third_width + (n[None, :] - N_FIRST - N_SECOND)
        tl.store(at, y, mask=third)
    if PUSH > 0:
        if FP32_FIRST:
            push_words(
                acc.to(tl.int32, bitcast=True),
                m * N_FIRST + n[None, :],
                first,
                epoch_word,
                peers,
                rank,
                SLOT_FIRST,
                OFFSET_FIRST,
                WORDS_FIRST,
                PARITY_WORDS,
                TP,
            )
        else:
            pair = tile * BN // 2 + tl.arange(0, BN // 2)
            push_pairs(
                y,
                m * (N_FIRST // 2) + pair[None, :],
                live & (pair < N_FIRST // 2)[None, :],
                epoch_word,
                peers,
                rank,
                SLOT_FIRST,
                OFFSET_FIRST,
                WORDS_FIRST,
                PARITY_WORDS,
                TP,
            )
    if PUSH > 1:
        pair = (tile * BN - N_FIRST) // 2 + tl.arange(0, BN // 2)
        push_pairs(
            y,
            m * (N_SECOND // 2) + pair[None, :],
            live & ((pair >= 0) & (pair < N_SECOND // 2))[None, :],
            epoch_word,
            peers,
            rank,
            SLOT_FIRST + 1,
            OFFSET_SECOND,
            WORDS_SECOND,
            PARITY_WORDS,
            TP,
        )
