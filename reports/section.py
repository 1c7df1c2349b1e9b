"""One part of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reports.drawn import Drawn


@dataclass(frozen=True)
class Table:
    """A table of plain cells; a cell may be a ``Verdict`` word.

    Attributes:
        title: caption.
        columns: headings.
        rows: cells.
        numbers: headings of columns that are set to the right.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    numbers: frozenset[str] = frozenset()
    note: str = ""


@dataclass
class Section:
    """A heading and what stands under it.

    Attributes:
        anchor: id on the page.
        title: heading.
        verdict: chip beside the heading, or nothing.
        facts: short (name, value) pairs.
        failures: (place, message) pairs, shown before anything else.
        repeat: the command that makes the record again.
        tables: in order, before the figures.
        figures: in order.
        folded: figures that are folded away at first, under one heading.
        cases: question by question browsing: dictionaries for the template.
        notes: sentences.
    """

    anchor: str
    title: str
    verdict: str = ""
    facts: list[tuple[str, str]] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    repeat: str = ""
    tables: list[Table] = field(default_factory=list)
    figures: list[Drawn] = field(default_factory=list)
    folded: list[Drawn] = field(default_factory=list)
    cases: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
