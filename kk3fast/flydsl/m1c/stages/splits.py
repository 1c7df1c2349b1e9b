"""How contexts are cut: by each request's own length, never by the batch.

Lane ``r`` holds request ``r``: what a scalar a request would take of the scalar registers.
"""

from dataclasses import dataclass
from typing import Any

import flydsl.expr as fx

from kk3fast.flydsl.device import lanes, memory
from kk3fast.flydsl.m1c.build import TILE


@dataclass(frozen=True)
class Cut:
    """Of a request's context: Int32."""

    context: Any
    """rows before the step"""
    end: Any
    """rows after it"""
    tiles: Any
    """of each split but the last"""
    splits: Any
    """at least one; none is empty"""


def cuts(c):
    """Of every request, in its lane."""
    b = c.build
    context = memory.load(c.args["context_len"], c.lane, 1, where=c.lane < b.requests)
    end = context + b.query_rows
    tiles = (end + (TILE - 1)) // TILE
    most = fx.min((tiles + (b.split_tiles - 1)) // b.split_tiles, fx.Int32(b.max_splits))
    each = (tiles + most - 1) // most
    return Cut(context, end, each, (tiles + each - 1) // each)


def cut_of(lanes_cut, request):
    """The cut of a request (Int32 or int, uniform), as scalars."""
    names = ("context", "end", "tiles", "splits")
    return Cut(*(lanes.read_lane(getattr(lanes_cut, name), request) for name in names))
