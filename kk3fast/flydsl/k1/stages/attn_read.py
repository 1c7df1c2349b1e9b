"""A workgroup a row: update the prefix, write the block, read, hand x over."""

import flydsl.expr as fx
from flydsl.expr import const_expr, range_constexpr

from kk3fast.flydsl.device import attn_res, mailbox, memory
from kk3fast.flydsl.device.tracing import traced


@traced
def attn_read(c):
    """Rows of the step in turns over the workgroups; ``x`` is announced row by row."""
    b = c.build
    for i in range_constexpr(-(-b.rows // b.workgroups)):
        t = c.workgroup + i * b.workgroups
        if t < b.rows:
            _row(c, t)


def _row(c, t):
    b, args, tid = c.build, c.args, c.tid
    row = attn_res.Row(b.hidden, b.eps, b.out_eps)
    first = t * b.hidden
    bank = t * args["block_row_stride"]
    sources = [
        attn_res.load(row, args["blocks"], bank + s * args["block_stride"], tid)
        for s in range(b.blocks)
    ]
    prefix = attn_res.load(row, args["prefix"], first, tid)
    delta = attn_res.load(row, args["delta"], first, tid)
    prefix = attn_res.updated(prefix, delta)
    attn_res.store(row, args["prefix"], first, tid, prefix)
    if const_expr(b.write_index >= 0):
        at = bank + b.write_index * args["block_stride"]
        attn_res.store(row, args["blocks"], at, tid, prefix)
    weights = (args["attn_norm"], args["attn_query"], args["input_norm"])
    x = attn_res.read(row, [*sources, prefix], *weights, c.lds["sums"], tid, c.lane, c.wave)
    policy = memory.PLAIN if c.planted("x_wrong_scope") else memory.DEVICE
    attn_res.store(row, args["x"], first, tid, x, policy)
    drained = not c.planted("x_not_drained")
    mailbox.announce(c.mail, c.boxes["x_ready"], t, drained=drained)


def await_x(c):
    """Wait, as a wave, for every row of x."""
    if not c.planted("x_not_announced"):
        mailbox.await_all(c.mail, c.boxes["x_ready"], c.build.rows, fx.Int32(c.lane))
