"""K2's program: its LDS and its stages in order."""

import flydsl.expr as fx

from kk3fast.flydsl import program
from kk3fast.flydsl.device import attn_res, gemv8, workgroup
from kk3fast.flydsl.k2.stages import (
    attention,
    experts_down,
    experts_up,
    from_x,
    picks,
    routing,
    shared_down,
    tail,
)


def launcher(build):
    """The launcher of a build."""
    down = experts_down.lds_words(build)
    lds = {
        "sums": (fx.Float32, attn_res.lds_words(build.blocks + 1)),
        "partial": (fx.Float32, from_x.AT_ONCE * gemv8.PARTIAL_WORDS),
        "scores": (fx.Float32, build.experts),
        "best_keys": (fx.Int32, routing.best_words(build)),
        "best_ids": (fx.Int32, routing.best_words(build)),
        "ids": (fx.Int32, picks.PLACES),
        "weights": (fx.Float32, picks.PLACES),
        "firsts": (fx.Int32, picks.PLACES),
        "chosen": (fx.Int32, picks.PLACES),
        "latent": (fx.Int32, build.rows * experts_up.row_stride(build)),
        "up": (fx.Float32, 2 * experts_up.PARTIAL_WORDS),
        "hidden": (fx.Int32, down["hidden"]),
        "hidden_scales": (fx.Int32, down["hidden_scales"]),
        "down": (fx.Float32, down["down"]),
        "folded": (fx.Int32, down["folded"]),
        "squares": (fx.Float32, workgroup.sum_words(1)),
    }
    return program.launcher(build, lds, _run)


def _run(c):
    attention.project(c)
    attention.read(c)
    from_x.project(c)
    routing.rows(c)
    experts_up.receive(c)
    chosen = picks.receive(c)
    experts_up.run(c, chosen)
    hidden = shared_down.receive(c)
    shared_down.others(c, hidden)
    experts_down.run(c)
    tail.norm_rows(c)
    tail.up(c, hidden)
    tail.output(c)
