"""How contexts are cut: by each request's own length, never by the batch."""

from dataclasses import dataclass
from typing import Any

import flydsl.expr as fx

from kk3fast.flydsl.device import lanes, memory
from kk3fast.flydsl.m1c.build import TILE


@dataclass(frozen=True)
class Cut:
    """A request's context: Int32, uniform."""

    context: Any
    """rows before the step"""
    end: Any
    """rows after it"""
    tiles: Any
    """of each split but the last"""
    splits: Any
    """at least one, none without tiles but that of an empty context"""


def cuts(c):
    """Of every request."""
    b = c.build
    found = []
    for request in range(b.requests):
        context = lanes.uniform(memory.load(c.args["context_len"], request))
        end = context + b.query_rows
        tiles = (end + (TILE - 1)) // TILE
        splits = fx.min((tiles + (b.split_tiles - 1)) // b.split_tiles, fx.Int32(b.max_splits))
        each = (tiles + splits - 1) // splits
        found.append(Cut(context, end, each, (tiles + each - 1) // each))
    return found


def chosen(values, request):
    """``values[request]`` of a list of Int32 for a traced request."""
    found = values[0]
    for number in range(1, len(values)):
        found = (request == number).select(values[number], found)
    return found


def cut_of(all_cuts, request):
    """The cut of a traced request."""
    fields = ("context", "end", "tiles", "splits")
    return Cut(*(chosen([getattr(cut, name) for cut in all_cuts], request) for name in fields))
