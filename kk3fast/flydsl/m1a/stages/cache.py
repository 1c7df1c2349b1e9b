"""The step's cache rows: one workgroup, a wave a row; it is one without a task of q_b if there is.

Page 0 is the null page: a padded request's rows are not written. A page's address is 64-bit.
"""

import flydsl.expr as fx
from flydsl.expr import const_expr, range_constexpr

from kk3fast.flydsl.device import fp8, lanes, maths, memory
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.m1a.stages import latent


@traced
def write_cache(c):
    """Norm, round, store ``[kv | k_pe]``."""
    b = c.build
    if (c.workgroup == b.workgroups - 1) & (c.wave < b.rows):
        _row(c, c.wave)


@traced
def _row(c, row):
    b = c.build
    base, live = _place(c, row)
    weight = latent.load_weight(c.args["kv_norm"], b.latent, c.lane)
    words = latent.receive(c, row, b.q_lora, b.latent)
    pe_words = latent.receive(c, row, b.q_lora + b.latent, b.pe)
    found = latent.normed(words, weight, b.latent, c.lane, b.norm_eps)
    places = latent.columns_of(b.latent, c.lane)
    for i in range_constexpr(len(places)):
        column, inside = places[i]
        rounded = [maths.round_bf16(value) for value in found[i]]
        here = fx.Boolean(True) if inside is None else inside
        if here:
            words_ = [maths.pack_bf16(rounded[j], rounded[j + 1]) for j in (0, 2)]
            pair = fx.Vector.from_elements(words_, fx.Int32)
            memory.store(c.args["kv_normed"], (row * b.latent + column) // 2, pair)
        if here & live:
            _store(c, base, column, rounded)
    places = latent.columns_of(b.pe, c.lane)
    for i in range_constexpr(len(places)):
        column, inside = places[i]
        values = maths.bf16_values(pe_words[2 * i : 2 * i + 2])
        here = fx.Boolean(True) if inside is None else inside
        if here & live:
            _store(c, base, b.latent + column, values)


def _place(c, row):
    """Address of the row's place in the cache, and whether it has one."""
    b, args = c.build, c.args
    request, step = row // b.query_rows, row % b.query_rows
    position = lanes.uniform(memory.load(args["context_len"], request)) + step
    column = position // b.page_size
    listed = column < args["max_pages"]
    at = request * args["table_stride"] + fx.min(column, args["max_pages"] - 1)
    page = lanes.uniform(memory.load(args["block_table"], at))
    size = 1 if b.fp8_cache else 2
    first = fx.Int64(page) * fx.Int64(args["page_stride"])
    first = first + fx.Int64(position % b.page_size * b.width)
    live = listed if c.planted("null_page_written") else listed & (page != 0)
    return args["kv_cache"] + first * size, live


@traced
def _store(c, base, column, values):
    """Four columns of bf16 values as the cache holds them."""
    b = c.build
    if const_expr(b.fp8_cache):
        scale = 1.0 if c.planted("cache_scale_skipped") else b.kv_scale
        memory.store(base, column // 4, fp8.encode(values, scale))
    if const_expr(not b.fp8_cache):
        words = [maths.pack_bf16(values[j], values[j + 1]) for j in (0, 2)]
        memory.store(base, column // 2, fx.Vector.from_elements(words, fx.Int32))
