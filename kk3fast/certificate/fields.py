"""Typed fields of a JSON value; everything that is wrong with them is collected."""

from __future__ import annotations

import re
from typing import Any

from kk3fast.certificate.reason import Reason

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


class Fields:
    """Reads fields by path; a wrong one gives an empty value and a reason.

    Args:
        value: parsed JSON.
        code: of the reasons.
        where: goes before the names in them.
    """

    def __init__(self, value: Any, code: str = "statement.field", where: str = ""):
        self.value, self._code, self._where = value, code, where
        self.reasons: list[Reason] = []

    def bad(self, name: str, expected: str) -> None:
        """One more reason."""
        self.reasons.append(Reason(self._code, f"{self._where}{name} must be {expected}"))

    def at(self, *path: str) -> Any:
        """The value at a path, None if there is none."""
        value = self.value
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def only(self, *path: str, names: frozenset[str]) -> None:
        """An object with these names and no other."""
        value = self.at(*path)
        if not isinstance(value, dict) or set(value) != names:
            self.bad(".".join(path) or "it", f"an object of {', '.join(sorted(names))}")

    def equal(self, name: str, wanted: str) -> None:
        """One certain text."""
        if self.at(name) != wanted:
            self.bad(name, wanted)

    def text(self, *path: str, empty: bool = False) -> str:
        """A text."""
        value = self.at(*path)
        if not isinstance(value, str) or not (value or empty):
            self.bad(".".join(path), "a text")
            return ""
        return value

    def sha(self, *path: str, empty: bool = False) -> str:
        """A sha256 in hex."""
        value = self.at(*path)
        if not is_sha(value) and not (empty and value == ""):
            self.bad(".".join(path), "a sha256 in hex")
            return ""
        return str(value)

    def count(self, *path: str) -> int:
        """A whole number from 1 to 4096."""
        value = self.at(*path)
        if not _is_count(value):
            self.bad(".".join(path), "a whole number from 1 to 4096")
            return 0
        return int(value)

    def counts(self, *path: str) -> tuple[int, ...]:
        """Some of them, at least one."""
        value = self.at(*path)
        if not isinstance(value, list) or not value or not all(map(_is_count, value)):
            self.bad(".".join(path), "a list of row counts")
            return ()
        return tuple(value)

    def time(self, *path: str) -> float:
        """Seconds since 1970."""
        value = self.at(*path)
        if not _is_number(value) or not 0 <= value < 1e11:
            self.bad(".".join(path), "seconds since 1970")
            return 0.0
        return float(value)

    def number(self, *path: str) -> float | None:
        """A number or null."""
        value = self.at(*path)
        if value is not None and not _is_number(value):
            self.bad(".".join(path), "a number or null")
            return None
        return None if value is None else float(value)

    def texts(self, *path: str) -> dict[str, str]:
        """Names with texts."""
        value = self.at(*path)
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            self.bad(".".join(path), "names with texts")
            return {}
        return dict(value)

    def words(self, *path: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.at(*path)
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            self.bad(".".join(path), "a list of texts")
            return ()
        return tuple(value)

    def digests(self, name: str, most: int) -> tuple[tuple[str, str], ...]:
        """Names with sha256 digests, at least one."""
        value = self.at(name)
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            self.bad(name, f"a list of 1 to {most} builds")
            return ()
        found = []
        for entry in value:
            inner = Fields(entry)
            title, isa = inner.text("name"), inner.sha("digest", "sha256")
            if inner.reasons:
                self.bad(name, "builds with a name and a sha256 digest")
                return ()
            found.append((title, isa))
        return tuple(found)


def is_sha(value: Any) -> bool:
    """Whether it is a sha256 in hex."""
    return isinstance(value, str) and _SHA256.match(value) is not None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 4096
