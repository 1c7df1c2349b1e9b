"""The stage of an operation: the function, called by the kernel's own, that it was traced in."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

from kk3fast.sim.ir import Location


@functools.cache
def _functions(file: str) -> tuple[tuple[int, int, str], ...]:
    try:
        tree = ast.parse(Path(file).read_text())
    except (OSError, SyntaxError, ValueError):
        return ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append((node.lineno, node.end_lineno or node.lineno, node.name))
    return tuple(found)


@functools.cache
def function_at(file: str, line: int) -> str:
    """The innermost function of ``file`` that holds ``line``; the empty string when none is known."""
    holding = [(start, name) for start, end, name in _functions(file) if start <= line <= end]
    return max(holding)[1] if holding else ""


@functools.cache
def stage_of(loc: Location) -> str:
    """The stage's name; ``?`` for an operation without a location."""
    names = [n for n in (function_at(f.file, f.line) for f in reversed(loc.frames)) if n]
    if not names:
        return Path(loc.frames[-1].file).name if loc.frames else "?"
    return next((n for n in names if n != names[0]), names[0])
