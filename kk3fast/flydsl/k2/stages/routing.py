"""The routing of a row, and the quantisation of its latent: a workgroup each.

Every wave takes the best of its experts, one wave the best of those. The weights are the unbiased
scores over their sum in pick order. Maths: ``kk3ref.moe.route``, ``route_weights`` and
``quantize_latent``.
"""

import flydsl.expr as fx
from flydsl.expr import gpu, range_constexpr

from kk3fast.flydsl.device import lanes, mailbox, maths, memory, mxfp4, top_k
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS, WAVE, WAVES

OCTET = 8
"""columns of a thread: one word of elements"""


def best_words(build):
    """Words of LDS for what the waves found."""
    return WAVES * build.picks


@traced
def rows(c):
    """Routings and quantisations in turns over the workgroups."""
    b = c.build
    for i in range_constexpr(-(-2 * b.rows // b.workgroups)):
        number = c.workgroup + i * b.workgroups
        if number < b.rows:
            _route(c, number)
        if (number >= b.rows) & (number < 2 * b.rows):
            _quantise(c, number - b.rows)


def _route(c, t):
    b = c.build
    keys, ids = _scored(c, t)
    key, expert = top_k.select(keys, ids, b.picks, c.lane)
    _keep_best(c, key, expert)
    gpu.barrier()
    _pick(c, t)
    gpu.barrier()


def _scored(c, t):
    """Keys and ids of a thread's experts; scores to LDS."""
    b = c.build
    ids = [c.tid + i * THREADS for i in range(-(-b.experts // THREADS))]
    there = [fx.min(e, fx.Int32(b.experts - 1)) for e in ids]
    biases = [memory.load_f32(c.args["router_bias"], e) for e in there]
    words = mailbox.poll(c.mail, c.boxes["logits"], [t * b.experts + e for e in there])
    keys = []
    for expert, bias, word in zip(ids, biases, words, strict=True):
        score = maths.sigmoid(word.bitcast(fx.Float32))
        key = top_k.key(score + bias)
        keys.append((expert < b.experts).select(key, fx.Int32(top_k.TAKEN)))
        _keep_score(c, expert, score)
    return keys, ids


@traced
def _keep_score(c, expert, score):
    if expert < c.build.experts:
        fx.ptr_store(score, c.lds["scores"] + expert)


@traced
def _keep_best(c, key, expert):
    b = c.build
    if c.lane < b.picks:
        fx.ptr_store(key, c.lds["best_keys"] + (c.wave * b.picks + c.lane))
        fx.ptr_store(expert, c.lds["best_ids"] + (c.wave * b.picks + c.lane))


@traced
def _pick(c, t):
    """The first wave takes the best of what all waves found, and hands ids and weights over."""
    b = c.build
    if c.wave == 0:
        keys, ids = [], []
        for i in range_constexpr(-(-best_words(b) // WAVE)):
            place = c.lane + i * WAVE
            there = fx.min(place, fx.Int32(best_words(b) - 1))
            key = fx.ptr_load(c.lds["best_keys"] + there)
            keys.append((place < best_words(b)).select(key, fx.Int32(top_k.TAKEN)))
            ids.append(fx.ptr_load(c.lds["best_ids"] + there))
        _, expert = top_k.select(keys, ids, b.picks, c.lane)
        score = fx.ptr_load(c.lds["scores"] + expert)
        total = lanes.read_lane(score, 0)
        for k in range_constexpr(1, b.picks):
            total = total + lanes.read_lane(score, k)
        if c.lane < b.picks:
            at = (t * b.picks + c.lane) * 2
            mailbox.put(c.mail, c.boxes["picks"], at, expert, score / total)


def _either(a, b):
    return a | b


@traced
def _quantise(c, t):
    """A row's latent in MXFP4: a thread 8 columns, four threads a block, 16 a word of scales."""
    b = c.build
    octets = b.latent // OCTET
    for i in range_constexpr(-(-octets // THREADS)):
        octet = c.tid + i * THREADS
        there = fx.min(octet, fx.Int32(octets - 1))
        first = t * (b.latent // 2) + there * (OCTET // 2)
        words = mailbox.poll_runs(c.mail, c.boxes["latent"], [first, first + 2])
        values = maths.bf16_values(words)
        code = mxfp4.scale_code(lanes.combine(mxfp4.magnitude(values), 4, fx.max))
        elements = mxfp4.encode(values, code)
        scales = lanes.combine(code << (c.lane % 16 // 4 * 8), 16, _either, first=4)
        base = t * b.row_words
        if octet < octets:
            mailbox.put(c.mail, c.boxes["latent_mx"], base + octet, elements)
            if c.lane % 16 == 0:
                mailbox.put(c.mail, c.boxes["latent_mx"], base + octets + octet // 16, scales)
    if (c.tid == 0) & ((octets + octets // 16) % 2 == 1):
        # A row is received in runs of two.
        mailbox.put(c.mail, c.boxes["latent_mx"], t * b.row_words + b.row_words - 1, fx.Int32(0))
    gpu.barrier()
