"""KDA's output norm over a head times the output gate.

The norm needs the sum of squares over the whole head; whoever holds part of the head's rows sums
its own (``square_sum``) and brings the parts together before ``gated``. What does not depend on
``o`` (``factor``) can be computed while that is awaited.

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


def factor(weight, g):
    """``w·sigmoid(g)`` of a value row: Float32, ``g`` holding a bf16 value."""
    return weight * maths.sigmoid(g)


def scaled(o, squares, factors, head_dim, eps):
    """``o·rsqrt(mean(o²) + eps)·factor`` of a list of Float32, not yet rounded to bf16.

    ``o``: holding bf16 values. ``squares``: the head's sum of squares of ``o``. ``factors``: of the
    value rows.
    """
    scale = maths.rsqrt(squares * fx.Float32(1.0 / head_dim) + fx.Float32(eps))
    return [value * scale * f for value, f in zip(o, factors, strict=True)]


def gated(o, squares, weight, g, head_dim, eps):
    """``scaled`` with the factors of ``weight`` and ``g``, lists of the value rows' Float32."""
    factors = [factor(w, gate) for w, gate in zip(weight, g, strict=True)]
    return scaled(o, squares, factors, head_dim, eps)
