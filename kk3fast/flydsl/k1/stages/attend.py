"""The delta rule of one head of one request, on a chunk of its value rows: a task a workgroup.

What needs no hand-off (state, conv window, weights) is on its way before the projection is
awaited. Query and key are convolved by every chunk of the head; the chunk that owns a channel
stores its new window, after the exchange of the output's squares has shown that all chunks have
read the old one.
"""

from dataclasses import dataclass
from typing import Any

import flydsl.expr as fx
from flydsl.expr import const_expr, gpu, range_constexpr, rocdl
from flydsl.expr.typing import T

from kk3fast.flydsl.device import (
    delta_rule,
    gated_norm,
    kda_gates,
    lanes,
    mailbox,
    maths,
    memory,
    qk_norm,
    short_conv,
)
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS

FA_PAD = 4
"""words between rows of f_a in LDS, so that rows start in different banks"""


@dataclass(frozen=True)
class Task:
    """One task: sizes known when the kernel is built, and where it is."""

    request: Any
    head: Any
    chunk: Any
    tile: delta_rule.Tile
    rows: int
    """rows the request brings"""
    dim: int
    values: int
    """value rows"""
    slots: Any
    """state slot of every row, uniform"""
    accepted: Any

    @property
    def convolved(self) -> int:
        """Channels the task convolves: the head's q and k, its own part of v."""
        return 2 * self.dim + self.values

    @property
    def row_words(self) -> int:
        """fp32 words of a row of inputs in LDS: what is convolved, then the output gate."""
        return self.convolved + self.values


def lds_words(build):
    """Words of LDS by name."""
    rows, dim, values = build.query_rows, build.head_dim, build.value_rows
    return {
        "inputs": rows * (2 * dim + 2 * values),
        "f_a": rows * (dim // 2 + FA_PAD),
        "decay": rows * dim,
        "beta": max(rows, 4),
        "o": rows * values,
    }


@traced
def attend(c):
    """Every task of this workgroup."""
    b = c.build
    count = b.requests * b.heads * b.chunks
    for i in range_constexpr(-(-count // b.workgroups)):
        number = c.workgroup + i * b.workgroups
        if number < count:
            _run(c, _task(c, number))
        if const_expr(count > b.workgroups):
            gpu.barrier()


def _task(c, number):
    b, args = c.build, c.args
    head_task, chunk = number // b.chunks, number % b.chunks
    request = head_task // b.heads
    at = request * args["state_index_stride"]
    slots = [
        lanes.uniform(memory.load(args["state_index"], at + j)) for j in range(b.query_rows)
    ]
    return Task(
        request,
        head_task % b.heads,
        chunk,
        delta_rule.Tile(b.head_dim, b.value_rows),
        b.query_rows,
        b.head_dim,
        b.value_rows,
        slots,
        lanes.uniform(memory.load(args["accepted"], request)),
    )


@traced
def _run(c, t):
    b, tid = c.build, c.tid
    state = _load_state(c, t)
    window, channel, history, weights, convolves = _load_window(c, t)
    w_fb, a_log, dt_bias = _load_gate(c, t)
    _receive(c, t)
    gpu.barrier()
    _decay(c, t, w_fb, a_log, dt_bias)
    local = fx.min(tid, t.convolved)  # threads without a channel read a gate, which nobody writes
    inputs = [fx.ptr_load(c.lds["inputs"] + (j * t.row_words + local)) for j in range(t.rows)]
    convolved = short_conv.convolve(history, weights, inputs)
    if convolves:
        for j in range_constexpr(t.rows):
            fx.ptr_store(convolved[j], c.lds["inputs"] + (j * t.row_words + tid))
    gpu.barrier()
    _normalise(c, t)
    gpu.barrier()
    _recur(c, t, state)
    gpu.barrier()
    _finish(c, t)
    if const_expr(b.chunks > 1):
        gpu.barrier()  # every chunk's squares have been seen: all have read the window
    short_conv.store_window(window, channel, history, inputs, convolves & _owns(t, tid))


def _state_address(c, t, slot):
    b, args = c.build, c.args
    first = (t.head * b.head_dim + t.chunk * t.values) * b.head_dim
    stride = fx.Int64(args["state_slot_stride"])
    return args["state"] + (fx.Int64(slot) * stride + fx.Int64(first)) * 4


def _load_state(c, t):
    start = t.slots[0]
    for j in range(1, t.rows):
        start = (t.accepted == j + 1).select(t.slots[j], start)
    return delta_rule.load(
        t.tile, _state_address(c, t, start), c.tid, start != 0, memory.NONTEMPORAL
    )


def _load_window(c, t):
    """The conv window, the thread's channel with its history and weights, whether it has one."""
    b, args, tid = c.build, c.args, c.tid
    convolves = tid < t.convolved
    part = fx.min(tid // t.dim, 2)
    within = tid - part * t.dim + (part == 2).select(t.chunk * t.values, fx.Int32(0))
    channel = t.head * t.dim + within
    window = short_conv.window(
        args["conv_state"],
        t.slots[0],
        args["conv_slot_stride"],
        args["conv_channel_stride"],
        args["conv_entry_stride"],
    )
    whole = part * b.channels + channel
    history = short_conv.load_history(window, whole, t.accepted, convolves)
    weights = short_conv.load_weights(
        args["conv_w"], part, channel, b.channels, False, convolves
    )
    return window, whole, history, weights, convolves


def _owns(t, tid):
    """Whether the thread's channel is this chunk's to store."""
    part = tid // t.dim
    within = tid - part * t.dim
    first = t.chunk * t.values
    return (part >= 2) | ((within >= first) & (within < first + t.values))


def _load_gate(c, t):
    """This wave's 16 rows of W_fb as matrix operands, A_log, and dt_bias of the lane's 4 rows."""
    args, lane, dim = c.args, c.lane, t.dim
    own = c.wave < dim // 16
    row = t.head * dim + c.wave * 16 + lane % 16
    operands = [
        memory.load(args["w_fb"], (row * dim + s * 32 + lane // 16 * 8) // 2, 4, where=own)
        for s in range(dim // 32)
    ]
    first = t.head * dim + c.wave * 16 + lane // 16 * 4
    bias = memory.load(args["dt_bias"], first, 4, where=own).bitcast(fx.Float32)
    return operands, memory.load_f32(args["a_log"], t.head), [bias[i] for i in range(4)]


def _source(c, t, e):
    """Row, run and first projection row of the 4-value run ``e`` of the task's inputs."""
    b = c.build
    inputs = t.row_words // 4
    each = inputs + t.dim // 4 + 1
    row, run = e // each, e % each
    head, own = t.head * t.dim, t.head * t.dim + t.chunk * t.values
    column = run * 4
    first = head + column
    first = (column >= t.dim).select(b.channels + head + column - t.dim, first)
    first = (column >= 2 * t.dim).select(2 * b.channels + own + column - 2 * t.dim, first)
    gate = b.first_gate + own + column - t.convolved
    first = (column >= t.convolved).select(gate, first)
    first = (run >= inputs).select(b.first_f_a + column - t.row_words, first)
    first = (run == each - 1).select(b.first_beta + t.head // 4 * 4, first)
    return row, run, first


@traced
def _receive(c, t):
    """The projections the task needs, from the mailbox to LDS."""
    b, tid = c.build, c.tid
    inputs = t.row_words // 4
    each = inputs + t.dim // 4 + 1
    count = t.rows * each
    turns = range(-(-count // THREADS))
    sources = [_source(c, t, fx.min(tid + THREADS * i, count - 1)) for i in turns]
    first_row = t.request * t.rows
    indices = [(first_row + row) * (b.in_rows // 2) + at // 2 for row, _, at in sources]
    words = mailbox.poll_runs(c.mail, c.boxes["proj"], indices)
    for i in range_constexpr(len(turns)):
        row, run, at = sources[i]
        pair = [words[2 * i], words[2 * i + 1]]
        if tid + THREADS * i < count:
            if run < inputs:
                values = fx.Vector.from_elements(maths.bf16_values(pair), fx.Float32)
                fx.ptr_store(values, c.lds["inputs"] + (row * t.row_words + run * 4))
            if (run >= inputs) & (run < each - 1):
                to = c.lds["f_a"] + (row * (t.dim // 2 + FA_PAD) + (run - inputs) * 2)
                fx.ptr_store(fx.Vector.from_elements(pair, fx.Int32), to)
            if run == each - 1:
                which = t.head % 4
                word = (which >= 2).select(pair[1], pair[0])
                b_value = (which % 2 == 1).select(maths.high_bf16(word), maths.low_bf16(word))
                fx.ptr_store(kda_gates.beta(b_value), c.lds["beta"] + row)


@traced
def _decay(c, t, w_fb, a_log, dt_bias):
    """The decay of every row and key channel: f_b on the matrix unit, a wave 16 channels."""
    b, lane, dim = c.build, c.lane, t.dim
    row = fx.min(lane % 16, t.rows - 1)
    accumulator = fx.Vector.filled(4, 0.0, fx.Float32)
    for s in range_constexpr(dim // 32):
        at = c.lds["f_a"] + (row * (dim // 2 + FA_PAD) + s * 16 + lane // 16 * 4)
        f_a = fx.Vector(fx.ptr_load(at, result_type=fx.Vector.make_type(4, fx.Int32)))
        operands = [w_fb[s].bitcast(fx.BFloat16), f_a.bitcast(fx.BFloat16), accumulator]
        accumulator = fx.Vector(rocdl.mfma_f32_16x16x32_bf16(T.vec(4, T.f32), operands))
    bound = b.lower_bound if b.safe_gate else None
    decay = [
        kda_gates.decay(maths.round_bf16(accumulator[i]), dt_bias[i], a_log, bound)
        for i in range(4)
    ]
    if (c.wave < dim // 16) & (lane % 16 < t.rows):
        to = c.lds["decay"] + (row * dim + c.wave * 16 + lane // 16 * 4)
        fx.ptr_store(fx.Vector.from_elements(decay, fx.Float32), to)


@traced
def _normalise(c, t):
    """q and k of every row to unit length, in place: ``dim / 4`` lanes a vector."""
    width = t.dim // 4
    groups = THREADS // width
    for i in range_constexpr(-(-2 * t.rows // groups)):
        vector = c.tid // width + i * groups
        # Waves past the last vector clamp to it for reading, and store nothing.
        row, which = fx.min(vector // 2, t.rows - 1), vector % 2
        at = c.lds["inputs"] + (row * t.row_words + which * t.dim + c.tid % width * 4)
        if vector < 2 * t.rows:
            found = fx.Vector(fx.ptr_load(at, result_type=fx.Float32x4))
            scale = (which == 0).select(fx.Float32(t.dim**-0.5), fx.Float32(1.0))
            unit = qk_norm.unit([found[j] for j in range(4)], width)
            unit = [value * scale for value in unit]
            fx.ptr_store(fx.Vector.from_elements(unit, fx.Float32), at)


@traced
def _recur(c, t, state):
    """The rows in turn: every row's state to its slot, its output to LDS."""
    tile, tid = t.tile, c.tid
    for j in range_constexpr(t.rows):
        first = j * t.row_words
        q = delta_rule.load_columns(tile, c.lds["inputs"], tid, first)
        k = delta_rule.load_columns(tile, c.lds["inputs"], tid, first + t.dim)
        v = delta_rule.load_values(tile, c.lds["inputs"], tid, first + 2 * t.dim)
        decay = delta_rule.load_columns(tile, c.lds["decay"], tid, j * t.dim)
        beta = fx.ptr_load(c.lds["beta"] + j)
        outputs, state = delta_rule.step(tile, state, q, k, v, decay, beta)
        slot = t.slots[j]
        delta_rule.store(
            tile, _state_address(c, t, slot), tid, state, slot != 0, memory.NONTEMPORAL
        )
        rounded = [maths.round_bf16(o) for o in outputs]
        delta_rule.keep_outputs(tile, c.lds["o"], tid, rounded, j * t.values)


@traced
def _finish(c, t):
    """The output norm over the head's chunks, and ``core``: 4 columns a thread."""
    b, args, tid = c.build, c.args, c.tid
    width = t.values // 4
    if tid < t.rows * width:
        row, column = tid // width, tid % width * 4
        found = fx.ptr_load(c.lds["o"] + (row * t.values + column), result_type=fx.Float32x4)
        found = fx.Vector(found)
        o = [found[j] for j in range(4)]
        squares = gated_norm.square_sum(o, width)
        step_row = t.request * t.rows + row
        if const_expr(b.chunks > 1):
            squares = _exchanged(c, t, step_row, squares, tid % width == 0)
        at = c.lds["inputs"] + (row * t.row_words + t.convolved + column)
        gates = fx.Vector(fx.ptr_load(at, result_type=fx.Float32x4))
        own = t.chunk * t.values + column
        words = memory.load(args["o_norm"], own // 2, 2)
        weight = maths.bf16_values([words[0], words[1]])
        gate = [gates[j] for j in range(4)]
        core = gated_norm.gated(o, squares, weight, gate, t.dim, b.norm_eps)
        packed = [maths.pack_bf16(core[0], core[1]), maths.pack_bf16(core[2], core[3])]
        index = (step_row * b.channels + t.head * t.dim + own) // 2
        memory.store(args["core"], index, fx.Vector.from_elements(packed, fx.Int32))


@traced
def _exchanged(c, t, step_row, squares, is_first):
    """The sum of squares over all chunks of the head, in chunk order."""
    b = c.build
    first = (step_row * b.heads + t.head) * b.chunks
    if is_first:
        mailbox.put(c.mail, c.boxes["o_square"], first + t.chunk, squares)
    indices = [first + i for i in range(0, b.chunks, 2)]
    parts = mailbox.poll_runs(c.mail, c.boxes["o_square"], indices)
    total = parts[0].bitcast(fx.Float32)
    for i in range_constexpr(1, b.chunks):
        total = total + parts[i].bitcast(fx.Float32)
    if const_expr(c.planted("norm_before_exchange")):
        total = squares
    return total
