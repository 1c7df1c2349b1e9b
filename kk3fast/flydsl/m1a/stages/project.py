"""The fused projection: 16 rows a task. Latents go to the mailbox, the gate to memory for M1b.

The first tasks' weights are on their way before x is awaited. The first round is dealt backwards,
so that the workgroups that read rows of x are the ones without a task.
"""

from dataclasses import replace

import flydsl.expr as fx
from flydsl.expr import const_expr, gpu, range_constexpr

from kk3fast.flydsl.device import gemv, mailbox, maths, memory
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.m1a.stages.attn_read import await_x

AT_ONCE = 2
"""tasks whose partial sums share a barrier"""


def _task(c, i):
    w = c.build.workgroups
    return i * w + (w - 1 - c.workgroup if i % 2 == 0 else c.workgroup)


def _weights(c, i):
    b = c.build
    first = _task(c, i) * gemv.ROWS
    return gemv.load_weights(c.args["w_a"], first, b.a_rows, b.hidden, c.lane, c.wave)


@traced
def project(c):
    """Every task of this workgroup; one without any reads no x."""
    if _task(c, 0) < c.build.a_rows // gemv.ROWS:
        _run(c)


@traced
def _run(c):
    b = c.build
    count = -(-(b.a_rows // gemv.ROWS) // b.workgroups)
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
        gpu.barrier()
        _hand_over(c, first, len(here))
        gpu.barrier()


@traced
def _hand_over(c, first, count):
    """Four projection rows of a step's row a thread: sum, round, two words."""
    b = c.build
    quads = gemv.ROWS // 4
    each = quads * b.rows
    mail = c.mail
    if const_expr(c.planted("proj_stale_tag")):
        mail = replace(mail, tag=mail.tag - 256)
    for j in range_constexpr(count):
        local = c.tid - j * each
        task = _task(c, first + j)
        if (local >= 0) & (local < each) & (task < b.a_rows // gemv.ROWS):
            t, quad = local // quads, local % quads
            values = [gemv.result(c.lds["partial"], j, quad * 4 + i, t) for i in range(4)]
            words = [maths.pack_bf16(values[i], values[i + 1]) for i in (0, 2)]
            row = task * gemv.ROWS + quad * 4
            if row < b.handed_rows:
                mailbox.put(mail, c.boxes["proj"], fx.Int32((t * b.handed_rows + row) // 2), *words)
            if row >= b.handed_rows:
                at = (t * b.value_cols + row - b.handed_rows) // 2
                memory.store(c.args["gate"], at, fx.Vector.from_elements(words, fx.Int32))
