"""The tagged mailbox: hand-offs between workgroups of a GPU and between GPUs.

Every 32-bit value is stored next to the launch's tag in one 64-bit store; a consumer polls until
the tags match, so nothing is zeroed between steps, no store has to be drained first, and a hand-off
costs one round trip. Data too large to be tagged word by word is stored plainly, drained, and
announced by one pair (``announce``, ``await_all``).

A wait gives up after ``WAIT_SECONDS``: the workgroup records which pair was stale, raises the
rank's alarm word on the output rank, drains that, then sets the sticky FAILED word. Waits of a rank
that has failed end at once, so every launch ends.
"""

from dataclasses import dataclass
from typing import Any

import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import llvm
from flydsl.expr import const_expr, gpu, range_constexpr, rocdl
from flydsl.expr.typing import as_ir_value

from kk3fast.flydsl import geometry
from kk3fast.flydsl.device import clock, lanes, memory
from kk3fast.flydsl.device.tracing import traced

WAIT_SECONDS = 10
BATCH = 12
"""pairs a lane polls at once: bounds live registers"""


@dataclass(frozen=True)
class Mail:
    """What every wait and hand-off of a launch needs."""

    tag: Any
    """Int32, uniform"""
    health: Any
    """address of the rank's health words"""
    alarm: Any
    """address of the rank's word on the output rank"""


@dataclass(frozen=True)
class Box:
    """A region of pairs (or of announced data) at an address."""

    number: int
    address: Any
    policy: int
    """``memory.DEVICE`` inside a GPU, ``memory.SYSTEM`` between GPUs"""


def open_mail(epoch, slot, health, alarm):
    """The launch's mail: ``epoch`` is the address of the step counter, ``slot`` 0 … 255."""
    step = lanes.uniform(memory.load(epoch, 0))
    tag = (step % geometry.EPOCH_MODULUS) * geometry.SLOTS + slot + 1
    return Mail(tag, health, alarm)


def scratch_box(base, region):
    """A region of the rank's own scratch buffer."""
    return Box(region.number, base + region.offset, memory.DEVICE)


def peer_box(base, region, half_bytes, parity):
    """A region of a rank's peer buffer (``base`` past its head), of the step's parity half."""
    return Box(region.number, base + region.offset + fx.Int64(parity) * half_bytes, memory.SYSTEM)


def _bits(value):
    return value.bitcast(fx.Int32) if isinstance(value, fx.Float32) else fx.Int32(value)


def put(mail, box, index, *values):
    """One or two values (Int32 or Float32) as pairs ``index`` and ``index + 1``, in one store."""
    words = [w for v in values for w in (_bits(v), mail.tag)]
    memory.store(box.address, index * 2, fx.Vector.from_elements(words, fx.Int32), box.policy)


def poll(mail, boxes, indices):
    """Wait for pairs, a list a lane, and give their values as a list of Int32.

    ``boxes`` is one Box or one a pair, of one scope; all are loaded together while any is stale.
    """
    boxes = [boxes] * len(indices) if isinstance(boxes, Box) else boxes
    found = []
    for a in range(0, len(indices), BATCH):
        found += _poll(mail, boxes[a : a + BATCH], indices[a : a + BATCH])
    return found


def poll_runs(mail, box, indices, batch=BATCH):
    """As ``poll`` for runs of two pairs: pairs ``index`` (even) and ``index + 1`` of each.

    ``batch``: pairs a lane polls at once; each batch costs a round trip, each pair two registers.
    """
    found = []
    for a in range(0, len(indices), batch // 2):
        part = indices[a : a + batch // 2]
        found += _poll(mail, [box] * len(part), part, 2)
    return found


def _poll(mail, boxes, indices, run=1):
    def load_all():
        words = []
        for box, index in zip(boxes, indices, strict=True):
            found = memory.load(box.address, fx.Int32(index) * 2, 2 * run, box.policy)
            words += [found[i] for i in range(2 * run)]
        return fx.Vector.from_elements(words, fx.Int32)

    pairs = [(b.number, i, j) for b, i in zip(boxes, indices, strict=True) for j in range(run)]
    words = _wait(mail, load_all, pairs)
    return [words[2 * i] for i in range(len(pairs))]


def _stale(words, tag, count):
    found = words[1] != tag
    for i in range(1, count):
        found = found | (words[2 * i + 1] != tag)
    return found


@traced
def _wait(mail, load_all, pairs):
    """Reload until no pair is stale, the time is up, or the rank has failed."""
    count = len(pairs)
    tag = mail.tag
    start = clock.now()
    words = load_all()
    ended = fx.Int32(0)  # 1: the time is up, 2: the rank has failed
    while _stale(words, tag, count) & (ended == 0):
        rocdl.s_sleep(1)
        words = load_all()
        failed = memory.load(mail.health, geometry.FAILED_WORD, 1, memory.SYSTEM) != 0
        late = clock.now() - start > WAIT_SECONDS * clock.TICKS_PER_SECOND
        ended = failed.select(fx.Int32(2), late.select(fx.Int32(1), fx.Int32(0)))
    if ended == 1:
        _give_up(mail, words, pairs)
    return words


@traced
def _give_up(mail, words, pairs):
    """Record the first lane's first stale pair, raise the alarm, then set FAILED."""
    number, index, seen = fx.Int32(0), fx.Int32(0), fx.Int32(0)
    # A tag that the compiler does not know to be the loop's: else it would carry every comparison
    # of the loop to here, as one lane mask a pair.
    tag = lanes.from_lane(mail.tag, fx.Int32(fx.thread_idx.x) % geometry.WAVE)
    for i in reversed(range(len(pairs))):
        box, first, offset = pairs[i]
        stale = words[2 * i + 1] != tag
        number = stale.select(fx.Int32(box), number)
        index = stale.select(fx.Int32(first) + offset, index)
        seen = stale.select(words[2 * i + 1], seen)
    workgroup = fx.Int32(fx.block_idx.x)
    at = geometry.HEALTH_HEADER_WORDS + workgroup * geometry.RECORD_WORDS
    if _claim(mail.health, at + geometry.RECORD_WORDS - 1) == 0:
        ticks = fx.Int32(clock.now() & 0x7FFFFFFF)
        record = [1, number, index, mail.tag, seen, workgroup, ticks]
        for i in range_constexpr(len(record)):
            # the first of the lanes that gave up: one record, not a mixture
            memory.store(mail.health, at + i, lanes.uniform(record[i]), memory.SYSTEM)
    memory.store(mail.alarm, 0, fx.Int32(1), memory.SYSTEM)
    memory.drain()
    memory.store(mail.health, geometry.FAILED_WORD, fx.Int32(1), memory.SYSTEM)


def _claim(address, word):
    """Set a word to 1 and give what it held, atomically for all workgroups."""
    at = fx.Int64(address) + fx.Int64(fx.Int32(word) * 4)
    pointer = llvm.inttoptr(ir.Type.parse("!llvm.ptr<1>"), as_ir_value(at))
    op = llvm.AtomicRMWOp(
        llvm.AtomicBinOp.xchg,
        pointer,
        as_ir_value(fx.Int32(1)),
        llvm.AtomicOrdering.monotonic,
        syncscope="agent",
    )
    return lanes.uniform(fx.Int32(op.result))


@traced
def announce(mail, box, index, *, drained=True):
    """After this workgroup's stores: let every reader of pair ``index`` know they have landed."""
    if const_expr(drained):
        memory.drain()
    gpu.barrier()
    if fx.thread_idx.x == 0:
        put(mail, box, index, fx.Int32(1))


def await_all(mail, box, count, lane, first=0):
    """Wait, as a wave, for the announcements ``first`` … ``first + count`` (count ≤ 64)."""
    index = fx.Int32(first) + fx.min(fx.Int32(lane), count - 1)
    return _poll(mail, [box], [index])


def failed(mail):
    """Whether a wait of this rank has given up (a uniform condition)."""
    return lanes.uniform(memory.load(mail.health, geometry.FAILED_WORD, 1, memory.SYSTEM)) != 0
