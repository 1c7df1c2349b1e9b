"""Scored answers of one side, from a run or from lm-eval's own logs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PREFERRED_FILTERS = ("flexible-extract", "strict-match", "none")
_SKIPPED = -1.0  # how RULER marks a length that a document does not have
_NOT_FOUND = "[invalid]"  # what lm-eval's regex filter gives where nothing matches


class SamplesError(ValueError):
    """Samples cannot be used; the message lists every reason."""


@dataclass(frozen=True)
class Sample:
    """One scored answer."""

    task: str
    """task, with the metric where a task has several: ``niah_single_1@32768``"""
    document: str
    """document id within the task"""
    number: int
    """which of the k samples of the document"""
    digest: str
    """of the document and the prompt: pairs must agree on it"""
    score: float
    """0 to 1"""
    text: str
    """what the server generated"""
    answer: str
    """what the task's filter took from it"""
    target: str
    """what was expected"""
    question: str
    """the end of the prompt"""
    finish: str | None = None
    """why generation ended, where it is known"""

    @property
    def empty(self) -> bool:
        """Nothing but white space."""
        return not self.text.strip()

    @property
    def malformed(self) -> bool:
        """Text in which the task's filter finds no answer."""
        return not self.empty and self.answer.strip() in ("", _NOT_FOUND)


QUESTION_CHARACTERS = 600


def of_entries(
    task: str, entries: Iterable[dict[str, Any]], number: int, wanted_filter: str | None = None
) -> list[Sample]:
    """Samples from lm-eval's ``samples`` of one task.

    Raises:
        SamplesError: they lack what pairing needs, or have no such filter.
    """
    entries = list(entries)
    filters = list(dict.fromkeys(str(e.get("filter", "none")) for e in entries))
    if wanted_filter and wanted_filter not in filters:
        raise SamplesError(f"{task}: the filter must be among {filters}, got {wanted_filter!r}")
    chosen = wanted_filter or next((f for f in PREFERRED_FILTERS if f in filters), filters[0])
    found = []
    for entry in entries:
        if str(entry.get("filter", "none")) != chosen:
            continue
        missing = [k for k in ("doc_id", "doc_hash", "prompt_hash", "resps") if k not in entry]
        if missing:
            raise SamplesError(f"{task}: samples must have {', '.join(missing)}")
        scores = _scores(task, entry)
        if not scores:
            raise SamplesError(f"{task}: no metric between 0 and 1 in {sorted(entry)}")
        for metric, score in scores.items():
            found.append(
                Sample(
                    task=f"{task}@{metric}" if metric.isdecimal() else task,
                    document=str(entry["doc_id"]),
                    number=number,
                    digest=f"{entry['doc_hash']}:{entry['prompt_hash']}",
                    score=score,
                    text=_first(entry["resps"]),
                    answer=_first(entry.get("filtered_resps", "")),
                    target=str(entry.get("target", "")),
                    question=_first(entry.get("arguments", ""))[-QUESTION_CHARACTERS:],
                )
            )
    return found


def _scores(task: str, entry: dict[str, Any]) -> dict[str, float]:
    """The score of each length of a RULER document; of another task's, its first metric."""
    names = entry.get("metrics") or [
        k for k in ("exact_match", "acc", "exact_match,none") if k in entry
    ]
    scores = {}
    for name in names:
        value = entry.get(name)
        if isinstance(value, (int, float)) and value != _SKIPPED:
            if not 0 <= value <= 1:
                raise SamplesError(f"{task}: {name} must be between 0 and 1, got {value}")
            scores[str(name)] = float(value)
    lengths = {name: score for name, score in scores.items() if name.isdecimal()}
    return lengths or dict(list(scores.items())[:1])


def _first(value: Any) -> str:
    """The text in lm-eval's nested lists; in logs arguments are ``{gen_args_0: {arg_0: …}}``."""
    while not isinstance(value, str):
        if isinstance(value, dict):
            value = next(iter(value.values()), "")
        elif isinstance(value, (list, tuple)):
            value = value[0] if value else ""
        else:
            return "" if value is None else str(value)
    return value


def read_logs(path: Path, wanted_filter: str | None = None) -> list[Sample]:
    """Samples of a ``samples_<task>_<time>.jsonl`` file, or of all of a folder.

    Raises:
        SamplesError: nothing is there, or a file is not such a log; lists every reason.
    """
    files = sorted(path.rglob("samples_*.jsonl")) if path.is_dir() else [path]
    problems: list[str] = []
    found: list[Sample] = []
    seen: dict[str, Path] = {}
    for file in files:
        matched = re.fullmatch(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?", file.stem)
        task = matched[1] if matched else file.stem
        if task in seen:
            problems.append(f"{file}: {task} is in {seen[task]} too; give one run's folder")
            continue
        seen[task] = file
        try:
            entries = [json.loads(line) for line in file.read_text().splitlines() if line]
            found += of_entries(task, entries, 0, wanted_filter)
        except (OSError, ValueError, IndexError) as error:
            problems.append(f"{file} must be a log of lm-eval's samples: {error}")
    if not files:
        problems.append(f"{path}: must hold samples_*.jsonl (lm-eval --log_samples), got none")
    if problems:
        raise SamplesError("\n".join(problems))
    return found
