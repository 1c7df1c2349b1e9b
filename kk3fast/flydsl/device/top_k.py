"""Top-k by a wave: the largest first, a tie to the lower id, NaN last.

Scores become integer keys that order as the scores do. A wave takes the largest key ``k`` times; a
workgroup lets every wave select from its share, then one wave from all that was selected.

Maths: ``kk3ref.precision.Precision.top_k``.
"""

import flydsl.expr as fx
from flydsl.expr import range_constexpr

from kk3fast.flydsl.device import lanes

TAKEN = -(1 << 31)
"""key of a candidate that is none: below the key of every score"""
_NONE = (1 << 31) - 1
_MINUS_INFINITY = 0x807FFFFF - (1 << 32)


def key(score):
    """Int32 that orders as the Float32 does; NaN as minus infinity, -0 as 0."""
    bits = (score + 0.0).bitcast(fx.Int32)
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    return (score == score).select(ordered, fx.Int32(_MINUS_INFINITY))


def _lower(a, b):
    return fx.min(a, b)


def select(keys, ids, k, lane):
    """The ``k`` (at most 64) best of a wave's candidates: lane ``j`` gets number ``j``.

    Args:
        keys, ids: lists of Int32, candidates of this lane; ids differ in the whole wave.
        k: how many.

    Returns:
        (key, id) of the lane's place, undefined past ``k``.
    """
    keys = list(keys)
    found_key, found_id = fx.Int32(TAKEN), fx.Int32(0)
    for place in range_constexpr(k):
        best = keys[0]
        for other in keys[1:]:
            best = fx.max(best, other)
        best = lanes.largest(best)
        lowest = fx.Int32(_NONE)
        for candidate, number in zip(keys, ids, strict=True):
            lowest = (candidate == best).select(fx.min(lowest, number), lowest)
        lowest = lanes.combine(lowest, lanes.WAVE, _lower)
        keys = [
            (number == lowest).select(fx.Int32(TAKEN), candidate)
            for candidate, number in zip(keys, ids, strict=True)
        ]
        found_key = (lane == place).select(best, found_key)
        found_id = (lane == place).select(lowest, found_id)
    return found_key, found_id
