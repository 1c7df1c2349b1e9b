"""Pair the answers of two sides by task, document and sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verify.evals.samples import Sample, SamplesError

SHOWN = 5


@dataclass(frozen=True)
class Pair:
    """The same question answered by both sides."""

    off: Sample
    on: Sample


def pair(off: Sequence[Sample], on: Sequence[Sample]) -> dict[str, list[Pair]]:
    """Pairs by task, in the order of ``off``.

    Raises:
        SamplesError: a question is missing on one side, stands twice, or was asked with another
            prompt; lists every reason.
    """
    problems: list[str] = []
    sides = {name: _keyed(name, side, problems) for name, side in (("off", off), ("on", on))}
    first, second = sides["off"], sides["on"]
    for name, have, lack in (("off", first, second), ("on", second, first)):
        alone = [key for key in have if key not in lack]
        if alone:
            problems.append(f"{len(alone)} answers are only {name}, first {alone[:SHOWN]}")
    other = [k for k in first if k in second and first[k].digest != second[k].digest]
    if other:
        problems.append(
            f"{len(other)} questions were asked with different prompts, first {other[:SHOWN]}"
        )
    if not first:
        problems.append("there must be at least one answer, got none")
    if problems:
        raise SamplesError("\n".join(problems))
    pairs: dict[str, list[Pair]] = {}
    for key, sample in first.items():
        pairs.setdefault(sample.task, []).append(Pair(sample, second[key]))
    return pairs


def _keyed(
    name: str, samples: Sequence[Sample], problems: list[str]
) -> dict[tuple[str, str, int], Sample]:
    found: dict[tuple[str, str, int], Sample] = {}
    twice = 0
    for sample in samples:
        key = (sample.task, sample.document, sample.number)
        twice += key in found
        found[key] = sample
    if twice:
        problems.append(f"{twice} answers stand twice {name}")
    return found
