"""A tile of 64 cache rows: from its pages to LDS, then as matrix operands.

A wave loads 8 rows, which lie in one page: the page's address is 64-bit and uniform, offsets in it
are 32-bit. Rows past the context's end or on the null page read as zero and touch no memory; the
LDS array ``there`` says which rows there are.

LDS holds fp8 as it is stored if the query is fp8 too, else bf16.
"""

from dataclasses import dataclass
from typing import Any

import flydsl.expr as fx
from flydsl.expr import range_constexpr

from kk3fast.flydsl.device import fp8, lanes, maths, memory
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.m1c.build import TILE, WAVE_ROWS

CHUNK = 16
"""bytes a load"""
LANES_A_ROW = lanes.WAVE // WAVE_ROWS
STEP = 32
"""depth of a matrix step"""


@dataclass(frozen=True)
class Layout:
    """Sizes in LDS, known when the kernel is built."""

    fp8: bool
    steps: int
    """depth steps of a row"""
    row_words: int
    """words between rows: a little more than a row has, so that rows start in different banks"""


def layout(build):
    """Of a build's tiles and queries."""
    steps = -(-build.width // STEP)
    size = 1 if build.fp8_query else 2
    return Layout(build.fp8_query, steps, steps * STEP * size // 4 + (2 if size == 1 else 4))


@dataclass(frozen=True)
class Span:
    """What a task reads of a request: uniform."""

    request: Any
    end: Any
    """rows of the context after the step"""
    last: Any
    """tile after the span's last"""


def page_of(c, span, tile):
    """The page of this wave's rows of a tile; 0 for the null page and past the span."""
    b, args = c.build, c.args
    position = tile * TILE + c.wave * WAVE_ROWS
    column = position // b.page_size
    live = (tile < span.last) & (position < span.end) & (column < args["max_pages"])
    at = span.request * args["table_stride"] + column
    word = memory.load(args["block_table"], at, 1, where=live & (c.lane == 0))
    return lanes.uniform(word)


def load(c, span, tile, page):
    """This lane's chunks of its row: 4-word vectors."""
    b, lane = c.build, c.lane
    size = 1 if b.fp8_cache else 2
    chunks = b.width * size // CHUNK
    if c.planted("offset_32_bits"):
        base = fx.Int64(page * c.args["page_stride"] * size)
    else:
        base = fx.Int64(page) * fx.Int64(c.args["page_stride"]) * size
    base = c.args["kv_cache"] + base
    position = tile * TILE + c.wave * WAVE_ROWS + lane // LANES_A_ROW
    live = (page != 0) & (position < span.end)
    first = position % b.page_size * (b.width * size // 4)
    policy = memory.NONTEMPORAL if b.groups == 1 else memory.PLAIN
    found = []
    for i in range(-(-chunks // LANES_A_ROW)):
        chunk = lane % LANES_A_ROW + i * LANES_A_ROW
        inside = live if (i + 1) * LANES_A_ROW <= chunks else live & (chunk < chunks)
        found.append(memory.load(base, first + chunk * 4, 4, policy, where=inside))
    return found


@traced
def keep(c, span, tile, page, chunks):
    """Loaded chunks to LDS, and which rows there are."""
    b, lane = c.build, c.lane
    form = layout(b)
    row = c.wave * WAVE_ROWS + lane // LANES_A_ROW
    size = 1 if b.fp8_cache else 2
    # Columns between the row's end and the last step's are zero too: chunks past the row are.
    held = form.steps * STEP * size // CHUNK
    for i in range_constexpr(len(chunks)):
        chunk = lane % LANES_A_ROW + i * LANES_A_ROW
        if chunk < held:
            _put(c, form, row, chunk, chunks[i])
    zero = fx.Vector.filled(4, 0, fx.Int32)
    for i in range_constexpr(len(chunks), -(-held // LANES_A_ROW)):
        chunk = lane % LANES_A_ROW + i * LANES_A_ROW
        if chunk < held:
            _put(c, form, row, chunk, zero)
    if lane < WAVE_ROWS:
        mine = c.wave * WAVE_ROWS + lane
        live = (page != 0) & (tile * TILE + mine < span.end)
        fx.ptr_store(live.select(fx.Int32(1), fx.Int32(0)), c.lds["there"] + mine)


def _put(c, form, row, chunk, words):
    b = c.build
    base = c.lds["tile"] + row * form.row_words
    if form.fp8:
        put_pairs(base + chunk * 4, words)
    elif b.fp8_cache:
        for half in range(2):
            values = [v for j in range(2) for v in fp8.decode(words[2 * half + j])]
            packed = [maths.pack_bf16(values[j], values[j + 1]) for j in range(0, 8, 2)]
            to = base + (chunk * 8 + half * 4)
            fx.ptr_store(fx.Vector.from_elements(packed, fx.Int32), to)
    else:
        fx.ptr_store(words, base + chunk * 4)


def put_pairs(at, words):
    """Four words at an address that is a multiple of 8 bytes."""
    for half in range(2):
        pair = [words[2 * half], words[2 * half + 1]]
        fx.ptr_store(fx.Vector.from_elements(pair, fx.Int32), at + 2 * half)


def operand(form, array, row, lane, step):
    """A lane's part of a row at a depth step: 8 elements as a matrix operand."""
    words = 2 if form.fp8 else 4
    at = row * form.row_words + step * (STEP // 8 * words) + lane // 16 * words
    found = fx.Vector(fx.ptr_load(array + at, result_type=fx.Vector.make_type(words, fx.Int32)))
    return found.bitcast(fx.Int64)[0] if form.fp8 else found.bitcast(fx.BFloat16)


def value_operands(c, form, step, column):
    """Columns ``column + j`` (j < 4) of rows ``32·step + 8·(lane // 16)`` … + 8, as bf16 operands.

    A list over ``j``: the transpose happens in the lane's registers.
    """
    rows = []
    for i in range(8):
        row = step * STEP + c.lane // 16 * 8 + i
        base = c.lds["tile"] + row * form.row_words
        if form.fp8:
            values = fp8.decode(fx.ptr_load(base + column // 4))
        else:
            kind = fx.Vector.make_type(2, fx.Int32)
            pair = fx.Vector(fx.ptr_load(base + column // 2, result_type=kind))
            values = maths.bf16_values([pair[0], pair[1]])
        rows.append([value.bitcast(fx.Int32) for value in values])
    found = []
    for j in range(4):
        # Values lie on the bf16 grid: their upper halves are all of them.
        words = [
            fx.Int32(fx.Uint32(rows[i][j]) >> 16) | (rows[i + 1][j] & -65536)
            for i in range(0, 8, 2)
        ]
        found.append(fx.Vector.from_elements(words, fx.Int32).bitcast(fx.BFloat16))
    return found
