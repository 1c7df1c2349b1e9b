"""M1c's program: its LDS and its stages in order."""

import flydsl.expr as fx

from kk3fast.flydsl import program
from kk3fast.flydsl.m1c.stages import attend, merge, splits

_FLOATS = ("scores", "factor")


def launcher(build):
    """The launcher of a build."""
    words = attend.lds_words(build)
    lds = {n: (fx.Float32 if n in _FLOATS else fx.Int32, count) for n, count in words.items()}
    return program.launcher(build, lds, _run)


def _run(context):
    cuts = splits.cuts(context)
    attend.attend(context, cuts)
    merge.merge(context, cuts)
