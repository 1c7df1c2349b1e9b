"""in_proj: 16 projection rows a task, two tasks at a time; bf16 pairs to the mailbox.

The first tasks' weights are on their way before x is awaited. Every second round of tasks is dealt
backwards, so that the workgroups that read rows have one task fewer.
"""

from dataclasses import replace

import flydsl.expr as fx
from flydsl.expr import const_expr, gpu, range_constexpr

from kk3fast.flydsl.device import gemv, mailbox, maths
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.k1.stages.attn_read import await_x

AT_ONCE = 2
"""tasks whose partial sums share a barrier"""


def rounds(build):
    """Rounds of a task a workgroup."""
    return -(-(build.in_rows // gemv.ROWS) // build.workgroups)


def _task(c, i):
    w = c.build.workgroups
    return i * w + (c.workgroup if i % 2 == 0 else w - 1 - c.workgroup)


def _weights(c, i):
    b = c.build
    return gemv.load_weights(
        c.args["w_in"], _task(c, i) * gemv.ROWS, b.in_rows, b.hidden, c.lane, c.wave
    )


@traced
def project(c):
    """Every task of this workgroup."""
    b = c.build
    count = rounds(b)
    weights = _weights(c, 0)
    await_x(c)
    x = gemv.load_rows(c.args["x"], b.rows, b.hidden, c.lane, c.wave)
    for first in range_constexpr(0, count, AT_ONCE):
        here = range(first, min(first + AT_ONCE, count))
        for i in here:
            accumulator = gemv.multiply(weights, x)
            if const_expr(i + 1 < count):
                weights = _weights(c, i + 1)
            gemv.keep(c.lds["partial"], i - first, c.lane, c.wave, accumulator)
        if const_expr(not c.planted("missing_barrier")):
            gpu.barrier()
        _hand_over(c, first, len(here))
        gpu.barrier()


@traced
def _hand_over(c, first, count):
    """Four projection rows of a step's row a thread: sum, round, two words to the mailbox."""
    b = c.build
    quads = gemv.ROWS // 4
    each = quads * b.rows
    mail = c.mail
    if const_expr(c.planted("proj_stale_tag")):
        mail = replace(mail, tag=mail.tag - 256)
    for j in range_constexpr(count):
        local = c.tid - j * each
        task = _task(c, first + j)
        if (local >= 0) & (local < each) & (task < b.in_rows // gemv.ROWS):
            t, quad = local // quads, local % quads
            values = [gemv.result(c.lds["partial"], j, quad * 4 + i, t) for i in range(4)]
            words = [maths.pack_bf16(values[i], values[i + 1]) for i in (0, 2)]
            index = t * (b.in_rows // 2) + task * (gemv.ROWS // 2) + quad * 2
            mailbox.put(mail, c.boxes["proj"], fx.Int32(index), *words)
