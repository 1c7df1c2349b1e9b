"""One row of the gated delta rule on state rows held in a workgroup's registers.

A thread holds ``columns`` key columns of a value row, in pieces of 4. With
``n = head_dim / columns`` lanes a row, pass ``i`` of thread ``t`` is value row
``t // n + i·(threads // n)`` of the workgroup's, and piece ``p`` is columns ``4·(t % n + p·n)`` ….
Threads past the workgroup's value rows hold zeros and store nothing.

Maths: ``kk3ref.kda.delta_step``.
"""

from dataclasses import dataclass

import flydsl.expr as fx
from flydsl.expr import range_constexpr

from kk3fast.flydsl.device import lanes, memory
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS

PIECE = 4
"""key columns that lie side by side"""


@dataclass(frozen=True)
class Tile:
    """The part of a head's state that a workgroup holds."""

    head_dim: int
    """key columns; a power of two"""
    rows: int
    """value rows"""
    columns: int = PIECE
    """key columns of a thread, a multiple of 4: more make sums over lanes shorter"""

    @property
    def lanes(self) -> int:
        """Lanes that share a value row: a power of two up to 64."""
        return self.head_dim // self.columns

    @property
    def pieces(self) -> int:
        """Pieces of a thread's value row."""
        return self.columns // PIECE

    @property
    def pass_rows(self) -> int:
        """Value rows of a pass."""
        return THREADS // self.lanes

    @property
    def passes(self) -> int:
        """Passes over the value rows: a thread holds ``columns`` registers of each."""
        return -(-self.rows // self.pass_rows)


def column(tile, tid, piece=0):
    """First key column of a thread's piece."""
    return (tid % tile.lanes + piece * tile.lanes) * PIECE


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


def _words(tile, tid, i):
    """Where the thread's pieces of pass ``i`` lie in the state."""
    first = row(tile, tid, i) * tile.head_dim
    return [first + column(tile, tid, p) for p in range(tile.pieces)]


def load(tile, address, tid, where, policy=memory.PLAIN):
    """The state ``[rows, head_dim]`` fp32 at an address (uniform): ``columns`` Float32 a pass.

    Zeros where ``where`` (the request has a state) does not hold.
    """
    found = []
    for i in range(tile.passes):
        live, values = inside(tile, tid, i, where), []
        for word in _words(tile, tid, i):
            words = memory.load(address, word, PIECE, policy, where=live).bitcast(fx.Float32)
            values += [words[j] for j in range(PIECE)]
        found.append(values)
    return found


@traced
def store(tile, address, tid, state, where, policy=memory.PLAIN):
    """Store the state where ``where`` (the request has a slot) holds."""
    for i in range_constexpr(tile.passes):
        at = _words(tile, tid, i)
        if inside(tile, tid, i, where):
            for p in range_constexpr(tile.pieces):
                words = _piece(state[i], p).bitcast(fx.Int32)
                memory.store(address, at[p], words, policy)


def _piece(values, p):
    return fx.Vector.from_elements(values[PIECE * p : PIECE * (p + 1)], fx.Float32)


def _dot(tile, a, b):
    found = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        found = found + x * y
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
    """The thread's key columns of a Float32 vector in LDS (16-byte aligned): a list."""
    found = []
    for p in range(tile.pieces):
        piece = fx.ptr_load(lds + (column(tile, tid, p) + first), result_type=fx.Float32x4)
        found += [fx.Vector(piece)[j] for j in range(PIECE)]
    return found


def load_values(tile, lds, tid, first=0):
    """The Float32 of the thread's value rows in LDS, one a pass; rows past the last read that."""
    return [
        fx.ptr_load(lds + (fx.min(row(tile, tid, i), tile.rows - 1) + first))
        for i in range(tile.passes)
    ]
