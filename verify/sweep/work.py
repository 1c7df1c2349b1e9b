"""What a worker does: one item, from its words to its result. Nothing is written here."""

from __future__ import annotations

import json
import os
import platform
import time

from pydantic import BaseModel, ConfigDict

from verify.data import Record
from verify.sweep.items import code_digest


class Result(BaseModel):
    """One item's outcome, as it is kept on disk."""

    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )

    key: str
    """the item's"""
    words: list[str]
    """the item's"""
    record: Record | None
    """evidence; None if the run could not be made"""
    error: str
    """why there is no record"""
    worker: str
    """host and process"""
    attempts: int = 1
    """how often it was begun"""
    seconds: float
    """wall time of the last attempt"""


def run_item(key: str, words: list[str], code: str, threads: int) -> str:
    """Run one item; returns a :class:`Result` as JSON.

    Args:
        code: the digest of the code that made the item: a worker with other code refuses.
        threads: torch threads.
    """
    import torch

    from verify.plan import plan
    from verify.step import UsageError

    started = time.perf_counter()
    record, error = None, ""
    torch.set_num_threads(threads)
    if code_digest() != code:
        error = "the worker must run the code that made the item, it has another version"
    else:
        try:
            (planned,) = plan(words)
            record = planned.verify().record
        except UsageError as problem:
            error = str(problem)
        except Exception as problem:  # of the candidate: it ends its item, not the sweep
            error = f"{type(problem).__name__}: {problem}"
    return Result(
        key=key,
        words=words,
        record=record,
        error=error,
        worker=f"{platform.node()}:{os.getpid()}",
        seconds=time.perf_counter() - started,
    ).model_dump_json()


def read_result(text: str) -> Result | None:
    """A kept result, or None if the text is none (half-written, another version)."""
    try:
        return Result.model_validate(json.loads(text))
    except ValueError:
        return None
