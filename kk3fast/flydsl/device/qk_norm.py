"""L2 norm of a query or key over a head whose columns lie in neighbouring lanes.

Maths: ``kk3ref.kda.qk_norm``.
"""

from kk3fast.flydsl.device import lanes, maths

EPS = 1e-6
"""added to the sum of squares"""


def unit(values, width, scale=1.0):
    """``x·rsqrt(Σx² + EPS)·scale``: a lane's Float32 columns, ``width`` lanes holding the head."""
    square = values[0] * values[0]
    for value in values[1:]:
        square = square + value * value
    factor = maths.rsqrt(lanes.total(square, width) + EPS)
    found = [value * factor for value in values]
    return found if scale == 1.0 else [value * scale for value in found]
