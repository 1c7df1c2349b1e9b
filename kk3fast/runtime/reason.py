"""Why the specialized decode may not run."""

from __future__ import annotations

from typing import NamedTuple


class Reason(NamedTuple):
    """One reason."""

    code: str
    """stable name"""
    sentence: str
    """what was found and what was expected"""

    def __str__(self) -> str:
        return f"{self.code}: {self.sentence}"
