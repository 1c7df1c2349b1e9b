"""Where mailbox regions lie in a rank's scratch or peer buffer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PAIR_BYTES = 8
_ALIGN = 128


@dataclass(frozen=True)
class Region:
    """A named part of a buffer."""

    number: int
    """what a health record names it by; unique in a build, from 1"""
    offset: int
    """bytes from the buffer's start (of one parity half, for peer regions)"""
    bytes: int
    pairs: bool
    """made of (32-bit value, 32-bit tag) pairs"""


def lay_out(
    pairs: Mapping[str, int], plain: Mapping[str, int] | None = None, first: int = 1
) -> dict[str, Region]:
    """Regions one after another.

    Args:
        pairs: mailbox regions, pairs each.
        plain: regions without tags, bytes each.
        first: the first region's number.
    """
    sizes = [(n, count * PAIR_BYTES, True) for n, count in pairs.items()]
    sizes += [(n, count, False) for n, count in (plain or {}).items()]
    regions, offset = {}, 0
    for number, (name, size, is_pairs) in enumerate(sizes, first):
        regions[name] = Region(number, offset, size, is_pairs)
        offset += -(-size // _ALIGN) * _ALIGN
    return regions


def total_bytes(regions: Mapping[str, Region]) -> int:
    """Bytes of a buffer (or parity half) with these regions, a multiple of the alignment."""
    end = max((r.offset + r.bytes for r in regions.values()), default=0)
    return -(-end // _ALIGN) * _ALIGN
