"""Items on processes of this machine."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext

from verify.sweep.items import Item, code_digest
from verify.sweep.work import run_item

MAX_ATTEMPTS = 3
Finished = tuple[Item, str | None, int]
"""item, result as JSON (None: its worker died every time), attempts"""


def run_local(items: Sequence[Item], workers: int, threads: int) -> Iterator[Finished]:
    """Run items on ``workers`` processes; yields each as it ends, in any order.

    A worker that dies takes its whole pool with it: the pool is made anew. Which item killed it
    cannot be told, so those in flight then run one at a time until each has ended or has died
    :data:`MAX_ATTEMPTS` times.
    """
    attempts = dict.fromkeys((item.key for item in items), 0)
    waiting = list(items)
    suspects: list[Item] = []
    while waiting or suspects:
        alone = bool(suspects)
        batch = [suspects.pop(0)] if alone else waiting
        waiting = waiting if alone else []
        for item, text in _pool(batch, 1 if alone else workers, threads, attempts):
            if text is not None:
                yield item, text, attempts[item.key]
            elif attempts[item.key] >= MAX_ATTEMPTS:
                yield item, None, attempts[item.key]
            elif attempts[item.key]:
                suspects.append(item)
            else:
                waiting.append(item)


def _workers_context() -> BaseContext:
    """Workers are forked from a server that has imported everything: a new pool is there at once,
    and no worker inherits the caller's threads or GPU."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["verify.plan", "verify.sweep.work"])
    return context


def _pool(
    batch: Sequence[Item], workers: int, threads: int, attempts: dict[str, int]
) -> Iterator[tuple[Item, str | None]]:
    """Run a batch on one pool; None for what did not end because the pool broke."""
    context = _workers_context()
    rest = list(batch)
    flying: dict[Future[str], Item] = {}
    with ProcessPoolExecutor(min(workers, len(batch)), mp_context=context) as pool:
        try:
            while rest or flying:
                while rest and len(flying) < workers:
                    item = rest[0]  # it stays in the rest if the pool is broken by now
                    future = pool.submit(
                        run_item, item.key, list(item.words), code_digest(), threads
                    )
                    rest.pop(0)
                    attempts[item.key] += 1
                    flying[future] = item
                done, _ = wait(flying, return_when=FIRST_COMPLETED)
                for future in done:
                    text = future.result()
                    yield flying.pop(future), text
        except BrokenProcessPool:
            # What ended before the pool broke is still good.
            for future, item in flying.items():
                good = future.done() and future.exception() is None
                yield item, future.result() if good else None
            for item in rest:
                yield item, None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
