"""Reading a rank's health words: which waits of vLLM's kernels gave up, and on what."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

RECORD_WORDS = 8
FAILED = 0
"""Index of the sticky word that is set once any wait of the rank gave up."""


@dataclass(frozen=True)
class GivenUpWait:
    """The first wait that one CTA gave up."""

    cta: int
    region: str
    """The mailbox region, or its number where no region of that number is known."""
    pair: int
    """Index of the (value, tag) pair in the region."""
    wanted: int
    """The tag waited for."""
    seen: int
    clock: int
    """100 MHz device clock, its low 31 bits."""


def region_id(name: str) -> int:
    """The number by which a health record names a region: the low 31 bits of the name's CRC-32."""
    return zlib.crc32(name.encode()) & 0x7FFFFFFF


def given_up_waits(health: Sequence[int], regions: Iterable[str]) -> list[GivenUpWait]:
    """The recorded waits of ``health`` (int32 words: a header of 8, then 8 a CTA), oldest first.

    ``regions`` are the names a record may mean. Raises ``ValueError`` where the words do not make
    whole records.
    """
    if len(health) % RECORD_WORDS:
        raise ValueError(f"health must be whole records of {RECORD_WORDS}, got {len(health)} words")
    names = {region_id(name): name for name in regions}
    waits = []
    for at in range(RECORD_WORDS, len(health), RECORD_WORDS):
        flag, region, pair, wanted, seen, cta, clock, _ = (int(w) for w in health[at : at + 8])
        if flag:
            name = names.get(region, str(region))
            waits.append(GivenUpWait(cta, name, pair, wanted, seen, clock))
    return sorted(waits, key=lambda wait: wait.clock)
