"""Values of command line options."""

from __future__ import annotations


def numbers(text: str) -> list[int]:
    """``0,4-6`` → ``[0, 4, 5, 6]``.

    Raises:
        ValueError: it is not like that.
    """
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
