"""K1's kernel and launcher.

No ``from __future__ import annotations``: FlyDSL reads parameters' types as objects.
"""

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr.typing import Int32, Int64

from kk3fast.flydsl.device import attn_res, gemv, lanes, mailbox
from kk3fast.flydsl.geometry import THREADS
from kk3fast.flydsl.k1.context import Context
from kk3fast.flydsl.k1.stages import attend, attn_read, project

_STREAM = fx.Stream(None)


def launcher(build):
    """The launcher of a build; every parameter is in its key."""
    key = build.key()
    scratch_layout = build.scratch()
    words = {
        "sums": attn_res.lds_words(build.blocks + 1),
        "partial": project.AT_ONCE * gemv.PARTIAL_WORDS,
        **attend.lds_words(build),
    }

    @fx.struct
    class Shared:
        sums: fx.Array[fx.Float32, words["sums"], 16]
        partial: fx.Array[fx.Float32, words["partial"], 16]
        inputs: fx.Array[fx.Float32, words["inputs"], 16]
        f_a: fx.Array[fx.Int32, words["f_a"], 16]
        decay: fx.Array[fx.Float32, words["decay"], 16]
        beta: fx.Array[fx.Float32, words["beta"], 16]
        o: fx.Array[fx.Float32, words["o"], 16]

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
        w_in: Int64,
        w_fb: Int64,
        conv_w: Int64,
        conv_state: Int64,
        conv_slot_stride: Int32,
        conv_channel_stride: Int32,
        conv_entry_stride: Int32,
        a_log: Int64,
        dt_bias: Int64,
        o_norm: Int64,
        state: Int64,
        state_slot_stride: Int32,
        state_index: Int64,
        state_index_stride: Int32,
        accepted: Int64,
        core: Int64,
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
                "w_in": w_in,
                "w_fb": w_fb,
                "conv_w": conv_w,
                "conv_state": conv_state,
                "conv_slot_stride": conv_slot_stride,
                "conv_channel_stride": conv_channel_stride,
                "conv_entry_stride": conv_entry_stride,
                "a_log": a_log,
                "dt_bias": dt_bias,
                "o_norm": o_norm,
                "state": state,
                "state_slot_stride": state_slot_stride,
                "state_index": state_index,
                "state_index_stride": state_index_stride,
                "accepted": accepted,
                "core": core,
                "x": scratch + scratch_layout["x"].offset,
            },
            mailbox.open_mail(epoch, slot, health, alarm),
            {
                name: mailbox.scratch_box(scratch, scratch_layout[name])
                for name in ("x_ready", "proj", "o_square")
            },
            fx.Int32(fx.block_idx.x),
            tid,
            tid % 64,
            lanes.uniform(tid // 64),
            {name: getattr(lds, name).ptr for name in words},
        )
        attn_read.attn_read(context)
        project.project(context)
        attend.attend(context)

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
        w_in: Int64,
        w_fb: Int64,
        conv_w: Int64,
        conv_state: Int64,
        conv_slot_stride: Int32,
        conv_channel_stride: Int32,
        conv_entry_stride: Int32,
        a_log: Int64,
        dt_bias: Int64,
        o_norm: Int64,
        state: Int64,
        state_slot_stride: Int32,
        state_index: Int64,
        state_index_stride: Int32,
        accepted: Int64,
        core: Int64,
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
            w_in,
            w_fb,
            conv_w,
            conv_state,
            conv_slot_stride,
            conv_channel_stride,
            conv_entry_stride,
            a_log,
            dt_bias,
            o_norm,
            state,
            state_slot_stride,
            state_index,
            state_index_stride,
            accepted,
            core,
            scratch,
            epoch,
            slot,
            health,
            alarm,
        ).launch(grid=build.grid, block=build.block, stream=stream)

    return launch
