"""Files that a report can be made of, told apart by what they hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MARKS = (
    ("layer", ("stages", "layer_checks")),
    ("replay", ("launches", "checks", "mode")),
    ("faults", ("faults", "kernel_faults")),
    ("sweep", ("rows", "counts", "items")),
    ("steps", ("growth", "coverage")),
    ("bench_layer", ("copy_bytes_per_second", "rows")),
    ("isa", ("builds",)),
)
KINDS = frozenset(
    ("layer", "replay", "faults", "sweep", "steps", "isa", "bench_layer", "eval", "bench_serve")
) | {"other"}


@dataclass(frozen=True)
class Item:
    """One file.

    Attributes:
        path: where it was read from.
        kind: one of ``KINDS``.
        data: its JSON.
    """

    path: Path
    kind: str
    data: dict[str, Any]

    @property
    def verdict(self) -> str:
        """``pass``, ``fail``, ``not_checked``, or nothing for a file that judges nothing."""
        return str(self.data.get("verdict", ""))

    @property
    def name(self) -> str:
        """What people call it."""
        d = self.data
        candidate = d.get("candidate")
        label = candidate.get("name", "") if isinstance(candidate, dict) else candidate or ""
        label = short_candidate(str(label))
        if self.kind in ("layer", "replay"):
            what = f"{d['layer']} layer {d['layer_index']}, {d['family']}"
            return f"{what}, {label}" + (f" ({d['mode']})" if self.kind == "replay" else "")
        if self.kind in ("faults", "sweep", "steps"):
            return f"{self.kind}, {d.get('preset') or label or self.path.stem}"
        return str(d.get("title") or d.get("name") or self.path.stem)


def short_candidate(name: str) -> str:
    """A file's factory without its folders."""
    return name.rsplit("/", 1)[-1]


def read(path: str | Path) -> Item:
    """Read one file.

    Raises:
        ValueError: it is not a JSON object that kk3 wrote; says why.
        OSError: it cannot be read.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_text())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} must be a kk3 record in JSON: {error}") from error
    if not isinstance(data, dict):
        raise ValueError(f"{path} must be a kk3 record in JSON, got a {type(data).__name__}")
    kind = data.get("kind")
    if kind not in KINDS:
        kind = next((k for k, marks in _MARKS if all(m in data for m in marks)), None)
    if kind is None and "verdict" in data:
        kind = "other"
    if kind is None:
        raise ValueError(
            f"{path} must be a kk3 record: it has neither a known kind nor a verdict, "
            f"got the keys {sorted(data)[:8]}"
        )
    version = data.get("schema_version", 1)
    if version != 1:
        raise ValueError(f"{path}: schema_version must be 1, got {version!r}")
    return Item(path, kind, data)


def read_all(paths: list[Path]) -> list[Item]:
    """Read files, and every ``*.json`` of folders.

    Raises:
        ValueError: lists everything that cannot be read; nothing is left out silently.
    """
    files: list[Path] = []
    problems: list[str] = []
    for path in paths:
        if path.is_dir():
            found = sorted(path.glob("*.json"))
            files += found
            if not found:
                problems.append(f"{path}: holds no .json file")
        else:
            files.append(path)
    items = []
    for file in dict.fromkeys(files):
        try:
            items.append(read(file))
        except (ValueError, OSError) as error:
            problems.append(str(error))
    if problems:
        raise ValueError("\n".join(problems))
    return items
