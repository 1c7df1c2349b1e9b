"""Sums over a workgroup's waves through LDS."""

import flydsl.expr as fx
from flydsl.expr import gpu, range_constexpr

from kk3fast.flydsl.device import lanes
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import WAVES


def sum_words(count):
    """fp32 words of LDS that ``sums`` of ``count`` values takes."""
    return WAVES * count


@traced
def sums(values, lds, lane, wave):
    """Sum of each Float32 of a list (at most 64) over all threads, in every thread, in wave order.

    ``lds`` (``sum_words(len(values))`` words) must not be in use: the caller has a barrier between
    two uses of the same words. One barrier inside.
    """
    count = len(values)
    partial = fx.Float32(0.0)
    for i in range_constexpr(count):
        value = lanes.total(values[i])
        partial = (lane == i).select(value, partial)
    if lane < count:
        fx.ptr_store(partial, lds + (wave * count + lane))
    gpu.barrier()
    at = fx.min(lane, count - 1)
    total = fx.ptr_load(lds + at)
    for w in range_constexpr(1, WAVES):
        total = total + fx.ptr_load(lds + (w * count + at))
    return [lanes.read_lane(total, i) for i in range(count)]
