"""The fused projection: latents go to the mailbox, the gate to memory for M1b.

The first round is dealt backwards, so that the workgroups that read rows of x are the ones without
a task.
"""

import flydsl.expr as fx

from kk3fast.flydsl.device import gemv, mailbox, memory, projection
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.m1a.stages.attn_read import await_x


@traced
def project(c):
    """Every task of this workgroup; one without any reads no x."""
    if _task(c, 0) < c.build.a_rows // gemv.ROWS:
        projection.project(c, "w_a", c.build.a_rows, _task, await_x, _give)


def _task(c, i):
    w = c.build.workgroups
    return i * w + (w - 1 - c.workgroup if i % 2 == 0 else c.workgroup)


@traced
def _give(c, mail, t, row, words):
    b = c.build
    if row < b.handed_rows:
        mailbox.put(mail, c.boxes["proj"], (t * b.handed_rows + row) // 2, *words)
    if row >= b.handed_rows:
        at = (t * b.value_cols + row - b.handed_rows) // 2
        memory.store(c.args["gate"], at, fx.Vector.from_elements(words, fx.Int32))
