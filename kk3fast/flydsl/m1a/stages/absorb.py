"""The query through W_UK, and its pe columns: a task a wave, from the mailbox to the stored query.

A task is 32 latent columns of a head; further tasks, one a head, store the pe columns. W_UK comes
by output columns, ``[h, c, nope]``, so that a lane's operand is contiguous.
"""

import flydsl.expr as fx
from flydsl.expr import const_expr, range_constexpr, rocdl
from flydsl.expr.typing import T

from kk3fast.flydsl.device import fp8, lanes, mailbox, maths, memory, mxfp4
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import WAVES

ROWS = 16
TILES = 2
COLUMNS = ROWS * TILES
"""latent columns of a task"""
STEP = 32


@traced
def absorb(c):
    """Every task of this wave: tasks are dealt to workgroups first, then to their waves."""
    b = c.build
    columns = b.heads * (b.latent // COLUMNS)
    count = columns + b.heads
    for i in range_constexpr(-(-count // (b.workgroups * WAVES))):
        task = c.workgroup + (c.wave + i * WAVES) * b.workgroups
        if task < columns:
            if const_expr(b.mxfp4):
                _columns_mxfp4(c, task)
            if const_expr(not b.mxfp4):
                _columns(c, task)
        if (task >= columns) & (task < count):
            _pe(c, task - columns)


def _columns(c, task):
    b, lane = c.build, c.lane
    head, first = task // (b.latent // COLUMNS), task % (b.latent // COLUMNS) * COLUMNS
    weights = [
        [
            memory.load(
                c.args["w_uk"],
                (task * COLUMNS + tile * ROWS + lane % ROWS) * (b.nope // 2)
                + s * (STEP // 2)
                + lane // ROWS * 4,
                4,
                memory.NONTEMPORAL,
            )
            for s in range(b.nope // STEP)
        ]
        for tile in range(TILES)
    ]
    row = fx.min(lane % ROWS, b.rows - 1)
    base = (row * b.q_rows + head * b.head_rows + lane // ROWS * 8) // 2
    indices = [base + s * (STEP // 2) + j for s in range(b.nope // STEP) for j in (0, 2)]
    words = mailbox.poll_runs(c.mail, c.boxes["q"], indices)
    for tile in range(TILES):
        accumulator = fx.Vector.filled(4, 0.0, fx.Float32)
        for s in range(b.nope // STEP):
            q = fx.Vector.from_elements(words[4 * s : 4 * s + 4], fx.Int32)
            operands = [weights[tile][s].bitcast(fx.BFloat16), q.bitcast(fx.BFloat16), accumulator]
            accumulator = fx.Vector(rocdl.mfma_f32_16x16x32_bf16(T.vec(4, T.f32), operands))
        _store_columns(c, head, first + tile * ROWS, accumulator)


def _columns_mxfp4(c, task):
    """A lane holds one block of 32 columns of its row's query: it quantises it by itself."""
    b, lane = c.build, c.lane
    head, first = task // (b.latent // COLUMNS), task % (b.latent // COLUMNS) * COLUMNS
    steps = mxfp4.steps(b.nope)
    weights = [
        [
            mxfp4.load_weights(c.args["w_uk"], task * TILES + tile, s, b.nope, lane)
            for s in range(steps)
        ]
        for tile in range(TILES)
    ]
    scales = [
        mxfp4.load_scales(c.args["w_uk_scales"], task, pair, b.nope, lane)
        for pair in range(-(-steps // mxfp4.TILE_STEPS))
    ]
    row = fx.min(lane % ROWS, b.rows - 1)
    accumulators = [fx.Vector.filled(4, 0.0, fx.Float32) for _ in range(TILES)]
    for s in range(steps):
        block = fx.min(s * 4 + lane // ROWS, b.nope // STEP - 1)  # past it weights are zero
        base = (row * b.q_rows + head * b.head_rows + block * STEP) // 2
        words = mailbox.poll_runs(c.mail, c.boxes["q"], [base + 2 * j for j in range(STEP // 4)])
        values = maths.bf16_values(words)
        code = mxfp4.scale_code(mxfp4.magnitude(values))
        packed = [mxfp4.encode(values[j : j + 8], code) for j in range(0, STEP, 8)]
        q = fx.Vector.from_elements(packed, fx.Int32)
        for tile in range(TILES):
            byte = s % mxfp4.TILE_STEPS * 2 + tile
            accumulators[tile] = mxfp4.multiply(
                weights[tile][s], scales[s // mxfp4.TILE_STEPS], byte, q, code, accumulators[tile]
            )
        _keep_codes(c, head, s * 4 + lane // ROWS, first == 0, q, code)
    for tile in range(TILES):
        _store_columns(c, head, first + tile * ROWS, accumulators[tile])


@traced
def _keep_codes(c, head, block, is_first, q, code):
    """The first task of a head leaves the quantised query where it can be checked."""
    b, row = c.build, c.lane % ROWS
    blocks = b.nope // STEP
    if is_first & (row < b.rows) & (block < blocks):
        at = (row * b.heads + head) * blocks + block
        memory.store(c.args["q_codes"], at * 4, q)
        memory.store(c.args["q_scales"], at, code)


@traced
def _store_columns(c, head, first, accumulator):
    """Result ``i`` of a lane: latent column ``first + 4·(lane // 16) + i``, row ``lane % 16``."""
    b, row = c.build, c.lane % ROWS
    column = first + c.lane // ROWS * 4
    values = [maths.round_bf16(accumulator[i]) for i in range(4)]
    if row < b.rows:
        words = [maths.pack_bf16(values[j], values[j + 1]) for j in (0, 2)]
        pair = fx.Vector.from_elements(words, fx.Int32)
        at = (row * b.heads + head) * b.latent + column
        memory.store(c.args["q_lat"], at // 2, pair)
        _store_query(c, row, head, column, values)


@traced
def _store_query(c, row, head, column, values):
    b = c.build
    at = (row * b.heads + head) * b.width + column
    if const_expr(b.fp8_query):
        memory.store(c.args["query"], at // 4, fp8.encode(values, b.query_scale))
    if const_expr(not b.fp8_query):
        words = [maths.pack_bf16(values[j], values[j + 1]) for j in (0, 2)]
        memory.store(c.args["query"], at // 2, fx.Vector.from_elements(words, fx.Int32))


@traced
def _pe(c, head):
    """The pe columns of every row of a head, 4 columns a lane and turn."""
    b = c.build
    each = b.pe // 4
    count = b.rows * each
    for i in range_constexpr(-(-count // lanes.WAVE)):
        unit = fx.Int32(c.lane) + i * lanes.WAVE
        here = fx.min(unit, count - 1)
        row, column = here // each, here % each * 4
        at = row * b.q_rows + head * b.head_rows + b.nope + column
        words = mailbox.poll_runs(c.mail, c.boxes["q"], [at // 2])
        if unit < count:
            _store_query(c, row, head, b.latent + column, maths.bf16_values(words))
