"""K1's program: its LDS and its stages in order."""

import flydsl.expr as fx

from kk3fast.flydsl import program
from kk3fast.flydsl.device import attn_res, projection
from kk3fast.flydsl.k1.stages import attend, attn_read, project


def launcher(build):
    """The launcher of a build."""
    words = attend.lds_words(build)
    lds = {
        "sums": (fx.Float32, attn_res.lds_words(build.blocks + 1)),
        "partial": (fx.Float32, projection.LDS_WORDS),
        "inputs": (fx.Float32, words["inputs"]),
        "f_a": (fx.Int32, words["f_a"]),
        "decay": (fx.Float32, words["decay"]),
        "beta": (fx.Float32, words["beta"]),
        "o": (fx.Float32, words["o"]),
    }
    return program.launcher(build, lds, _run)


def _run(context):
    attn_read.attn_read(context)
    project.project(context)
    attend.attend(context)
