"""What the sweep's tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Sweep = Callable[..., dict[str, Any]]


def begun(fragile: Path) -> dict[int, list[str]]:
    """Processes that began a step, by its rows."""
    return {
        int(path.name.removeprefix("begun-")): path.read_text().split()
        for path in fragile.parent.glob("begun-*")
    }
