"""File names in debug locations, made independent of where the sources lie."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path

_FILE = re.compile(r'loc\("((?:[^"\\]|\\.)*)":')


def located_files(located_ir: str) -> set[Path]:
    """Every source file named in the debug locations of an MLIR text."""
    return {Path(json.loads(f'"{name}"')) for name in _FILE.findall(located_ir)}


def relative_locations(located_ir: str, roots: Mapping[str, Path]) -> str:
    """Replace each root folder in the file names of the debug locations by its label.

    ``roots`` maps a label (``""`` for none, ``"flydsl/"``) to a folder; the deepest folder wins.
    """
    order = sorted(roots.items(), key=lambda item: len(item[1].parts), reverse=True)

    @functools.cache
    def shorten(name: str) -> str:
        file = Path(json.loads(f'"{name}"'))
        for label, root in order:
            if file.is_relative_to(root):
                return label + file.relative_to(root).as_posix()
        return name

    return _FILE.sub(lambda match: f'loc("{shorten(match.group(1))}":', located_ir)
