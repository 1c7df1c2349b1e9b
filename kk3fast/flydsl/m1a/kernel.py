"""M1a's kernel and launcher.

No ``from __future__ import annotations``: FlyDSL reads parameters' types as objects.
"""

from types import SimpleNamespace

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr.typing import Int32, Int64

from kk3fast.flydsl.device import attn_res, gemv, lanes, mailbox
from kk3fast.flydsl.geometry import THREADS
from kk3fast.flydsl.m1.context import Context
from kk3fast.flydsl.m1a.stages import absorb, attn_read, cache, project, q_b

_STREAM = fx.Stream(None)


def launcher(build):
    """The launcher of a build; every parameter is in its key."""
    key = build.key()
    regions = build.scratch()
    boxes = [name for name, region in regions.items() if region.pairs]
    plain = [name for name, region in regions.items() if not region.pairs]
    words = SimpleNamespace(
        sums=attn_res.lds_words(build.blocks + 1),
        partial=project.AT_ONCE * gemv.PARTIAL_WORDS,
        q_c=q_b.lds_words(build),
    )

    @fx.struct
    class Shared:
        sums: fx.Array[fx.Float32, words.sums, 16]
        partial: fx.Array[fx.Float32, words.partial, 16]
        q_c: fx.Array[fx.Int32, words.q_c, 16]

    @flyc.kernel(known_block_size=[THREADS, 1, 1], name=build.symbol)
    def kernel(
        prefix: Int64,
        delta: Int64,
        blocks: Int64,
        block_row_stride: Int32,
        block_stride: Int32,
        attn_norm: Int64,
        attn_query: Int64,
        input_norm: Int64,
        w_a: Int64,
        q_norm: Int64,
        kv_norm: Int64,
        w_qb: Int64,
        w_uk: Int64,
        w_uk_scales: Int64,
        kv_cache: Int64,
        page_stride: Int32,
        block_table: Int64,
        max_pages: Int32,
        table_stride: Int32,
        context_len: Int64,
        query: Int64,
        gate: Int64,
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
                "prefix": prefix,
                "delta": delta,
                "blocks": blocks,
                "block_row_stride": block_row_stride,
                "block_stride": block_stride,
                "attn_norm": attn_norm,
                "attn_query": attn_query,
                "input_norm": input_norm,
                "w_a": w_a,
                "q_norm": q_norm,
                "kv_norm": kv_norm,
                "w_qb": w_qb,
                "w_uk": w_uk,
                "w_uk_scales": w_uk_scales,
                "kv_cache": kv_cache,
                "page_stride": page_stride,
                "block_table": block_table,
                "max_pages": max_pages,
                "table_stride": table_stride,
                "context_len": context_len,
                "query": query,
                "gate": gate,
                **{name: scratch + regions[name].offset for name in plain},
            },
            mailbox.open_mail(epoch, slot, health, alarm),
            {name: mailbox.scratch_box(scratch, regions[name]) for name in boxes},
            fx.Int32(fx.block_idx.x),
            tid,
            tid % 64,
            lanes.uniform(tid // 64),
            {name: getattr(lds, name).ptr for name in vars(words)},
        )
        attn_read.attn_read(context)
        project.project(context)
        q_b.project_query(context)
        cache.write_cache(context)
        absorb.absorb(context)

    @flyc.jit
    def launch(
        prefix: Int64,
        delta: Int64,
        blocks: Int64,
        block_row_stride: Int32,
        block_stride: Int32,
        attn_norm: Int64,
        attn_query: Int64,
        input_norm: Int64,
        w_a: Int64,
        q_norm: Int64,
        kv_norm: Int64,
        w_qb: Int64,
        w_uk: Int64,
        w_uk_scales: Int64,
        kv_cache: Int64,
        page_stride: Int32,
        block_table: Int64,
        max_pages: Int32,
        table_stride: Int32,
        context_len: Int64,
        query: Int64,
        gate: Int64,
        scratch: Int64,
        epoch: Int64,
        slot: Int32,
        health: Int64,
        alarm: Int64,
        stream: fx.Stream = _STREAM,
    ):
        kernel(
            prefix,
            delta,
            blocks,
            block_row_stride,
            block_stride,
            attn_norm,
            attn_query,
            input_norm,
            w_a,
            q_norm,
            kv_norm,
            w_qb,
            w_uk,
            w_uk_scales,
            kv_cache,
            page_stride,
            block_table,
            max_pages,
            table_stride,
            context_len,
            query,
            gate,
            scratch,
            epoch,
            slot,
            health,
            alarm,
        ).launch(grid=build.grid, block=build.block, stream=stream)

    return launch
