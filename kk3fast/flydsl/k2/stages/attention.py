"""o_proj, its all-reduce, the prefix and the MLP's AttnRes read.

Every rank's partial rows go to every rank; a workgroup a row sums them in rank order, updates or
restarts the prefix, reads, and hands x over.
"""

import functools
from dataclasses import replace

import flydsl.expr as fx
from flydsl.expr import gpu, range_constexpr

from kk3fast.flydsl.device import attn_res, gemv8, mailbox, maths, memory, rank_sum
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS
from kk3fast.flydsl.k2.build import MAX_ROWS

AT_ONCE = 4
"""tasks whose partial sums share a barrier: 16 lanes each hand them over"""


def _group(c, i):
    """The workgroup's i-th task, 8 output rows: every second round is dealt backwards, so that
    the workgroups that read rows have no task of an odd last round."""
    w = c.build.workgroups
    backwards = fx.Int32(i) % 2 == 1
    return i * w + backwards.select(w - 1 - c.workgroup, c.workgroup)


def _step(c, i, step):
    b = c.build
    row = _group(c, i) * gemv8.ROWS + gemv8.weight_row(c.lane)
    return gemv8.load_step(c.args["w_o"], row, row < b.hidden, b.core, c.lane, c.wave, step)


def project(c):
    """Every o_proj task of this workgroup; bf16 partials to every rank."""
    b = c.build
    tasks = -(-(b.hidden // gemv8.ROWS) // b.workgroups)
    weights = [_step(c, 0, step) for step in range(gemv8.steps_a_wave(b.core))]
    core = gemv8.load_rows(c.args["core"], b.rows, b.core, c.lane, c.wave, memory.PLAIN)
    box = c.remote["attention"]
    if c.planted("partial_wrong_scope"):
        box = replace(box, policy=memory.DEVICE)
    for first in range(0, tasks, AT_ONCE):
        count, next_step = min(AT_ONCE, tasks - first), functools.partial(_step, c)
        weights = gemv8.products(
            c.lds["partial"], first, count, tasks, weights, next_step, core, c.lane, c.wave
        )
        gpu.barrier()
        _push(c, box, first, count)
        gpu.barrier()


@traced
def _push(c, box, first, count):
    """Wave ``w`` pushes to rank ``w``: four output rows of a step's row a lane."""
    b = c.build
    task, t, quad = c.lane // 16, c.lane % 16 // 2, c.lane % 2
    group = _group(c, first + task)
    live = (task < count) & (t < b.rows) & (group < b.hidden // gemv8.ROWS)
    if live & (c.wave < b.ranks):
        values = gemv8.result(c.lds["partial"], task, quad, t)
        words = [maths.pack_bf16(values[i], values[i + 1]) for i in (0, 2)]
        row = c.args["rank"] * MAX_ROWS + t
        mailbox.put(c.mail, box, row * (b.hidden // 2) + group * 4 + quad * 2, *words)


@traced
def read(c):
    """Rows of the step in turns over the workgroups; x is announced row by row."""
    b = c.build
    for i in range_constexpr(-(-b.rows // b.workgroups)):
        t = c.workgroup + i * b.workgroups
        if t < b.rows:
            _row(c, t)


def _row(c, t):
    b, args, tid = c.build, c.args, c.tid
    row = attn_res.Row(b.hidden, b.eps, b.eps)
    first = t * b.hidden
    bank = t * args["block_row_stride"]
    sources = [
        attn_res.load(row, args["blocks"], bank + s * args["block_stride"], tid)
        for s in range(b.blocks)
    ]
    prefix = None if b.reset else attn_res.load(row, args["prefix"], first, tid)
    attention = _all_reduced(c, row, t)
    prefix = attention if b.reset else attn_res.updated(prefix, attention)
    attn_res.store(row, args["prefix"], first, tid, prefix)
    weights = (args["mlp_norm"], args["mlp_query"], args["post_norm"])
    x = attn_res.read(row, [*sources, prefix], *weights, c.lds["sums"], tid, c.lane, c.wave)
    attn_res.store(row, args["x"], first, tid, x, memory.DEVICE)
    mailbox.announce(c.mail, c.boxes["x_ready"], t, drained=not c.planted("x_not_drained"))
    gpu.barrier()


def _all_reduced(c, row, t):
    """The attention output's row, as pieces."""
    b = c.build
    pairs = b.hidden // 2
    starts = []
    for i in range(row.pieces):
        piece = fx.min(c.tid + i * THREADS, b.hidden // attn_res.PIECE - 1)
        starts += [t * pairs + piece * 4, t * pairs + piece * 4 + 2]
    box = c.boxes["attention"]
    words = rank_sum.receive(c.mail, box, b.ranks, MAX_ROWS * pairs, starts, 2 * b.ranks)
    pieces = []
    for i in range(row.pieces):
        inside = attn_res.inside(row, c.tid, i)  # past the row a read wants zeros
        mine = [inside.select(word, fx.Int32(0)) for word in words[4 * i : 4 * i + 4]]
        pieces.append(fx.Vector.from_elements(mine, fx.Int32))
    return pieces


def await_x(c):
    """Wait, as a wave, for every row of x."""
    mailbox.await_all(c.mail, c.boxes["x_ready"], c.build.rows, fx.Int32(c.lane))
