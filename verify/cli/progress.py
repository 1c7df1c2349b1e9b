"""Progress of long work: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


@contextmanager
def progress_line(console: Console) -> Iterator[Callable[[str], None]]:
    """One live line on a terminal; one line a job elsewhere, so that logs stay readable."""
    if console.is_terminal:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("", total=None)
            yield lambda text: bar.update(task, description=text)
        return
    seen: set[str] = set()

    def line(text: str) -> None:
        title = text.split(":")[0]
        if title not in seen:
            seen.add(title)
            print(title, file=sys.stderr, flush=True)

    yield line
