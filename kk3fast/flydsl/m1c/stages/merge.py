"""The splits of a request merged by their maxima and sums: 256 latent columns a workgroup.

Wave ``w`` merges splits ``w``, ``w + 8``, …; the waves' parts meet in LDS and are merged in wave
order. So the order depends on the request's own splits alone.
"""

import flydsl.expr as fx
from flydsl.expr import const_expr, gpu, range_constexpr

from kk3fast.flydsl.device import lanes, mailbox, maths, memory, online_softmax
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import WAVES
from kk3fast.flydsl.m1c.stages import splits

RUN = 4
"""columns a lane"""
AT_ONCE = 4
"""splits of a wave on their way together"""
PART_WORDS = 6


def blocks(build):
    """Workgroup tasks of a request."""
    return -(-build.queries * build.latent // (lanes.WAVE * RUN))


@traced
def merge(c, cuts):
    """Every task of this workgroup; the last workgroups, which have the fewest splits, first."""
    b = c.build
    count = b.requests * blocks(b)
    for i in range_constexpr(-(-count // b.workgroups)):
        task = i * b.workgroups + (b.workgroups - 1 - c.workgroup)
        if task < count:
            _run(c, splits.cut_of(cuts, task // blocks(b)), task // blocks(b), task % blocks(b))
        if const_expr(count > b.workgroups):
            gpu.barrier()


@traced
def _run(c, cut, request, block):
    b, lane = c.build, c.lane
    columns = b.latent // RUN
    unit = block * lanes.WAVE + lane
    live = unit < b.queries * columns
    unit = fx.min(unit, b.queries * columns - 1)
    query, column = unit // columns, unit % columns * RUN
    _await(c, cut, request, query)
    count = cut.splits + (1 if c.planted("one_split_more") else 0)
    first = fx.Float32(online_softmax.LOWEST)
    part = [first, fx.Float32(0.0), [fx.Float32(0.0)] * RUN]
    for number in range(c.wave, count, fx.Int32(WAVES * AT_ONCE)):
        start = fx.Int32(number)
        part = _merged(c, request, query, column, start, count, part)
    at = (c.wave * lanes.WAVE + lane) * PART_WORDS
    words = [part[0], part[1], *part[2]]
    for j in range_constexpr(0, PART_WORDS, 2):
        pair = fx.Vector.from_elements([words[j], words[j + 1]], fx.Float32)
        fx.ptr_store(pair, c.lds["scores"] + (at + j))
    gpu.barrier()
    if (c.wave == 0) & live:
        _finish(c, (request * b.queries + query) * b.latent + column)


def _await(c, cut, request, query):
    """Wait for the splits this wave merges, in every group that a lane's query may be of."""
    b = c.build
    split = fx.min(c.wave + fx.Int32(c.lane) * WAVES, cut.splits - 1)
    first = request * b.groups
    indices = [(first + group) * b.max_splits + split for group in range(b.groups)]
    mailbox.poll(c.mail, c.boxes["done"], indices)


def _merged(c, request, query, column, start, count, part):
    b = c.build
    parts = [part]
    for i in range(AT_ONCE):
        split = start + i * WAVES
        there = split < count
        row = (request * b.max_splits + split) * b.queries + query
        pair = memory.load(c.args["softmax"], row * 2, 2, memory.DEVICE, where=there)
        words = memory.load(
            c.args["partial"], row * b.latent + column, RUN, memory.DEVICE, where=there
        )
        pair, words = pair.bitcast(fx.Float32), words.bitcast(fx.Float32)
        top = there.select(pair[0], fx.Float32(online_softmax.LOWEST))
        parts.append([top, pair[1], [words[j] for j in range(RUN)]])
    top, total, values = online_softmax.merge(parts)
    return [top, total, values]


def _finish(c, index):
    b, lane = c.build, c.lane
    parts = []
    for wave in range(WAVES):
        at = c.lds["scores"] + (wave * lanes.WAVE + lane) * PART_WORDS
        kind = fx.Vector.make_type(2, fx.Float32)
        pairs = [fx.Vector(fx.ptr_load(at + j, result_type=kind)) for j in (0, 2, 4)]
        words = [pair[j] for pair in pairs for j in range(2)]
        parts.append([words[0], words[1], words[2:]])
    _, total, values = online_softmax.merge(parts)
    scale = b.kv_scale if b.fp8_cache else 1.0
    found = online_softmax.divided(values, total, scale)
    words = [maths.pack_bf16(found[j], found[j + 1]) for j in (0, 2)]
    memory.store(c.args["o_lat"], index // 2, fx.Vector.from_elements(words, fx.Int32))
