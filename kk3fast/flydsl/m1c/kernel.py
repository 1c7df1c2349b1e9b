"""M1c's kernel and launcher.

No ``from __future__ import annotations``: FlyDSL reads parameters' types as objects.
"""

from types import SimpleNamespace

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr.typing import Int32, Int64

from kk3fast.flydsl.device import lanes, mailbox
from kk3fast.flydsl.geometry import THREADS
from kk3fast.flydsl.m1.context import Context
from kk3fast.flydsl.m1c.stages import attend, merge, splits

_STREAM = fx.Stream(None)


def launcher(build):
    """The launcher of a build; every parameter is in its key."""
    key = build.key()
    regions = build.scratch()
    words = SimpleNamespace(**attend.lds_words(build))

    @fx.struct
    class Shared:
        tile: fx.Array[fx.Int32, words.tile, 16]
        query: fx.Array[fx.Int32, words.query, 16]
        there: fx.Array[fx.Int32, words.there, 16]
        scores: fx.Array[fx.Float32, words.scores, 16]
        high: fx.Array[fx.Int32, words.high, 16]
        low: fx.Array[fx.Int32, words.low, 16]
        factor: fx.Array[fx.Float32, words.factor, 16]

    @flyc.kernel(known_block_size=[THREADS, 1, 1], name=build.symbol)
    def kernel(
        query: Int64,
        kv_cache: Int64,
        page_stride: Int32,
        block_table: Int64,
        max_pages: Int32,
        table_stride: Int32,
        context_len: Int64,
        o_lat: Int64,
        scratch: Int64,
        epoch: Int64,
        slot: Int32,
        health: Int64,
        alarm: Int64,
    ):
        _ = key
        tid = fx.Int32(fx.thread_idx.x)
        lds = fx.SharedAllocator().allocate(Shared).peek()
        context = Context(
            build,
            {
                "query": query,
                "kv_cache": kv_cache,
                "page_stride": page_stride,
                "block_table": block_table,
                "max_pages": max_pages,
                "table_stride": table_stride,
                "context_len": context_len,
                "o_lat": o_lat,
                "partial": scratch + regions["partial"].offset,
                "softmax": scratch + regions["softmax"].offset,
            },
            mailbox.open_mail(epoch, slot, health, alarm),
            {"done": mailbox.scratch_box(scratch, regions["done"])},
            fx.Int32(fx.block_idx.x),
            tid,
            tid % 64,
            lanes.uniform(tid // 64),
            {name: getattr(lds, name).ptr for name in vars(words)},
        )
        cuts = splits.cuts(context)
        attend.attend(context, cuts)
        merge.merge(context, cuts)

    @flyc.jit
    def launch(
        query: Int64,
        kv_cache: Int64,
        page_stride: Int32,
        block_table: Int64,
        max_pages: Int32,
        table_stride: Int32,
        context_len: Int64,
        o_lat: Int64,
        scratch: Int64,
        epoch: Int64,
        slot: Int32,
        health: Int64,
        alarm: Int64,
        stream: fx.Stream = _STREAM,
    ):
        kernel(
            query,
            kv_cache,
            page_stride,
            block_table,
            max_pages,
            table_stride,
            context_len,
            o_lat,
            scratch,
            epoch,
            slot,
            health,
            alarm,
        ).launch(grid=build.grid, block=build.block, stream=stream)

    return launch
