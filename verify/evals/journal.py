"""Answers kept as they come, so that an interrupted eval goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from verify.evals.endpoint import Answer


def request_key(**parts: Any) -> str:
    """A digest of everything that an answer depends on."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class Journal:
    """One JSON line an answer; a line cut off by an interruption is left out and written anew."""

    def __init__(self, path: Path, fresh: bool = False):
        self._path = path
        self._answers: dict[str, Answer] = {}
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        whole = path.read_text().splitlines(keepends=True) if path.exists() else []
        for line in whole:
            try:
                entry = json.loads(line)
                key = entry.pop("key")
                self._answers[key] = Answer(**entry)
            except (ValueError, KeyError, TypeError):
                continue
        if whole and not whole[-1].endswith("\n"):
            with path.open("a") as file:
                file.write("\n")
        self.resumed = len(self._answers)

    def beside(self, suffix: str) -> Path:
        """A file of the same run."""
        return self._path.with_suffix(f".{suffix}")

    def get(self, key: str) -> Answer | None:
        """The answer to a request, if it was given before."""
        return self._answers.get(key)

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; it is on disk when this returns."""
        with self._lock:
            self._answers[key] = answer
            with self._path.open("a") as file:
                file.write(json.dumps({"key": key} | asdict(answer), ensure_ascii=False) + "\n")
