"""sha256 digests of texts and of source trees."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from kk3fast.compile.errors import CompileError


def sha256(data: str | bytes) -> str:
    """Lower-case hex sha256 of ``data``; text as UTF-8."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def source_files(paths: Iterable[Path]) -> list[Path]:
    """The files among ``paths`` and every ``.py`` file below the folders among them, sorted."""
    found: set[Path] = set()
    for path in paths:
        found.update(path.rglob("*.py") if path.is_dir() else [path])
    return sorted(f.resolve() for f in found)


def source_digest(paths: Iterable[Path], root: Path) -> str:
    """One digest of the sources at ``paths`` (files, or folders of ``.py`` files).

    A file counts by its path relative to ``root`` (its name alone outside of it) and its bytes, so
    a tree digests alike wherever it lies. Raises ``CompileError`` where nothing is found.
    """
    root = root.resolve()
    lines = []
    for file in source_files(paths):
        name = file.relative_to(root).as_posix() if file.is_relative_to(root) else file.name
        lines.append(f"{name}\0{sha256(file.read_bytes())}\n")
    if not lines:
        raise CompileError(f"no source files under {', '.join(map(str, paths)) or 'no path'}")
    return sha256("".join(sorted(lines)))
