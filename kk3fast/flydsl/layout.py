"""Where mailbox regions lie in a rank's scratch or peer buffer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

PAIR_BYTES = 8
PLAIN_AREA = 4 << 20
"""where regions without tags begin: launches of other builds lay their pairs over each other, which
their tags tell apart, but plain data could pass for a tag"""
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


def lay_out_peer(pairs: Mapping[str, int], first: int = 1) -> dict[str, Region]:
    """Mailbox regions of a peer buffer one after another: it holds pairs only, of any size.

    Args:
        pairs: mailbox regions, pairs each.
        first: the first region's number.
    """
    regions, at = {}, 0
    for number, (name, count) in enumerate(pairs.items(), first):
        regions[name] = Region(number, at, count * PAIR_BYTES, True)
        at += -(-count * PAIR_BYTES // _ALIGN) * _ALIGN
    return regions


def lay_out(
    pairs: Mapping[str, int], plain: Mapping[str, int] | None = None, first: int = 1
) -> dict[str, Region]:
    """Pairs one after another from 0, plain regions from ``PLAIN_AREA``.

    Args:
        pairs: mailbox regions, pairs each.
        plain: regions without tags, bytes each.
        first: the first region's number.

    Raises:
        ValueError: the pairs do not fit before ``PLAIN_AREA``.
    """
    sizes = [(n, count * PAIR_BYTES, True) for n, count in pairs.items()]
    sizes += [(n, count, False) for n, count in (plain or {}).items()]
    regions, at = {}, {True: 0, False: PLAIN_AREA}
    for number, (name, size, is_pairs) in enumerate(sizes, first):
        regions[name] = Region(number, at[is_pairs], size, is_pairs)
        at[is_pairs] += -(-size // _ALIGN) * _ALIGN
    _check(regions)
    return regions


def shifted(regions: Mapping[str, Region], offset: int) -> dict[str, Region]:
    """The regions ``offset`` bytes further on, for a launch that spares what others left.

    Raises:
        ValueError: the pairs do not fit before ``PLAIN_AREA``.
    """
    moved = {name: replace(r, offset=r.offset + offset) for name, r in regions.items()}
    _check(moved)
    return moved


def _check(regions: Mapping[str, Region]) -> None:
    end = max((r.offset + r.bytes for r in regions.values() if r.pairs), default=0)
    if end > PLAIN_AREA:
        raise ValueError(f"mailbox regions must end before byte {PLAIN_AREA}, they end at {end}")


def extent(regions: Mapping[str, Region]) -> int:
    """By how much regions laid out alike must be shifted to lie behind these."""
    ends = [r.offset + r.bytes - (0 if r.pairs else PLAIN_AREA) for r in regions.values()]
    return -(-max(ends, default=0) // _ALIGN) * _ALIGN


def total_bytes(regions: Mapping[str, Region]) -> int:
    """Bytes of a buffer (or parity half) with these regions, a multiple of the alignment."""
    end = max((r.offset + r.bytes for r in regions.values()), default=0)
    return -(-end // _ALIGN) * _ALIGN
