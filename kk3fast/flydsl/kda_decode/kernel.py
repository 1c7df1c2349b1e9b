"""The fused KDA decode's kernel: one head of one request a workgroup.

    threads 0 … 3·d   the convolution of a channel of q, k or v
    the next d        the decay of a key channel, the norm weight times the gate of a value row
    all               the delta rule on the head's d × d state, in registers
    the first wave    output norm and gate

Loads that depend on nothing are issued first, then those that need the request's slot; the state,
by far the most bytes, is under way while the convolution is computed. No workgroup waits for
another.
"""

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr import const_expr, gpu, range_constexpr
from flydsl.expr.typing import Int32, Int64

from kk3fast.flydsl.device import (
    delta_rule,
    gated_norm,
    kda_gates,
    lanes,
    maths,
    memory,
    qk_norm,
    short_conv,
)
from kk3fast.flydsl.geometry import THREADS, WAVE

_STREAM = fx.Stream(None)
COLUMNS = 8
"""key columns of a thread: sums over a state row take 16 lanes at most, one row of the wave"""


def make_launcher(build):
    """The ``@flyc.jit`` launcher of a ``KdaDecodeBuild``."""
    keyed = build.key()
    plant = build.plant
    heads, dim, channels = build.heads, build.head_dim, build.channels
    eps = build.eps
    bound = None if build.softplus_gate else build.lower_bound
    tile = delta_rule.Tile(dim, dim, COLUMNS)
    gate_row, beta_row = 3 * channels, 4 * channels + dim

    @fx.struct
    class Shared:
        vectors: fx.Array[fx.Float32, 8 * dim, 16]  # q, k, v, decay; 3 unused, factor of the norm
        outputs: fx.Array[fx.Float32, dim, 16]

    @flyc.kernel(name=build.symbol, known_block_size=[THREADS, 1, 1])
    def kda_decode(
        proj: Int64,
        proj_stride: Int32,
        g1: Int64,
        conv_w: Int64,
        conv_state: Int64,
        conv_slot_stride: Int32,
        conv_channel_stride: Int32,
        conv_entry_stride: Int32,
        recurrent_state: Int64,
        state_slot_stride: Int32,
        state_index: Int64,
        index_stride: Int32,
        a_log: Int64,
        dt_bias: Int64,
        norm_w: Int64,
        core: Int64,
        requests: Int32,
    ):
        _ = keyed
        tid = fx.Int32(fx.thread_idx.x)
        task = fx.Int32(fx.block_idx.x)
        request, head = task // heads, task % heads
        shared = fx.SharedAllocator().allocate(Shared).peek()
        vectors, outputs = shared.vectors.ptr, shared.outputs.ptr
        part, channel = tid // dim, head * dim + tid % dim
        convolves = tid < 3 * dim
        decays = (tid >= 3 * dim) & (tid < 4 * dim)
        finishes = tid < tile.lanes

        # What depends on nothing.
        slot = memory.load(state_index, request * index_stride)
        row = request * proj_stride
        at = part * channels + channel
        x = memory.load_bf16(proj, row + at, where=convolves)
        weights = short_conv.load_weights(conv_w, part, channel, channels, True, convolves)
        low_rank = memory.load_bf16(g1, request * channels + channel, where=decays)
        if const_expr(plant == "neighbour_bias"):
            bias = memory.load_f32(dt_bias, tid % dim, where=decays)
        else:
            bias = memory.load_f32(dt_bias, channel, where=decays)
        rate = memory.load_f32(a_log, head)
        beta = kda_gates.beta(memory.load_bf16(proj, row + (beta_row + head)))
        gate = memory.load_bf16(proj, row + (gate_row + channel), where=decays)
        norm = memory.load_f32(norm_w, tid % dim, where=decays)

        # What needs the slot.
        slot = lanes.uniform(slot)
        live = slot != (-1 if plant == "null_slot" else 0)
        window = short_conv.window(
            conv_state, slot, conv_slot_stride, conv_channel_stride, conv_entry_stride, live
        )
        history = short_conv.load_history(window, at, 1, convolves)
        words = fx.Int64(slot) * fx.Int64(state_slot_stride) + fx.Int64(head * (dim * dim))
        address = recurrent_state + words * 4
        state = delta_rule.load(tile, address, tid, live, memory.NONTEMPORAL)

        # All in every thread: in a branch of its own a value's loads would be moved there, behind
        # those of the state.
        conv = short_conv.convolve(history, weights, [x])[0]
        decay = kda_gates.decay(low_rank, bias, rate, bound)
        factor = gated_norm.factor(norm, gate)
        if tid < 4 * dim:
            fx.ptr_store(convolves.select(conv, decay), vectors + tid)
            fx.ptr_store(factor, vectors + (4 * dim + tid))
        kept = [*history[:1], *history[:2]] if plant == "stale_window" else history
        short_conv.store_window(window, at, kept, [x], convolves)
        if const_expr(plant != "no_barrier"):
            gpu.barrier()

        q, k, decay = (
            delta_rule.load_columns(tile, vectors, tid, first) for first in (0, dim, 3 * dim)
        )
        q = qk_norm.unit(q, tile.lanes, dim**-0.5)
        k = qk_norm.unit(k, tile.lanes)
        v = delta_rule.load_values(tile, vectors, tid, 2 * dim)
        o, state = delta_rule.step(tile, state, q, k, v, decay, beta)
        o = [maths.round_bf16(value) for value in o]
        delta_rule.keep_outputs(tile, outputs, tid, o)
        delta_rule.store(tile, address, tid, state, live, memory.NONTEMPORAL)
        gpu.barrier()

        if tid < WAVE:
            mine = delta_rule.load_columns(tile, outputs, tid)
            summed = tile.lanes // 2 if plant == "half_norm" else tile.lanes
            squares = gated_norm.square_sum(mine, summed)
            factors = delta_rule.load_columns(tile, vectors, tid, 7 * dim)
            y = gated_norm.scaled(mine, squares, factors, dim, eps)
            if finishes:
                for p in range_constexpr(tile.pieces):
                    first = request * channels + head * dim + delta_rule.column(tile, tid, p)
                    pairs = [maths.pack_bf16(y[j], y[j + 1]) for j in (4 * p, 4 * p + 2)]
                    memory.store(core, first // 2, fx.Vector.from_elements(pairs, fx.Int32))

    @flyc.jit
    def launch(
        proj: Int64,
        proj_stride: Int32,
        g1: Int64,
        conv_w: Int64,
        conv_state: Int64,
        conv_slot_stride: Int32,
        conv_channel_stride: Int32,
        conv_entry_stride: Int32,
        recurrent_state: Int64,
        state_slot_stride: Int32,
        state_index: Int64,
        index_stride: Int32,
        a_log: Int64,
        dt_bias: Int64,
        norm_w: Int64,
        core: Int64,
        requests: Int32,
        stream: fx.Stream = _STREAM,
    ):
        _ = keyed
        kda_decode(
            proj,
            proj_stride,
            g1,
            conv_w,
            conv_state,
            conv_slot_stride,
            conv_channel_stride,
            conv_entry_stride,
            recurrent_state,
            state_slot_stride,
            state_index,
            index_stride,
            a_log,
            dt_bias,
            norm_w,
            core,
            requests,
        ).launch(grid=(requests * heads, 1, 1), block=(THREADS, 1, 1), stream=stream)

    return launch
