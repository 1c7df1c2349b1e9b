"""M1a's program: its LDS and its stages in order."""

import flydsl.expr as fx

from kk3fast.flydsl import program
from kk3fast.flydsl.device import attn_res, projection
from kk3fast.flydsl.m1a.stages import absorb, attn_read, cache, project, q_b


def launcher(build):
    """The launcher of a build."""
    lds = {
        "sums": (fx.Float32, attn_res.lds_words(build.blocks + 1)),
        "partial": (fx.Float32, projection.LDS_WORDS),
        "q_c": (fx.Int32, q_b.lds_words(build)),
    }
    return program.launcher(build, lds, _run)


def _run(context):
    attn_read.attn_read(context)
    project.project(context)
    q_b.project_query(context)
    cache.write_cache(context)
    absorb.absorb(context)
