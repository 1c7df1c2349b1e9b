"""M1b's kernel and launcher.

No ``from __future__ import annotations``: FlyDSL reads parameters' types as objects.
"""

from types import SimpleNamespace

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr.typing import Int64

from kk3fast.flydsl.device import gemv, lanes
from kk3fast.flydsl.geometry import THREADS
from kk3fast.flydsl.m1.context import Context
from kk3fast.flydsl.m1b.stages import v_up

_STREAM = fx.Stream(None)


def launcher(build):
    """The launcher of a build; every parameter is in its key."""
    key = build.key()
    regions = build.scratch()
    words = SimpleNamespace(partial=gemv.PARTIAL_WORDS)

    @fx.struct
    class Shared:
        partial: fx.Array[fx.Float32, words.partial, 16]

    @flyc.kernel(known_block_size=[THREADS, 1, 1], name=build.symbol)
    def kernel(
        o_lat: Int64,
        w_uv: Int64,
        w_uv_scales: Int64,
        gate: Int64,
        core: Int64,
        scratch: Int64,
    ):
        _ = key
        tid = fx.Int32(fx.thread_idx.x)
        lds = fx.SharedAllocator().allocate(Shared).peek()
        context = Context(
            build,
            {
                "o_lat": o_lat,
                "w_uv": w_uv,
                "w_uv_scales": w_uv_scales,
                "gate": gate,
                "core": core,
                **{name: scratch + region.offset for name, region in regions.items()},
            },
            None,
            {},
            fx.Int32(fx.block_idx.x),
            tid,
            tid % 64,
            lanes.uniform(tid // 64),
            {name: getattr(lds, name).ptr for name in vars(words)},
        )
        v_up.v_up(context)

    @flyc.jit
    def launch(
        o_lat: Int64,
        w_uv: Int64,
        w_uv_scales: Int64,
        gate: Int64,
        core: Int64,
        scratch: Int64,
        stream: fx.Stream = _STREAM,
    ):
        kernel(
            o_lat,
            w_uv,
            w_uv_scales,
            gate,
            core,
            scratch,
        ).launch(grid=build.grid, block=build.block, stream=stream)

    return launch
