"""The end of the MoE: the up projection on the rank's own columns, added to the shared partial."""

from __future__ import annotations

import triton
import triton.language as tl

from kk3fast.triton.linear import row_product
from kk3fast.triton.mailbox import push_pairs
from kk3fast.triton.maths import begin, prefetch_rows, to_bf16


@triton.jit
def up_add_kernel(
    ln,
    w_up,
    sd,
    final,
    rows,
    epoch_word,
    peers,
    rank,
    own,
    LATENT: tl.constexpr,
    OWN_ROWS: tl.constexpr,
    HIDDEN: tl.constexpr,
    BN: tl.constexpr,
    WIDE: tl.constexpr,
    BK: tl.constexpr,
    EVEN: tl.constexpr,
    SLOT_NUMBER: tl.constexpr,
    OFFSET: tl.constexpr,
    WORDS: tl.constexpr,
    PARITY_WORDS: tl.constexpr,
    TP: tl.constexpr,
    PREFETCH: tl.constexpr,
    PDL: tl.constexpr,
):
    """``sd``, with ``bf16(sd + W_up ln)`` on columns ``own … own+OWN_ROWS-1``; sent to all ranks.

    The first programs do the products, so that they start first. Own columns are whole tiles and
    whole parts of ``WIDE``, in which the others are passed on.
    """
    product: tl.constexpr = OWN_ROWS // BN
    tile = tl.program_id(0)
    if PREFETCH > 0:
        if tile < product:
            prefetch_rows(w_up, tile * BN, OWN_ROWS - 1, BN, LATENT * 2, PREFETCH)
    begin(PDL)
    m = tl.arange(0, 16)[:, None]
    live = m < rows
    if tile < product:
        first = own + tile * BN
        n = first + tl.arange(0, BN)
        at = m * HIDDEN + n[None, :]
        shared = tl.load(sd + at, mask=live & (n >= 0)[None, :], other=0.0).to(tl.float32)
        up = row_product(ln, LATENT, w_up, n - own, OWN_ROWS, rows, LATENT, BN, BK, EVEN)
        _send(
            to_bf16(shared + up), first, final, m, live, epoch_word, peers, rank, HIDDEN, BN,
            SLOT_NUMBER, OFFSET, WORDS, PARITY_WORDS, TP,
        )  # fmt: skip
    else:
        other = (tile - product) * WIDE
        column = tl.where(other < own, other, other + OWN_ROWS)
        col = (column + tl.arange(0, WIDE))[None, :]
        y = tl.load(sd + m * HIDDEN + col, mask=live & (col >= 0), other=0.0)
        _send(
            y, column, final, m, live, epoch_word, peers, rank, HIDDEN, WIDE,
            SLOT_NUMBER, OFFSET, WORDS, PARITY_WORDS, TP,
        )  # fmt: skip


@triton.jit
def _send(
    y, first, final, m, live, epoch_word, peers, rank, HIDDEN: tl.constexpr, COLUMNS: tl.constexpr,
    SLOT_NUMBER: tl.constexpr, OFFSET: tl.constexpr, WORDS: tl.constexpr,
    PARITY_WORDS: tl.constexpr, TP: tl.constexpr,
):  # fmt: skip
    """Columns ``first …`` of the final partial: stored, and sent to all ranks."""
    n = first + tl.arange(0, COLUMNS)
    tl.store(final + m * HIDDEN + n[None, :], y, mask=live & (n >= 0)[None, :])
    pair = first // 2 + tl.arange(0, COLUMNS // 2)
    push_pairs(
        y,
        m * (HIDDEN // 2) + pair[None, :],
        live & (pair >= 0)[None, :],
        epoch_word,
        peers,
        rank,
        SLOT_NUMBER,
        OFFSET,
        WORDS,
        PARITY_WORDS,
        TP,
    )
