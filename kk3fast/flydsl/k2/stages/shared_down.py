"""Shared experts, second half: W_sd, the columns that other ranks own.

They are this rank's whole part of those columns, so they are pushed at once. The own columns are
added to the up projection (``tail``).
"""

import functools

import flydsl.expr as fx
from flydsl.expr import gpu

from kk3fast.flydsl.device import gemv8, mailbox, maths
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.k2.build import MAX_ROWS

AT_ONCE = 4


def receive(c):
    """Wait for the shared experts' hidden rows: this wave's steps as matrix operands."""
    return rows_of(c, "shared", c.build.shared)


def rows_of(c, name, depth):
    """This wave's steps of the ``[rows, depth]`` bf16 rows of a mailbox region.

    Lanes that have no row or column of their own take the last: nothing of theirs is used, or it
    meets weights that are zero.
    """
    b = c.build
    row = fx.min(gemv8.activation_row(c.lane), fx.Int32(b.rows - 1)) * (depth // 2)
    indices = []
    for i in range(gemv8.steps_a_wave(depth)):
        column = fx.min(gemv8.column(c.lane, c.wave, depth, i), fx.Int32(depth - 8))
        indices += [row + column // 2, row + column // 2 + 2]
    words = mailbox.poll_runs(c.mail, c.boxes[name], indices, 2 * len(indices))
    return [
        fx.Vector.from_elements(words[4 * i : 4 * i + 4], fx.Int32) for i in range(len(words) // 4)
    ]


def _group(c, i):
    """The i-th group of 8 columns of this workgroup, counted from the rank's own columns."""
    b = c.build
    own = b.up_rows // gemv8.ROWS
    number = own + i * b.workgroups + c.workgroup
    groups = b.hidden // gemv8.ROWS
    return (c.args["rank"] * own + number) % groups, number < groups


def _step(c, i, step):
    b = c.build
    group, live = _group(c, i)
    row = group * gemv8.ROWS + gemv8.weight_row(c.lane)
    return gemv8.load_step(c.args["w_sd"], row, live, b.shared, c.lane, c.wave, step)


def others(c, hidden):
    """Every group of other ranks' columns of this workgroup."""
    b = c.build
    tasks = -(-((b.hidden - b.up_rows) // gemv8.ROWS) // b.workgroups)
    weights = [_step(c, 0, step) for step in range(len(hidden))]
    for first in range(0, tasks, AT_ONCE):
        count, next_step = min(AT_ONCE, tasks - first), functools.partial(_step, c)
        weights = gemv8.products(
            c.lds["partial"], first, count, tasks, weights, next_step, hidden, c.lane, c.wave
        )
        gpu.barrier()
        _push(c, first, count)
        gpu.barrier()


@traced
def _push(c, first, count):
    b = c.build
    task, t, quad = c.lane // 16, c.lane % 16 // 2, c.lane % 2
    group, live = _group(c, first + task)
    if live & (task < count) & (t < b.rows) & (c.wave < b.ranks):
        values = gemv8.result(c.lds["partial"], task, quad, t)
        words = [maths.pack_bf16(values[i], values[i + 1]) for i in (0, 2)]
        push_output(c, t, group * gemv8.ROWS + quad * 4, words)


def push_output(c, t, column, words):
    """Four columns of a row of the rank's part of the output, to the wave's rank."""
    b = c.build
    at = (c.args["rank"] * MAX_ROWS + t) * (b.hidden // 2) + column // 2
    mailbox.put(c.mail, c.remote["output"], at, *words)
