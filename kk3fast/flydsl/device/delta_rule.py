"""One row of the gated delta rule on state rows held in a workgroup's registers.

A thread holds 4 key columns of a value row: with ``n = head_dim / 4`` lanes a row, pass ``i`` of
thread ``t`` is value row ``t // n + i·(threads // n)`` of the workgroup's, columns
``4·(t % n)`` …. Threads past the workgroup's value rows hold zeros and store nothing.

Maths: ``kk3ref.kda.delta_step``.
"""

from dataclasses import dataclass

import flydsl.expr as fx
from flydsl.expr import range_constexpr

from kk3fast.flydsl.device import lanes, memory
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS

COLUMNS = 4
"""key columns of a thread"""


@dataclass(frozen=True)
class Tile:
    """The part of a head's state that a workgroup holds."""

    head_dim: int
    """key columns; a power of two from 32 to 256"""
    rows: int
    """value rows"""

    @property
    def lanes(self) -> int:
        """Lanes that share a value row."""
        return self.head_dim // COLUMNS

    @property
    def pass_rows(self) -> int:
        """Value rows of a pass."""
        return THREADS // self.lanes

    @property
    def passes(self) -> int:
        """Passes over the value rows: the registers a thread needs are 4 a pass."""
        return -(-self.rows // self.pass_rows)


def column(tile, tid):
    """First of the thread's key columns."""
    return tid % tile.lanes * COLUMNS


def row(tile, tid, i):
    """The thread's value row of pass ``i``; it may lie past the workgroup's."""
    return tid // tile.lanes + i * tile.pass_rows


def inside(tile, tid, i, where):
    """``where``, and whether the thread has a value row in pass ``i``."""
    if tile.pass_rows * (i + 1) <= tile.rows:
        return where
    return where & (row(tile, tid, i) < tile.rows)


def is_first(tile, tid):
    """Whether the thread is the first lane of its value rows."""
    return tid % tile.lanes == 0


def load(tile, address, tid, where, policy=memory.PLAIN):
    """The state ``[rows, head_dim]`` fp32 at an address (uniform): 4 Float32 a pass.

    Zeros where ``where`` (the request has a state) does not hold.
    """
    found = []
    for i in range(tile.passes):
        word = row(tile, tid, i) * tile.head_dim + column(tile, tid)
        words = memory.load(address, word, COLUMNS, policy, where=inside(tile, tid, i, where))
        values = words.bitcast(fx.Float32)
        found.append([values[j] for j in range(COLUMNS)])
    return found


@traced
def store(tile, address, tid, state, where, policy=memory.PLAIN):
    """Store the state where ``where`` (the request has a slot) holds."""
    for i in range_constexpr(tile.passes):
        if inside(tile, tid, i, where):
            word = row(tile, tid, i) * tile.head_dim + column(tile, tid)
            words = fx.Vector.from_elements(state[i], fx.Float32)
            memory.store(address, word, words.bitcast(fx.Int32), policy)


def _dot(tile, a, b):
    found = a[0] * b[0]
    for j in range(1, COLUMNS):
        found = found + a[j] * b[j]
    return lanes.total(found, tile.lanes)


def step(tile, state, q, k, v, decay, beta):
    """One row: ``S q`` of each pass (unrounded, in every lane of the value row), the next state.

    ``q``, ``k``, ``decay``: Float32 of the thread's key columns, q and k normalised. ``v``: Float32
    of its value row, one a pass. ``beta``: Float32 of the head.
    """
    outputs, after = [], []
    for part, value in zip(state, v, strict=True):
        decayed = [s * d for s, d in zip(part, decay, strict=True)]
        u = (value - _dot(tile, decayed, k)) * beta
        part = [s + u * c for s, c in zip(decayed, k, strict=True)]
        outputs.append(_dot(tile, part, q))
        after.append(part)
    return outputs, after


@traced
def keep_outputs(tile, lds, tid, values, row0=0):
    """Store a Float32 a value row to LDS words ``row0`` …; the caller puts a barrier after it."""
    for i in range_constexpr(tile.passes):
        if inside(tile, tid, i, is_first(tile, tid)):
            fx.ptr_store(values[i], lds + (row0 + row(tile, tid, i)))


def load_columns(tile, lds, tid, first=0):
    """The thread's key columns of a Float32 vector in LDS (16-byte aligned): a list of 4."""
    at = lds + (column(tile, tid) + first)
    found = fx.Vector(fx.ptr_load(at, result_type=fx.Float32x4))
    return [found[j] for j in range(COLUMNS)]


def load_values(tile, lds, tid, first=0):
    """The Float32 of the thread's value rows in LDS, one a pass; rows past the last read that."""
    return [
        fx.ptr_load(lds + (fx.min(row(tile, tid, i), tile.rows - 1) + first))
        for i in range(tile.passes)
    ]
