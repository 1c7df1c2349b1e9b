"""The stage of an operation: the function, called by the kernel's own, that it was traced in."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from pathlib import Path

from kk3fast.sim.ir import Frame, Location

Sources = Mapping[str, Path]
"""Beginning of a file name in debug locations -> the folder that stands for it (``""``: any)."""
Span = tuple[str, int, int, str]
"""(file, first line, last line, name) of a function."""


@functools.cache
def _functions(file: Path) -> tuple[tuple[int, int, str], ...]:
    try:
        tree = ast.parse(file.read_text())
    except (OSError, SyntaxError, ValueError):
        return ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.append((first, node.end_lineno or node.lineno, node.name))
    return tuple(found)


class Stages:
    """Finds stage names; ``sources`` says where files with relative names lie."""

    def __init__(self, sources: Sources | None = None) -> None:
        self.sources = dict(sources or {})
        self._known: dict[Location, str] = {}

    def function(self, frame: Frame) -> Span | None:
        """The innermost function that holds a frame, or None when its source is not found."""
        holding = [f for f in _functions(self._path(frame.file)) if f[0] <= frame.line <= f[1]]
        return (frame.file, *max(holding)) if holding else None

    def of(self, loc: Location) -> str:
        """The stage's name: a function's, a file's when sources are missing, ``?`` without
        location."""
        name = self._known.get(loc)
        if name is None:
            name = self._known[loc] = self._find(loc)
        return name

    def _find(self, loc: Location) -> str:
        spans = [s for s in map(self.function, reversed(loc.frames)) if s]
        if not spans:
            return Path(loc.frames[-1].file).name if loc.frames else "?"
        kernel = spans[0]
        inner = (s for s in spans if not _holds(s, kernel))
        return next(inner, kernel)[3]

    def _path(self, file: str) -> Path:
        for prefix, folder in sorted(self.sources.items(), key=lambda x: -len(x[0])):
            if file.startswith(prefix) and not file.startswith("/"):
                return folder / file[len(prefix) :]
        return Path(file)


def _holds(outer: Span, inner: Span) -> bool:
    """Whether one function's text holds another's (or is it)."""
    return outer[0] == inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2]
