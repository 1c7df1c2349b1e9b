"""The latent all-reduce and norm, the up projection on the rank's own columns, the output."""

import functools

import flydsl.expr as fx
from flydsl.expr import gpu, range_constexpr

from kk3fast.flydsl.device import gemv8, mailbox, maths, memory, rank_sum, workgroup
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS
from kk3fast.flydsl.k2.build import MAX_ROWS
from kk3fast.flydsl.k2.stages import shared_down


@traced
def norm_rows(c):
    """Rows of the step in turns over the workgroups."""
    b = c.build
    for i in range_constexpr(-(-b.rows // b.workgroups)):
        t = c.workgroup + i * b.workgroups
        if t < b.rows:
            _norm(c, t)


def _norm(c, t):
    """``bf16(lat·rsqrt(mean(lat²) + eps)·w)`` of a row's summed partials."""
    b = c.build
    runs = b.latent // rank_sum.RUN
    units = [c.tid + i * THREADS for i in range(-(-runs // THREADS))]
    there = [fx.min(unit, fx.Int32(runs - 1)) for unit in units]
    weights = [memory.load(c.args["latent_norm"], unit * 2, 2) for unit in there]
    starts, stride = [t * (b.latent // 2) + unit * 2 for unit in there], MAX_ROWS * b.latent // 2
    if c.planted("own_partial_only"):
        starts, stride = [start + c.args["rank"] * stride for start in starts], 0
    batch = 2 * b.ranks * len(units)
    words = rank_sum.receive(c.mail, c.boxes["routed"], b.ranks, stride, starts, batch)
    values = [maths.bf16_values(words[2 * i : 2 * i + 2]) for i in range(len(units))]
    square = fx.Float32(0.0)
    for unit, four in zip(units, values, strict=True):
        part = four[0] * four[0]
        for value in four[1:]:
            part = part + value * value
        square = square + (unit < runs).select(part, fx.Float32(0.0))
    total = workgroup.sums([square], c.lds["squares"], c.lane, c.wave)[0]
    scale = maths.rsqrt(total * (1.0 / b.latent) + b.eps)
    for unit, four, weight in zip(units, values, weights, strict=True):
        factors = maths.bf16_values([weight[0], weight[1]])
        normed = [v * scale * w for v, w in zip(four, factors, strict=True)]
        _hand_over(c, t, unit, runs, normed)
    gpu.barrier()


@traced
def _hand_over(c, t, unit, runs, normed):
    words = [maths.pack_bf16(normed[j], normed[j + 1]) for j in (0, 2)]
    if unit < runs:
        mailbox.put(c.mail, c.boxes["norm"], t * (c.build.latent // 2) + unit * 2, *words)


@traced
def up(c, hidden):
    """W_up and W_sd on the rank's own columns, dealt from the last workgroup on: the first ones
    norm rows. ``hidden``: the shared experts' rows, as ``shared_down.receive`` gives them."""
    b = c.build
    groups = b.up_rows // gemv8.ROWS
    for i in range_constexpr(-(-groups // b.workgroups)):
        group = i * b.workgroups + (b.workgroups - 1 - c.workgroup)
        if group < groups:
            _up(c, group, hidden)


def _step(c, name, row, depth, task, step):
    return gemv8.load_step(c.args[name], row, None, depth, c.lane, c.wave, step)


def _up(c, group, hidden):
    b = c.build
    row = group * gemv8.ROWS + gemv8.weight_row(c.lane)
    load_up = functools.partial(_step, c, "w_up", row, b.latent)
    load_sd = functools.partial(_step, c, "w_sd", c.args["rank"] * b.up_rows + row, b.shared)
    shared = [load_sd(0, step) for step in range(gemv8.steps_a_wave(b.shared))]
    weights = [load_up(0, step) for step in range(gemv8.steps_a_wave(b.latent))]
    lds, lane, wave = c.lds["partial"], c.lane, c.wave
    gemv8.products(lds, 0, 1, 1, shared, load_sd, hidden, lane, wave)
    normed = shared_down.rows_of(c, "norm", b.latent)
    gemv8.products(lds + gemv8.PARTIAL_WORDS, 0, 1, 1, weights, load_up, normed, lane, wave)
    gpu.barrier()
    _push(c, group)
    gpu.barrier()


@traced
def _push(c, group):
    b = c.build
    t, quad = c.lane // gemv8.QUADS, c.lane % gemv8.QUADS
    first = c.args["rank"] * b.up_rows
    if (t < b.rows) & (c.wave < b.ranks):
        shared, routed = (gemv8.result(c.lds["partial"], task, quad, t) for task in range(2))
        total = [maths.round_bf16(s) + r for s, r in zip(shared, routed, strict=True)]
        words = [maths.pack_bf16(total[j], total[j + 1]) for j in (0, 2)]
        shared_down.push_output(c, t, first + group * gemv8.ROWS + quad * 4, words)


@traced
def output(c):
    """Every workgroup sums its share of the output in rank order."""
    b = c.build
    runs = b.rows * (b.hidden // rank_sum.RUN)
    share = -(-runs // b.workgroups)
    for i in range_constexpr(-(-share // THREADS)):
        place = c.tid + i * THREADS
        run = c.workgroup * share + place
        if (place < share) & (run < runs):
            stride, batch = MAX_ROWS * b.hidden // 2, 2 * b.ranks
            box = c.boxes["output"]
            words = rank_sum.receive(c.mail, box, b.ranks, stride, [run * 2], batch)
            memory.store(c.args["out"], run * 2, fx.Vector.from_elements(words, fx.Int32))
