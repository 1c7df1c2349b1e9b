"""Work items: one run of ``verify layer`` each, named by what decides its result."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kk3ref.config import K3Config
from kk3ref.stages import LayerOptions
from verify.inputs import FAMILIES
from verify.layers import LAYERS
from verify.step import MAX_ROWS, UsageError

PACKAGES = ("kk3ref", "kk3fast", "verify")
_SOURCES = (".py", ".c", ".h", ".s", ".ll")
_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Item:
    """One run.

    Attributes:
        words: behind ``python -m verify layer``.
        key: of the words, the candidate's source and this code: the same key, the same result.
    """

    words: tuple[str, ...]
    key: str


@dataclass(frozen=True)
class Matrix:
    """What is multiplied out. Combinations that do not exist (rows no multiple of the width, a
    family that changes nothing for a layer) are left out.

    Attributes:
        kinds: layer kinds.
        layers: decoder layers; empty: each kind's default ones; None: all that have the kind.
        rows, drafts, seeds, families, candidates: as ``verify layer`` takes them; no ``drafts``:
            every one that fits the rows.
        model: words that choose the model, e.g. ``("--preset", "tiny")``.
        rest: words every run has.
    """

    kinds: tuple[str, ...]
    layers: tuple[int, ...] | None
    rows: tuple[int, ...]
    drafts: tuple[int, ...]
    seeds: tuple[int, ...]
    families: tuple[str, ...]
    candidates: tuple[str, ...]
    model: tuple[str, ...]
    rest: tuple[str, ...] = ()


def make_items(matrix: Matrix, config: K3Config, options: LayerOptions) -> list[Item]:
    """Every item of a matrix, each once, in a fixed order.

    Raises:
        UsageError: nothing is left of the matrix.
    """
    items: dict[str, Item] = {}
    for words, candidate in _lines(matrix, config, options):
        key = key_of(words, candidate)
        items[key] = Item(tuple(words), key)
    if not items:
        raise UsageError("the matrix must name at least one run that exists")
    return list(items.values())


def _lines(
    matrix: Matrix, config: K3Config, options: LayerOptions
) -> Iterator[tuple[list[str], str]]:
    for candidate, kind in itertools.product(matrix.candidates, matrix.kinds):
        choice = LAYERS[kind]
        indices: list[int] = choice.indices(config)
        if matrix.layers == ():
            indices = choice.default_indices(config) if indices else []
        elif matrix.layers is not None:
            indices = [i for i in matrix.layers if i in indices]
        layer = choice.make(options)
        stages = tuple(s.name for s in layer.stages)
        families = [f for f in matrix.families if FAMILIES[f].applies(layer.inputs, stages)]
        for index, family, rows in itertools.product(indices, families, matrix.rows):
            for drafts in _drafts(matrix, choice.drafts, rows):
                for seed in matrix.seeds:
                    yield (
                        [
                            kind,
                            *matrix.model,
                            *("--layer", str(index), "--rows", str(rows)),
                            *("--drafts", str(drafts), "--seed", str(seed)),
                            *("--family", family, "--candidate", candidate),
                            "--no-sequence",  # the matrix has the other steps itself
                            *matrix.rest,
                        ],
                        candidate,
                    )


def _drafts(matrix: Matrix, only: int | None, rows: int) -> list[int]:
    wanted = matrix.drafts or tuple(range(MAX_ROWS))
    if only is not None:
        wanted = (only,)
    return [d for d in wanted if rows % (d + 1) == 0]


def key_of(words: list[str], candidate: str) -> str:
    """16 hex digits that name a result."""
    file = Path(candidate.rsplit(":", 1)[0])
    source = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
    text = json.dumps([words, source, code_digest()])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@functools.cache
def code_digest() -> str:
    """sha256 over the sources of ``kk3ref``, ``kk3fast`` and ``verify``, names and contents."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((_ROOT / package).rglob("*")):
            if path.suffix in _SOURCES:
                digest.update(str(path.relative_to(_ROOT)).encode() + b"\0")
                digest.update(path.read_bytes())
    return digest.hexdigest()
