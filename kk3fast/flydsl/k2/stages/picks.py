"""The picks of all rows in LDS, and the experts that some row picked, each once."""

import flydsl.expr as fx
from flydsl.expr import gpu

from kk3fast.flydsl.device import lanes, mailbox
from kk3fast.flydsl.device.tracing import traced
from kk3fast.flydsl.geometry import THREADS
from kk3fast.flydsl.k2.build import MAX_PICKS

PLACES = MAX_PICKS
QUARTERS = THREADS // PLACES
"""threads that look after one pick together"""
_SHARE = PLACES // QUARTERS


def receive(c):
    """Wait for the picks; gives how many experts are chosen (uniform).

    LDS: ``ids`` and ``weights`` by ``row·picks + pick``, ``chosen`` in the order of the picks.
    """
    b = c.build
    count = b.rows * b.picks
    place, quarter = c.tid // QUARTERS, c.tid % QUARTERS
    there = fx.min(place, fx.Int32(count - 1))
    expert, weight = mailbox.poll_runs(c.mail, c.boxes["picks"], [there * 2])
    expert = (place < count).select(expert, fx.Int32(-1))
    _store(quarter == 0, expert, c.lds["ids"], place)
    _store(quarter == 0, weight.bitcast(fx.Float32), c.lds["weights"], place)
    gpu.barrier()
    first = fx.Int32(PLACES)
    for m, other in _share(c, "ids", quarter):
        first = (other == expert).select(fx.min(first, m), first)
    first = lanes.combine(first, QUARTERS, fx.min)
    leads = (first == place) & (place < count)
    _store(quarter == 0, leads.select(fx.Int32(1), fx.Int32(0)), c.lds["firsts"], place)
    gpu.barrier()
    before, total = fx.Int32(0), fx.Int32(0)
    for m, flag in _share(c, "firsts", quarter):
        total = total + flag
        before = before + (m < place).select(flag, fx.Int32(0))
    before, total = (lanes.combine(n, QUARTERS, _sum) for n in (before, total))
    _store(leads & (quarter == 0), expert, c.lds["chosen"], before)
    gpu.barrier()
    return lanes.uniform(total)


def _sum(a, b):
    return a + b


def _share(c, name, quarter):
    """Places and words of a thread's quarter of an LDS array."""
    kind = fx.Vector.make_type(4, fx.Int32)
    found = []
    for i in range(0, _SHARE, 4):
        at = quarter * _SHARE + i
        words = fx.Vector(fx.ptr_load(c.lds[name] + at, result_type=kind))
        found += [(at + j, words[j]) for j in range(4)]
    return found


@traced
def _store(condition, value, lds, place):
    if condition:
        fx.ptr_store(value, lds + place)
