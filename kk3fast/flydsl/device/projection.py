"""A fused projection of x: 16 weight rows a task, two tasks at a time, handed over as bf16 pairs.

The first tasks' weights are on their way before x is awaited, and x stays in registers over all
tasks of the workgroup.
"""

from dataclasses import replace

import flydsl.expr as fx
from flydsl.expr import const_expr, gpu, range_constexpr

from kk3fast.flydsl.device import gemv, maths
from kk3fast.flydsl.device.tracing import traced

AT_ONCE = 2
"""tasks whose partial sums share a barrier"""
LDS_WORDS = AT_ONCE * gemv.PARTIAL_WORDS
"""fp32 words of LDS, under the name ``partial``"""


@traced
def project(c, weight, rows, task, ready, give):
    """Every task of this workgroup.

    ``weight``: name of the bf16 ``[rows, hidden]`` argument. ``task(c, i)``: number of the
    workgroup's i-th task, which need not exist. ``ready(c)``: waits for x. ``give(c, mail, t, row,
    words)``: takes four weight rows from ``row`` of step row ``t`` as two words of bf16.
    """
    b = c.build
    count = -(-(rows // gemv.ROWS) // b.workgroups)
    weights = _weights(c, weight, rows, task(c, 0))
    ready(c)
    x = gemv.load_rows(c.args["x"], b.rows, b.hidden, c.lane, c.wave)
    for first in range_constexpr(0, count, AT_ONCE):
        here = range(first, min(first + AT_ONCE, count))
        for i in here:
            accumulator = gemv.multiply(weights, x)
            if const_expr(i + 1 < count):
                weights = _weights(c, weight, rows, task(c, i + 1))
            gemv.keep(c.lds["partial"], i - first, c.lane, c.wave, accumulator)
        if const_expr(not c.planted("missing_barrier")):
            gpu.barrier()
        _hand_over(c, [task(c, i) for i in here], rows, give)
        gpu.barrier()


def _weights(c, weight, rows, task):
    first = task * gemv.ROWS
    return gemv.load_weights(c.args[weight], first, rows, c.build.hidden, c.lane, c.wave)


@traced
def _hand_over(c, tasks, rows, give):
    """Four weight rows of a step's row a thread: sum, round, two words."""
    quads = gemv.ROWS // 4
    each = quads * c.build.rows
    mail = c.mail
    if const_expr(c.planted("proj_stale_tag")):
        mail = replace(mail, tag=mail.tag - 256)
    for j in range_constexpr(len(tasks)):
        local, task = c.tid - j * each, tasks[j]
        if (local >= 0) & (local < each) & (task < rows // gemv.ROWS):
            t, quad = local // quads, local % quads
            values = [gemv.result(c.lds["partial"], j, quad * 4 + i, t) for i in range(4)]
            words = [maths.pack_bf16(values[i], values[i + 1]) for i in (0, 2)]
            give(c, mail, fx.Int32(t), task * gemv.ROWS + quad * 4, words)
