"""Times of certificates."""

from __future__ import annotations

from datetime import datetime, timezone

DAY = 86400.0
CLOCK_SKEW = 300.0
"""Seconds by which clocks may differ."""


def utc(seconds: float) -> str:
    """A time as people read it."""
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:g} s"
