"""Checks of arguments: collect every reason, raise once."""

from __future__ import annotations

import math
from numbers import Integral, Real


class Reasons:
    """Collects what is wrong with a call's arguments.

    Each method adds at most one reason of the form “name must be …, got …”;
    :meth:`stop` raises one ``ValueError`` that lists them all.
    """

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, name: str, wanted: str, got: object) -> None:
        """Record one reason."""
        self.found.append(f"{name} must be {wanted}, got {got!r}")

    def count(self, name: str, value: object, least: int = 0) -> bool:
        """A whole number of at least ``least``."""
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        ok = whole and int(value) >= least  # type: ignore[call-overload]
        if not ok:
            self.add(name, f"a whole number of at least {least}", value)
        return ok

    def inside(self, name: str, value: object, low: float, high: float) -> bool:
        """A number strictly between ``low`` and ``high``."""
        ok = _finite(value) and low < value < high  # type: ignore[operator]
        if not ok:
            self.add(name, f"between {low:g} and {high:g} (both excluded)", value)
        return ok

    def within(self, name: str, value: object, low: float, high: float) -> bool:
        """A number between ``low`` and ``high``, both allowed."""
        ok = _finite(value) and low <= value <= high  # type: ignore[operator]
        if not ok:
            self.add(name, f"between {low:g} and {high:g}", value)
        return ok

    def share(self, name: str, value: object) -> bool:
        """A number above 0 and up to 1."""
        ok = _finite(value) and 0 < value <= 1  # type: ignore[operator]
        if not ok:
            self.add(name, "above 0 and at most 1", value)
        return ok

    def pairs(self, b: object, c: object, n: object) -> None:
        """Discordant counts ``b`` and ``c`` among ``n`` pairs."""
        ok = [self.count("b", b), self.count("c", c), self.count("n", n, 1)]
        if all(ok) and b + c > n:  # type: ignore[operator]
            self.add("b + c", f"at most n = {n}", b + c)  # type: ignore[operator]

    def stop(self) -> None:
        """Raise if anything was wrong."""
        if self.found:
            raise ValueError("; ".join(self.found))


def _finite(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
