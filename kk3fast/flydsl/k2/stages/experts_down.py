"""Experts, second half: 16 latent columns of all picks of a row a task, folded in pick order.

A workgroup has neighbouring tasks, of one row or two. The waves share the picks. Up to 8 tasks are
multiplied one after another without a barrier; then wave ``j`` folds task ``j``, and wave ``w``
pushes all of them to rank ``w``.
"""

from dataclasses import dataclass
from typing import Any

import flydsl.expr as fx
from flydsl.expr import gpu, range_constexpr

from kk3fast.flydsl.device import lanes, mailbox, maths, mxfp4
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS, WAVES
from kk3fast.flydsl.k2.build import BLOCK, HIDDEN_PAIRS, MAX_ROWS

AT_ONCE = WAVES
"""tasks between barriers"""
ROWS = 2
"""rows of the step that so many neighbouring tasks belong to: a row has at least 8"""
AHEAD = 3
"""tasks whose weights are on their way"""
_WORDS = fx.Vector.make_type


def _tasks(b):
    return -(-b.rows * (b.latent // mxfp4.GROUP) // b.workgroups)


def lds_words(build):
    """Words of LDS by name."""
    tasks = min(AT_ONCE, _tasks(build))
    blocks = ROWS * build.picks * (build.routed // BLOCK)
    return {
        "hidden": blocks * 4,
        "hidden_scales": blocks,
        "down": tasks * build.picks * mxfp4.GROUP,
        "folded": tasks * mxfp4.GROUP // 2,
    }


def _place(c, i):
    """Row and column group of the i-th task, and whether there is one."""
    b = c.build
    groups = b.latent // mxfp4.GROUP
    number = c.workgroup * _tasks(b) + i
    safe = fx.min(number, fx.Int32(b.rows * groups - 1))
    return safe // groups, safe % groups, number < b.rows * groups


@dataclass(frozen=True)
class Loaded:
    """A wave's weights of a task: lists over its picks."""

    weights: Any
    scales: Any


def _picks(b):
    """Picks of a wave."""
    return -(-b.picks // WAVES)


def _load(c, i):
    b = c.build
    t, group, live = _place(c, i)
    weights, scales = [], []
    for j in range(_picks(b)):
        pick = c.wave * _picks(b) + j
        here = live & (pick < b.picks)
        at = t * b.picks + fx.min(pick, fx.Int32(b.picks - 1))
        expert = lanes.uniform(fx.ptr_load(c.lds["ids"] + at))
        address = c.args["w2"] + fx.Int64(expert) * b.expert_bytes["w2"]
        steps = range(mxfp4.steps(b.routed))
        weights.append(
            [mxfp4.load_weights(address, group, s, b.routed, c.lane, where=here) for s in steps]
        )
        address = c.args["w2_scales"] + fx.Int64(expert) * b.expert_bytes["w2_scales"]
        pairs = range(-(-len(steps) // mxfp4.TILE_STEPS))
        words = [
            mxfp4.load_scales(address, group // 2, p, b.routed, c.lane, where=here) for p in pairs
        ]
        scales.append([word >> (group % 2 * 8) for word in words])
    return Loaded(weights, scales)


def run(c):
    """Every task of this workgroup."""
    tasks = _tasks(c.build)
    for first in range(0, tasks, AT_ONCE):
        count = min(AT_ONCE, tasks - first)
        ahead = [_load(c, first + i) for i in range(min(AHEAD, count))]
        _receive(c, first)
        gpu.barrier()
        for i in range(count):
            _multiply(c, first, i, ahead[i])
            if i + AHEAD < count:
                ahead.append(_load(c, first + i + AHEAD))
        gpu.barrier()
        _fold(c, first, count)
        gpu.barrier()
        _push(c, first, count)
        gpu.barrier()


@traced
def _receive(c, first):
    """Hidden rows of the first task's row and the next to LDS: a thread a block of 32."""
    b = c.build
    each = b.picks * (b.routed // BLOCK)
    row, _, _ = _place(c, first)
    units, indices = [], []
    for i in range_constexpr(-(-ROWS * each // THREADS)):
        unit = c.tid + i * THREADS
        t = fx.min(row + unit // each, fx.Int32(b.rows - 1))
        at = (t * each + unit % each) * HIDDEN_PAIRS
        units.append(unit)
        indices += [at, at + 2, at + 4]
    words = mailbox.poll_runs(c.mail, c.boxes["hidden_mx"], indices, 2 * len(indices))
    for i in range_constexpr(len(units)):
        mine = words[HIDDEN_PAIRS * i : HIDDEN_PAIRS * (i + 1)]
        codes = fx.Vector.from_elements(mine[:4], fx.Int32)
        if units[i] < ROWS * each:
            fx.ptr_store(codes, c.lds["hidden"] + units[i] * 4)
            fx.ptr_store(mine[4], c.lds["hidden_scales"] + units[i])


@traced
def _multiply(c, first, i, loaded):
    b = c.build
    blocks = b.routed // BLOCK
    row = _place(c, first + i)[0] - _place(c, first)[0]
    for j in range_constexpr(_picks(b)):
        pick = c.wave * _picks(b) + j
        there = (row * b.picks + fx.min(pick, fx.Int32(b.picks - 1))) * blocks
        total = fx.Vector.filled(4, 0.0, fx.Float32)
        for s in range_constexpr(mxfp4.steps(b.routed)):
            # All 16 activation rows of the instruction are the one row there is.
            block = there + fx.min(s * 4 + c.lane // 16, fx.Int32(blocks - 1))
            at = c.lds["hidden"] + block * 4
            codes = fx.Vector(fx.ptr_load(at, result_type=_WORDS(4, fx.Int32)))
            code = fx.ptr_load(c.lds["hidden_scales"] + block)
            scales = loaded.scales[j][s // 2]
            total = mxfp4.multiply(loaded.weights[j][s], scales, 2 * (s % 2), codes, code, total)
        if (pick < b.picks) & (c.lane % 16 == 0):
            at = (i * b.picks + pick) * mxfp4.GROUP + c.lane // 16 * 4
            fx.ptr_store(total, c.lds["down"] + at)


@traced
def _fold(c, first, count):
    """``acc ← bf16(acc + bf16(weight·y))`` over a row's picks, four columns a lane."""
    b = c.build
    shift = 1 if c.planted("next_picks_weight") else 0
    if c.wave < count:
        t, _, _ = _place(c, first + c.wave)
        quad = c.lane % 4
        total = [fx.Float32(0.0)] * 4
        for k in range_constexpr(b.picks):
            at = c.lds["down"] + ((c.wave * b.picks + k) * mxfp4.GROUP + quad * 4)
            y = fx.Vector(fx.ptr_load(at, result_type=fx.Float32x4))
            weight = fx.ptr_load(c.lds["weights"] + (t * b.picks + (k + shift) % b.picks))
            total = [_added(total[j], weight * y[j]) for j in range(4)]
        words = [maths.pack_bf16(total[j], total[j + 1]) for j in (0, 2)]
        if c.lane < 4:
            pair = fx.Vector.from_elements(words, fx.Int32)
            fx.ptr_store(pair, c.lds["folded"] + (c.wave * (mxfp4.GROUP // 2) + quad * 2))


def _added(total, term):
    return maths.round_bf16(total + maths.round_bf16(term))


@traced
def _push(c, first, count):
    """Wave ``w`` pushes to rank ``w``: four columns of a task a lane."""
    b = c.build
    task, quad = c.lane // 4, c.lane % 4
    safe = fx.min(task, fx.Int32(count - 1))
    t, group, live = _place(c, first + safe)
    if live & (task < count) & (c.wave < b.ranks):
        at = c.lds["folded"] + (safe * (mxfp4.GROUP // 2) + quad * 2)
        words = fx.Vector(fx.ptr_load(at, result_type=_WORDS(2, fx.Int32)))
        row = (c.args["rank"] * MAX_ROWS + t) * (b.latent // 2)
        index = row + group * (mxfp4.GROUP // 2) + quad * 2
        mailbox.put(c.mail, c.remote["routed"], index, words[0], words[1])
