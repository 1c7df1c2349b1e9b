"""Regions of one kernel behind those of another in the same scratch buffer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kk3fast.flydsl.layout import Region


def shifted(regions: Mapping[str, Region], offset: int) -> dict[str, Region]:
    """The regions, ``offset`` bytes further on."""
    return {name: replace(r, offset=r.offset + offset) for name, r in regions.items()}
