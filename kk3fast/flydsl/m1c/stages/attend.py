"""A split of a request's context for a group of its queries: scores, weights, values.

Per tile: (1) the tile to LDS, while the next one is on its way; (2) scores on the matrix unit, rows
of the tile times queries; (3) weights, 16 lanes a query; (4) values on the matrix unit, 64 latent
columns a wave, with the weights as a sum of two bf16 so that 16 bits of them count.

What is left of a split goes to scratch in fp32 and is announced: maximum, sum, undivided values.
"""

from dataclasses import dataclass
from typing import Any

import flydsl.expr as fx
from flydsl.expr import const_expr, gpu, range_constexpr, rocdl
from flydsl.expr.typing import T

from kk3fast.flydsl.device import lanes, mailbox, maths, memory, online_softmax
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS, WAVES
from kk3fast.flydsl.m1c.build import TILE
from kk3fast.flydsl.m1c.stages import splits, tile

TILE_QUERIES = 16
SCORE_WORDS = TILE + 4
WEIGHT_WORDS = TILE // 2 + 4
"""words between queries in LDS"""
LANES_A_QUERY = 16
PASS_QUERIES = THREADS // LANES_A_QUERY
WAVE_COLUMNS = 64
MERGE_WORDS = WAVES * 64 * 6


def lds_words(build):
    """Words of LDS by name."""
    held = build.query_tiles * TILE_QUERIES
    row = tile.layout(build).row_words
    return {
        "tile": TILE * row,
        "query": held * row,
        "there": TILE,
        "scores": max(held * SCORE_WORDS, MERGE_WORDS),
        "high": held * WEIGHT_WORDS,
        "low": held * WEIGHT_WORDS,
        "factor": held,
    }


@dataclass(frozen=True)
class Task:
    """A split and a group: uniform Int32."""

    span: tile.Span
    context: Any
    split: Any
    group: Any
    first: Any
    """its first tile"""


@traced
def attend(c, cuts):
    """Every task of this workgroup."""
    b = c.build
    total = fx.Int32(0)
    for request in range_constexpr(b.requests):
        total = total + lanes.read_lane(cuts.splits, request) * b.groups
    for number in range(c.workgroup, total, fx.Int32(b.workgroups)):
        _run(c, _task(c, cuts, fx.Int32(number)))


def _task(c, cuts, number):
    b = c.build
    request, start = fx.Int32(0), fx.Int32(0)
    after = fx.Int32(0)
    for r in range(b.requests - 1):
        after = after + lanes.read_lane(cuts.splits, r) * b.groups
        past = number >= after
        request = past.select(fx.Int32(r + 1), request)
        start = past.select(after, start)
    cut = splits.cut_of(cuts, request)
    local = number - start
    split, group = local // b.groups, local % b.groups
    first = split * cut.tiles
    last = fx.min(first + cut.tiles, (cut.end + (TILE - 1)) // TILE)
    return Task(tile.Span(request, cut.end, last), cut.context, split, group, first)


@traced
def _run(c, t):
    b = c.build
    _keep_queries(c, t)
    zero = fx.Vector.filled(4, 0.0, fx.Float32)
    sums = [zero] * (b.query_tiles * 4)
    passes = -(-b.query_tiles * TILE_QUERIES // PASS_QUERIES)
    tops = [fx.Float32(online_softmax.LOWEST)] * passes
    totals = [fx.Float32(0.0)] * passes
    page = tile.page_of(c, t.span, t.first)
    chunks = tile.load(c, t.span, t.first, page)
    ahead = tile.page_of(c, t.span, t.first + 1)
    no_barrier = c.planted("scores_missing_barrier")
    for number in range(t.first, t.span.last, fx.Int32(1)):
        here = fx.Int32(number)
        gpu.barrier()
        tile.keep(c, t.span, here, page, chunks)
        page = ahead
        chunks = tile.load(c, t.span, here + 1, page)
        ahead = tile.page_of(c, t.span, here + 2)
        gpu.barrier()
        _scores(c)
        if const_expr(not no_barrier):
            gpu.barrier()
        tops, totals = _weights(c, t, here, tops, totals)
        gpu.barrier()
        sums = _values(c, sums)
    _hand_over(c, t, sums, tops, totals)


@traced
def _keep_queries(c, t):
    """The group's queries to LDS; what does not exist is zero."""
    b = c.build
    form = tile.layout(b)
    size = 1 if b.fp8_query else 2
    held = form.steps * tile.STEP * size // tile.CHUNK
    chunks = b.width * size // tile.CHUNK
    count = b.query_tiles * TILE_QUERIES * held
    for i in range_constexpr(-(-count // THREADS)):
        unit = c.tid + i * THREADS
        q, chunk = unit // held, unit % held
        live = (unit < count) & (q < _group_size(c, t)) & (chunk < chunks)
        row = t.span.request * b.queries + t.group * b.group_queries + q
        word = row * (b.width * size // 4) + chunk * 4
        words = memory.load(c.args["query"], word, 4, where=live)
        if unit < count:
            to = c.lds["query"] + (q * form.row_words + chunk * 4)
            if const_expr(form.fp8):
                tile.put_pairs(to, words)
            if const_expr(not form.fp8):
                fx.ptr_store(words, to)


def _group_size(c, t):
    b = c.build
    return fx.min(b.queries - t.group * b.group_queries, fx.Int32(b.group_queries))


@traced
def _scores(c):
    """A wave: 16 rows of the tile, every second tile of queries. Result: 4 rows of a query."""
    b, lane = c.build, c.lane
    form = tile.layout(b)
    rows, half = c.wave % 4, c.wave // 4
    mine = range(-(-b.query_tiles // 2))
    scores = [fx.Vector.filled(4, 0.0, fx.Float32) for _ in mine]
    queries = [fx.min(half + 2 * k, b.query_tiles - 1) * 16 + lane % 16 for k in mine]
    for step in range_constexpr(form.steps):
        kv = tile.operand(form, c.lds["tile"], rows * 16 + lane % 16, lane, step)
        for k in mine:
            q = tile.operand(form, c.lds["query"], queries[k], lane, step)
            scores[k] = _multiply(form.fp8, kv, q, scores[k])
    for k in mine:
        if half + 2 * k < b.query_tiles:
            to = c.lds["scores"] + (queries[k] * SCORE_WORDS + rows * 16 + lane // 16 * 4)
            fx.ptr_store(scores[k], to)


def _multiply(is_fp8, a, b, accumulator):
    if is_fp8:
        found = rocdl.mfma_f32_16x16x32_fp8_fp8(T.vec(4, T.f32), [a, b, accumulator])
    else:
        found = rocdl.mfma_f32_16x16x32_bf16(T.vec(4, T.f32), [a, b, accumulator])
    return fx.Vector(found)


def _weights(c, t, number, tops, totals):
    """Weights of the tile for every query, in two bf16 parts, and the factor for the old sums."""
    b = c.build
    scale = b.scale * (b.query_scale if b.fp8_query else 1.0)
    if b.fp8_cache and not c.planted("kv_scale_skipped"):
        scale = scale * b.kv_scale
    column = c.tid % LANES_A_QUERY * 4
    there = fx.ptr_load(c.lds["there"] + column, result_type=fx.Vector.make_type(4, fx.Int32))
    there = fx.Vector(there)
    new_tops, new_totals = [], []
    for i in range(len(tops)):
        q = c.tid // LANES_A_QUERY + i * PASS_QUERIES
        here = fx.min(q, b.query_tiles * TILE_QUERIES - 1)
        at = c.lds["scores"] + (here * SCORE_WORDS + column)
        found = fx.Vector(fx.ptr_load(at, result_type=fx.Float32x4))
        row = (t.group * b.group_queries + q) // b.heads
        seen = t.context + row + (2 if c.planted("causal_off_by_one") else 1)
        seen = (q < _group_size(c, t)).select(seen, fx.Int32(0))
        first = number * TILE + column
        shown = [(there[j] != 0) & (first + j < seen) for j in range(4)]
        scores = [found[j] * fx.Float32(scale) for j in range(4)]
        top, total, factor, weights = online_softmax.extend(
            tops[i], totals[i], scores, shown, LANES_A_QUERY
        )
        new_tops.append(top)
        new_totals.append(total)
        _keep_weights(c, q, column, factor, weights)
    return new_tops, new_totals


@traced
def _keep_weights(c, q, column, factor, weights):
    high = [maths.round_bf16(weight) for weight in weights]
    low = [weight - part for weight, part in zip(weights, high, strict=True)]
    if q < c.build.query_tiles * TILE_QUERIES:
        at = q * WEIGHT_WORDS + column // 2
        fx.ptr_store(_packed(high), c.lds["high"] + at)
        fx.ptr_store(_packed(low), c.lds["low"] + at)
        if column == 0:
            fx.ptr_store(factor, c.lds["factor"] + q)


def _packed(values):
    words = [maths.pack_bf16(values[j], values[j + 1]) for j in (0, 2)]
    return fx.Vector.from_elements(words, fx.Int32)


def _first_column(c):
    return fx.min(c.wave * WAVE_COLUMNS, fx.Int32(c.build.latent - WAVE_COLUMNS))


def _values(c, sums):
    """Sums of weighted values. Result ``i`` of matrix ``j`` of a lane is column
    ``64·wave + 16·(lane // 16) + 4·i + j`` of query ``lane % 16`` of the tile."""
    b, lane = c.build, c.lane
    form = tile.layout(b)
    column = _first_column(c) + lane % 16 * 4
    for step in range(TILE // tile.STEP):
        values = tile.value_operands(c, form, step, column)
        found = []
        for q in range(b.query_tiles):
            query = q * TILE_QUERIES + lane % 16
            old = [sums[q * 4 + j] for j in range(4)]
            if step == 0:
                old = _scaled(old, fx.ptr_load(c.lds["factor"] + query))
            at = query * WEIGHT_WORDS + step * (tile.STEP // 2) + lane // 16 * 4
            for name in ("high", "low"):
                kind = fx.Vector.make_type(4, fx.Int32)
                weights = fx.Vector(fx.ptr_load(c.lds[name] + at, result_type=kind))
                weights = weights.bitcast(fx.BFloat16)
                old = [_multiply(False, values[j], weights, old[j]) for j in range(4)]
            found += old
        sums = found
    return sums


def _scaled(vectors, factor):
    return [fx.Vector.from_elements([v[i] * factor for i in range(4)], fx.Float32) for v in vectors]


@traced
def _hand_over(c, t, sums, tops, totals):
    b, lane = c.build, c.lane
    part = (t.span.request * b.max_splits + t.split) * b.queries + t.group * b.group_queries
    size = _group_size(c, t)
    column = _first_column(c) + lane // 16 * 16
    for q in range_constexpr(b.query_tiles):
        query = q * TILE_QUERIES + lane % 16
        if (query < size) & (c.wave * WAVE_COLUMNS < b.latent):
            at = (part + query) * b.latent + column
            for i in range_constexpr(4):
                four = fx.Vector.from_elements([sums[q * 4 + j][i] for j in range(4)], fx.Float32)
                memory.store(c.args["partial"], at + 4 * i, four.bitcast(fx.Int32), memory.DEVICE)
    for i in range_constexpr(len(tops)):
        query = c.tid // LANES_A_QUERY + i * PASS_QUERIES
        if (query < size) & (c.tid % LANES_A_QUERY == 0):
            pair = fx.Vector.from_elements([tops[i], totals[i]], fx.Float32)
            at = (part + query) * 2
            memory.store(c.args["softmax"], at, pair.bitcast(fx.Int32), memory.DEVICE)
    index = (t.span.request * b.groups + t.group) * b.max_splits + t.split
    drained = not c.planted("partials_not_drained")
    mailbox.announce(c.mail, c.boxes["done"], index, drained=drained)
