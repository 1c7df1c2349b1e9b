"""M1b's program: its LDS and its one stage."""

import flydsl.expr as fx

from kk3fast.flydsl import program
from kk3fast.flydsl.device import gemv
from kk3fast.flydsl.m1b.stages import v_up


def launcher(build):
    """The launcher of a build."""
    return program.launcher(build, {"partial": (fx.Float32, gemv.PARTIAL_WORDS)}, v_up.v_up)
