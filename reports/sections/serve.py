"""A record of ``verify bench serve``."""

from __future__ import annotations

from reports.records import Item
from reports.section import Section


def section(item: Item, anchor: str) -> Section:
    """The section of one speed comparison."""
    return Section(anchor, item.name, verdict=item.verdict)
