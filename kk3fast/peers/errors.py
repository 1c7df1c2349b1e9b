"""Errors about another project's sources."""

from __future__ import annotations

from collections.abc import Sequence

from kk3fast.compile.errors import ToolchainError


class PeerSourcesError(ToolchainError):
    """A peer's sources are missing or are not the recorded release."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)
