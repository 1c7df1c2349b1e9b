"""Experts, first half: 32 columns of gate and up of a chosen expert a task, SiTU, MXFP4.

All rows' latents are in LDS and all are multiplied: the matrix unit has columns to spare, and an
expert that several rows picked is read once. Waves 0 … 3 take the first half of the depth, 4 … 7
the second; of each, two waves take gate rows and two up rows.
"""

import flydsl.expr as fx
from flydsl.expr import const_expr, gpu, range_constexpr

from kk3fast.flydsl.device import lanes, mailbox, mxfp4, situ
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS, WAVE, WAVES
from kk3fast.flydsl.k2.build import BLOCK, HIDDEN_PAIRS

PARTIAL_WORDS = WAVES * WAVE * 4
_WORDS = fx.Vector.make_type


def row_stride(build):
    """Words between rows of latents in LDS: a multiple of 4, and rows in different banks."""
    return -(-build.row_words // 32) * 32 + 4


def _steps(b):
    """Depth steps of half the waves, an even number: a word of scales covers two."""
    return 2 * -(-(b.latent // mxfp4.STEP) // 4)


@traced
def receive(c):
    """Wait for every row's quantised latent and keep it in LDS; the caller has the barrier."""
    b = c.build
    each = b.row_words // 2
    units = [c.tid + i * THREADS for i in range(-(-b.rows * each // THREADS))]
    there = [fx.min(unit, fx.Int32(b.rows * each - 1)) * 2 for unit in units]
    words = mailbox.poll_runs(c.mail, c.boxes["latent_mx"], there)
    for i in range_constexpr(len(units)):
        row, at = units[i] // each, units[i] % each * 2
        pair = fx.Vector.from_elements(words[2 * i : 2 * i + 2], fx.Int32)
        if row < b.rows:
            fx.ptr_store(pair, c.lds["latent"] + (row * row_stride(b) + at))


def _place(c, number, total):
    """Expert and chunk of a task (uniform), and whether there is such a task."""
    chunks = c.build.routed // BLOCK
    safe = fx.min(number, total - 1)
    expert = lanes.uniform(fx.ptr_load(c.lds["chosen"] + safe // chunks))
    return expert, safe % chunks, number < total


def _weights(c, expert, chunk, live, i):
    b = c.build
    step = c.wave // 4 * _steps(b) + i
    address = c.args["w13"] + fx.Int64(expert) * b.expert_bytes["w13"]
    group = (c.wave % 4 // 2 * b.routed + chunk * BLOCK) // mxfp4.GROUP + c.wave % 2
    return mxfp4.load_weights(address, group, step, b.latent, c.lane, where=live)


def _scales(c, expert, chunk, live, j):
    """Scales of steps ``2·j`` and ``2·j + 1``, this wave's in bytes 0 and 2."""
    b = c.build
    address = c.args["w13_scales"] + fx.Int64(expert) * b.expert_bytes["w13_scales"]
    tile = (c.wave % 4 // 2 * b.routed + chunk * BLOCK) // mxfp4.TILE_ROWS
    pair = c.wave // 4 * (_steps(b) // 2) + j
    word = mxfp4.load_scales(address, tile, pair, b.latent, c.lane, where=live)
    return word >> (c.wave % 2 * 8)


@traced
def run(c, chosen):
    """Every task of this workgroup, for ``chosen`` experts."""
    b = c.build
    total = chosen * (b.routed // BLOCK)
    expert, chunk, live = _place(c, c.workgroup, total)
    weights = [_weights(c, expert, chunk, live, i) for i in range(_steps(b))]
    scales = [_scales(c, expert, chunk, live, j) for j in range(_steps(b) // 2)]
    buffer = fx.Int32(0)
    no_barrier = c.planted("missing_barrier")
    for number in range(c.workgroup, total, fx.Int32(b.workgroups)):
        following = _place(c, fx.Int32(number) + b.workgroups, total)
        accumulator, weights, scales = _multiply(c, weights, scales, *following)
        at = buffer * PARTIAL_WORDS + (c.wave * WAVE + c.lane) * 4
        fx.ptr_store(accumulator, c.lds["up"] + at)
        if const_expr(not no_barrier):
            gpu.barrier()
        _activate(c, buffer, expert, chunk)
        expert, chunk = following[0], following[1]
        buffer = 1 - buffer
    gpu.barrier()


def _multiply(c, weights, scales, *following):
    """One task's products; the next task's weights are loaded as registers get free."""
    b = c.build
    accumulator = fx.Vector.filled(4, 0.0, fx.Float32)
    row = fx.min(c.lane % 16, fx.Int32(b.rows - 1)) * row_stride(b)
    more, more_scales = [], []
    for i in range(_steps(b)):
        step = fx.min(c.wave // 4 * _steps(b) + i, fx.Int32(b.latent // mxfp4.STEP - 1))
        at = c.lds["latent"] + (row + step * 16 + c.lane // 16 * 4)
        codes = fx.Vector(fx.ptr_load(at, result_type=_WORDS(4, fx.Int32)))
        code = fx.ptr_load(c.lds["latent"] + (row + b.latent // 8 + step))
        code = code >> (c.lane // 16 * 8)
        accumulator = mxfp4.multiply(
            weights[i], scales[i // 2], 2 * (i % 2), codes, code, accumulator
        )
        more.append(_weights(c, *following, i))
        if i % 2:
            more_scales.append(_scales(c, *following, i // 2))
    return accumulator, more, more_scales


def _either(a, b):
    return a | b


def _sum(c, buffer, column, up, t):
    """Two columns' values of a row, both halves of the depth."""
    kind = _WORDS(2, fx.Float32)
    parts = []
    for half in range(2):
        wave = half * 4 + up * 2 + column // 16
        at = buffer * PARTIAL_WORDS + (wave * WAVE + column % 16 // 4 * 16 + t) * 4 + column % 4
        parts.append(fx.Vector(fx.ptr_load(c.lds["up"] + at, result_type=kind)))
    return [parts[0][i] + parts[1][i] for i in range(2)]


@traced
def _activate(c, buffer, expert, chunk):
    """SiTU and quantisation: 16 threads a row, two columns each; to the rows that picked."""
    b = c.build
    t, place = c.tid // 16, c.tid % 16
    if c.tid < b.rows * 16:
        gate, up = (_sum(c, buffer, place * 2, half, t) for half in range(2))
        values = [situ.situ(g, u, b.beta, b.linear_beta) for g, u in zip(gate, up, strict=True)]
        code = mxfp4.scale_code(lanes.combine(mxfp4.magnitude(values), 16, fx.max))
        pair = mxfp4.encode_pair(values, code)
        word = lanes.combine(pair << (place % 4 * 8), 4, _either)
        pick = _pick_of(c, t, expert)
        blocks = b.routed // BLOCK
        at = ((t * b.picks + pick) * blocks + chunk) * HIDDEN_PAIRS
        if (pick >= 0) & (place % 4 == 0):
            mailbox.put(c.mail, c.boxes["hidden_mx"], at + place // 4, word)
        if (pick >= 0) & (place == 1):
            mailbox.put(c.mail, c.boxes["hidden_mx"], at + 4, code, fx.Int32(0))


def _pick_of(c, t, expert):
    """Which of a row's picks an expert is; -1: none."""
    pick = fx.Int32(-1)
    for k in range(0, c.build.picks, 4):
        at = c.lds["ids"] + (t * c.build.picks + k)
        ids = fx.Vector(fx.ptr_load(at, result_type=_WORDS(4, fx.Int32)))
        for j in range(4):
            pick = (ids[j] == expert).select(fx.Int32(k + j), pick)
    return pick
