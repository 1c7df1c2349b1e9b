"""KDA's gates: the decay of a key channel and the write strength of a head.

Maths: ``kk3ref.kda.log_decay`` and ``gates``.
"""

import flydsl.expr as fx

from kk3fast.flydsl.device import maths


def decay(g1, dt_bias, a_log, lower_bound):
    """``exp`` of the log decay of a channel, Float32 in [0, 1].

    ``g1``: Float32 holding a bf16 value. ``lower_bound``: the safe gate's bound, a negative Python
    float, or None for the softplus gate.
    """
    rate, x = maths.exp(a_log), g1 + dt_bias
    if lower_bound is None:
        return maths.exp(-(rate * maths.softplus(x)))
    return maths.exp(maths.sigmoid(rate * x) * fx.Float32(lower_bound))


def beta(b):
    """``sigmoid(b)``: ``b`` a Float32 holding a bf16 value."""
    return maths.sigmoid(b)
