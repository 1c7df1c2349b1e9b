"""Tagged mailboxes: how ranks hand values over inside kernels, and how a wait gives up.

Every rank owns one buffer that all ranks have mapped. A 32-bit value travels in one 64-bit word
beside its tag ``epoch·256 + slot + 1``, so a word is either old or complete and nothing is ordered
or zeroed: the consumer polls until all its words bear the tag. ``epoch`` is a device counter that
goes up once a step; the buffers are double, by the epoch's parity, so that a fast rank cannot
overwrite what a slow one has still to read.

A wait that exceeds the limit records where it stood in the rank's health words and sets the sticky
FAILED word; every later wait then ends at once, so that all launches end.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import globaltimer

FAILED = tl.constexpr(0)
SLOT = tl.constexpr(1)
INDEX = tl.constexpr(2)
WANTED = tl.constexpr(3)
SEEN = tl.constexpr(4)
PROGRAM = tl.constexpr(5)
ALARM = tl.constexpr(6)
HEALTH_WORDS = 8
UNIQUE = tl.constexpr(512)
"""Words of one load below which several threads may hold copies of a word: threads of the largest
waiting program (256), two words each."""


@triton.jit
def _tag(epoch, SLOT_NUMBER: tl.constexpr):
    return epoch * 256 + SLOT_NUMBER + 1


@triton.jit
def push_words(
    word,
    at,
    mask,
    epoch_word,
    peers,
    rank,
    SLOT_NUMBER: tl.constexpr,
    OFFSET: tl.constexpr,
    WORDS: tl.constexpr,
    PARITY_WORDS: tl.constexpr,
    TP: tl.constexpr,
):
    """Send int32 ``word`` to place ``at`` of this rank's part of a slot, on every rank.

    Args:
        epoch_word: the rank's epoch counter.
        rank: the sender, or -1 to send as every rank to itself (see ``peers.loopback``).
        peers: ``[TP]`` int64, the addresses of all ranks' mailboxes.
        SLOT_NUMBER, OFFSET, WORDS: the slot's number, its first word and its words a sender.
        PARITY_WORDS: words of one half of a mailbox.
    """
    epoch = tl.load(epoch_word)
    tagged = (word.to(tl.int64) & 0xFFFFFFFF) | (_tag(epoch, SLOT_NUMBER).to(tl.int64) << 32)
    place = (epoch & 1) * PARITY_WORDS + OFFSET + at
    for peer in tl.static_range(TP):  # unrolled: the addresses are loaded together
        box = tl.load(peers + peer).to(tl.pointer_type(tl.int64))
        sender = rank
        if rank < 0:  # one rank alone plays all of them
            sender = peer
        tl.store(box + place + sender * WORDS, tagged, mask=mask, cache_modifier=".wt")


@triton.jit
def push_pairs(
    y,
    at,
    mask,
    epoch_word,
    peers,
    rank,
    SLOT_NUMBER: tl.constexpr,
    OFFSET: tl.constexpr,
    WORDS: tl.constexpr,
    PARITY_WORDS: tl.constexpr,
    TP: tl.constexpr,
):
    """Send bf16 ``y [M, 2n]`` as words of two neighbours: ``at`` and ``mask`` are ``[M, n]``."""
    low, high = tl.split(tl.reshape(y, (y.shape[0], y.shape[1] // 2, 2)))
    low = low.to(tl.int16, bitcast=True).to(tl.int32) & 0xFFFF
    high = high.to(tl.int16, bitcast=True).to(tl.int32) << 16
    push_words(
        low | high, at, mask, epoch_word, peers, rank, SLOT_NUMBER, OFFSET, WORDS, PARITY_WORDS, TP
    )


@triton.jit
def await_words(
    box,
    at,
    mask,
    epoch,
    health,
    limit,
    SLOT_NUMBER: tl.constexpr,
    OFFSET: tl.constexpr,
    PARITY_WORDS: tl.constexpr,
    CLOCK: tl.constexpr,
):
    """The words at ``at`` (one axis) of a slot of the rank's own mailbox, once all are there.

    Args:
        limit: nanoseconds (polls, without a clock) after which the wait gives up.
    """
    tag = _tag(epoch, SLOT_NUMBER)
    place = box + (epoch & 1) * PARITY_WORDS + OFFSET + at
    full = tag.to(tl.int64) << 32
    words = tl.load(place, mask=mask, other=full, volatile=True)
    missing = tl.sum(((words >> 32) != tag).to(tl.int32), 0)
    if missing > 0:
        failed = tl.load(health + FAILED, volatile=True)
        elapsed = tl.full((), 0, tl.int64)
        start = elapsed
        if CLOCK:
            start = globaltimer().to(tl.int64)
        while (missing > 0) & (failed == 0):
            words = tl.load(place, mask=mask, other=full, volatile=True)
            missing = tl.sum(((words >> 32) != tag).to(tl.int32), 0)
            if CLOCK:
                elapsed = globaltimer().to(tl.int64) - start
            else:
                elapsed += 1
            if (missing > 0) & (elapsed > limit):
                first = tl.atomic_cas(health + ALARM, 0, 1)
                if first == 0:
                    absent = (words >> 32) != tag
                    index = tl.min(tl.where(absent, at, 0x7FFFFFFF), 0)
                    seen = tl.sum(tl.where(absent & (at == index), words >> 32, 0), 0)
                    tl.store(health + SLOT, SLOT_NUMBER)
                    tl.store(health + INDEX, index)
                    tl.store(health + WANTED, tag)
                    tl.store(health + SEEN, seen.to(tl.int32))
                    tl.store(health + PROGRAM, tl.program_id(0))
                tl.atomic_xchg(health + FAILED, 1)
                failed = 1
    return complete(words, place, mask, full).to(tl.int32)


@triton.jit
def complete(words, place, mask, full):
    """The words once all have been seen, as every thread has them.

    Threads that hold copies of a word load it each for itself, and a sum counts one of the copies:
    another may be older. The sum's barrier orders this load after all that it counted.
    """
    if place.shape[0] < UNIQUE:
        words = tl.load(place, mask=mask, other=full, volatile=True)
    return words


@triton.jit
def bf16_low(word):
    """The first of two bf16 values in a word, as fp32."""
    return (word << 16).to(tl.float32, bitcast=True)


@triton.jit
def bf16_high(word):
    """The second of two bf16 values in a word, as fp32."""
    return (word & -65536).to(tl.float32, bitcast=True)
