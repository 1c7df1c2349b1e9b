"""KDA's output norm over a head times the output gate.

The norm needs the sum of squares over the whole head; whoever holds part of the head's rows sums
its own (``square_sum``) and brings the parts together before ``gated``.

Maths: ``kk3ref.kda.gated_norm``.
"""

import flydsl.expr as fx

from kk3fast.flydsl.device import lanes, maths


def square_sum(values, width):
    """Sum of squares of a lane's Float32 (bf16 values) over ``width`` lanes, in all of them."""
    found = values[0] * values[0]
    for value in values[1:]:
        found = found + value * value
    return lanes.total(found, width)


def gated(o, squares, weight, g, head_dim, eps):
    """``o·rsqrt(mean(o²) + eps)·w·sigmoid(g)`` of a list of Float32, not yet rounded to bf16.

    ``o``, ``g``: holding bf16 values. ``squares``: the head's sum of squares of ``o``. ``weight``:
    of the value rows, as Float32.
    """
    scale = maths.rsqrt(squares * fx.Float32(1.0 / head_dim) + fx.Float32(eps))
    return [
        value * scale * w * maths.sigmoid(gate) for value, w, gate in zip(o, weight, g, strict=True)
    ]
