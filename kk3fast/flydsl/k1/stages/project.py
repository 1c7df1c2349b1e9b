"""in_proj: q | k | v | g | f_a | beta to the mailbox.

Every second round of tasks is dealt backwards, so that the workgroups that read rows have one task
fewer.
"""

from kk3fast.flydsl.device import mailbox, projection
from kk3fast.flydsl.k1.stages.attn_read import await_x


def project(c):
    """Every task of this workgroup."""
    projection.project(c, "w_in", c.build.in_rows, _task, await_x, _give)


def _task(c, i):
    w = c.build.workgroups
    return i * w + (c.workgroup if i % 2 == 0 else w - 1 - c.workgroup)


def _give(c, mail, t, row, words):
    index = t * (c.build.in_rows // 2) + row // 2
    mailbox.put(mail, c.boxes["proj"], index, *words)
