"""Run a sweep: what is done already is read, the rest is run, everything is merged."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from verify.data.store import write_atomic
from verify.environment import environment
from verify.sweep.items import Item, code_digest
from verify.sweep.local import run_local
from verify.sweep.merge import SweepRecord, merged_verdict, row_of
from verify.sweep.on_ray import run_ray
from verify.sweep.work import Result, read_result

Progress = Callable[[str], None]


@dataclass(frozen=True)
class SweepPlan:
    """What to run, and where.

    Attributes:
        items: each key once.
        command: the command line that goes on with the sweep.
        folder: items are kept in ``items/`` in it, one file each.
        workers: items in flight.
        threads: torch threads an item.
        ray: a Ray address (``local``, ``auto``, …); None: local processes.
    """

    items: Sequence[Item]
    command: str
    folder: Path
    workers: int = 1
    threads: int = 1
    ray: str | None = None


def sweep(plan: SweepPlan, progress: Progress = lambda _: None) -> SweepRecord:
    """Run what is missing and merge everything.

    A result is written as soon as it is there, whole or not at all; a sweep that was ended goes on
    where it was. Results are kept by key, so that none is counted twice.

    Raises:
        UsageError: Ray is asked for and not there.
    """
    started = time.perf_counter()
    kept = plan.folder / "items"
    kept.mkdir(parents=True, exist_ok=True)
    found = {item.key: _read(kept, item) for item in plan.items}
    missing = [item for item in plan.items if found[item.key] is None]
    reused = len(plan.items) - len(missing)
    _tell(progress, len(plan.items), reused, found)
    if missing:
        runner = (
            run_local(missing, plan.workers, plan.threads)
            if plan.ray is None
            else run_ray(missing, plan.ray, plan.workers, plan.threads)
        )
        for number, (item, text, attempts) in enumerate(runner, 1):
            result = _result(item, text, attempts)
            write_atomic(_path(kept, item), result.model_dump_json() + "\n")
            found[item.key] = result
            _tell(progress, len(plan.items), reused + number, found)
    results = [found[item.key] for item in plan.items]
    rows = [row_of(result) for result in results if result is not None]
    assert len(rows) == len(plan.items)
    return SweepRecord(
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=plan.command,
        environment=environment(),
        code=code_digest(),
        items=len(rows),
        counts=dict(Counter(row.verdict.value for row in rows)),
        reused=reused,
        retried=sum(row.attempts > 1 for row in rows),
        rows=rows,
        verdict=merged_verdict(rows),
        seconds=time.perf_counter() - started,
    )


def _path(folder: Path, item: Item) -> Path:
    return folder / f"{item.key}.json"


def _read(folder: Path, item: Item) -> Result | None:
    """An item's kept result, if it is one: a run that could not be made is made again."""
    try:
        text = _path(folder, item).read_text()
    except (OSError, UnicodeDecodeError):
        return None
    result = read_result(text)
    good = result is not None and result.key == item.key and result.record is not None
    return result if good else None


def _result(item: Item, text: str | None, attempts: int) -> Result:
    result = read_result(text) if text is not None else None
    if result is None:
        error = f"its worker died {attempts} times"
        return Result(
            key=item.key,
            words=list(item.words),
            record=None,
            error=error,
            worker="",
            attempts=attempts,
            seconds=0.0,
        )
    return result.model_copy(update={"attempts": attempts})


def _tell(progress: Progress, total: int, done: int, found: dict[str, Result | None]) -> None:
    bad = sum(1 for r in found.values() if r and (r.record is None or r.record.verdict != "pass"))
    progress(f"sweep {100 * done // total // 10 * 10} %: {done} of {total} items, {bad} not passed")
