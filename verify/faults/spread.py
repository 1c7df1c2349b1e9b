"""Work items over processes, in order, with progress."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def spread(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    progress: Callable[[str], None],
    name: Callable[[Item], str],
) -> Iterator[Result]:
    """The results of ``work`` on each item, in their order.

    Args:
        work: a function of a module, its items and results picklable.
        workers: processes; with one, everything stays in this one.
        name: an item for the progress line.
    """
    if workers <= 1:
        for number, item in enumerate(items, 1):
            progress(f"{name(item)} ({number}/{len(items)})")
            yield work(item)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_one_thread) as pool:
        for number, (item, result) in enumerate(zip(items, pool.map(work, items), strict=True), 1):
            progress(f"{name(item)} ({number}/{len(items)})")
            yield result


def _one_thread() -> None:
    torch.set_num_threads(1)
