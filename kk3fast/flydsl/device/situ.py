"""SiTU: the experts' activation, ``(β·tanh(g/β)·sigmoid(g)) · (β_l·tanh(u/β_l))``.

Maths: ``kk3ref.mlp.situ``.
"""

import flydsl.expr as fx

from kk3fast.flydsl.device import maths

_SATURATED = 16.0
"""tanh is 1 in fp32 from about 9 on; beyond this its argument only overflows the exponential"""
_VANISHED = 200.0
"""sigmoid is 0 in fp32 from about -104 on"""


def _clamped(x, limit):
    """x within ± limit; NaN stays NaN."""
    return (x == x).select(fx.max(fx.min(x, fx.Float32(limit)), fx.Float32(-limit)), x)


def tanh(x):
    """tanh, accurate to a few units of 2^-24 absolutely."""
    growth = maths.exp(_clamped(x, _SATURATED) * 2.0)
    return fx.Float32(1.0) - fx.Float32(2.0) / (fx.Float32(1.0) + growth)


def situ(gate, up, beta, linear_beta):
    """SiTU of two Float32; ``beta`` and ``linear_beta`` are Python numbers."""
    gated = tanh(gate * (1.0 / beta)) * beta * maths.sigmoid(_clamped(gate, _VANISHED))
    return gated * (tanh(up * (1.0 / linear_beta)) * linear_beta)
