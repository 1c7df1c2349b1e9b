"""Softmax over a context that comes in pieces: running maximum, sum, and the merge of parts.

A part that shows nothing has the maximum ``LOWEST`` and the sum 0: weight 0 in a merge, and no
infinity or NaN on the way. Maths: ``kk3ref.mla.attention``.
"""

import flydsl.expr as fx

from kk3fast.flydsl.device import lanes, maths

LOWEST = -1e30
"""below every score; far enough from the range's end that products with it stay finite"""


def extend(maximum, total, scores, shown, width):
    """Take in a lane's scores, ``width`` lanes a query.

    Returns the new maximum and sum, the factor for what was summed so far, and the scores' weights
    (0 where not ``shown``).
    """
    top = fx.Float32(LOWEST)
    for score, see in zip(scores, shown, strict=True):
        top = fx.max(top, see.select(score, fx.Float32(LOWEST)))
    new = fx.max(maximum, lanes.largest(top, width))
    factor = maths.exp(maximum - new)
    weights = []
    for score, see in zip(scores, shown, strict=True):
        # Hidden scores are replaced before exp: they may be anything.
        weight = maths.exp(see.select(score - new, fx.Float32(0.0)))
        weights.append(see.select(weight, fx.Float32(0.0)))
    part = weights[0]
    for weight in weights[1:]:
        part = part + weight
    return new, total * factor + lanes.total(part, width), factor, weights


def merge(parts):
    """Merge parts ``(maximum, sum, values)``, a list in fixed order; values not yet divided."""
    peak = parts[0][0]
    for part in parts[1:]:
        peak = fx.max(peak, part[0])
    total, values = fx.Float32(0.0), [fx.Float32(0.0)] * len(parts[0][2])
    for maximum, part_total, part_values in parts:
        there = part_total > 0.0
        weight = maths.exp(there.select(maximum - peak, fx.Float32(0.0)))
        total = total + there.select(part_total * weight, fx.Float32(0.0))
        # An empty part's values may be anything, NaN too.
        values = [
            v + there.select(p * weight, fx.Float32(0.0))
            for v, p in zip(values, part_values, strict=True)
        ]
    return peak, total, values


def divided(values, total, scale=1.0):
    """``values / total · scale``; 0 where nothing was shown."""
    there = total > 0.0
    safe = there.select(total, fx.Float32(1.0))
    return [there.select(value * scale / safe, fx.Float32(0.0)) for value in values]
