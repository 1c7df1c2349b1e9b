"""Items on a Ray cluster (extra ``ray``)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from verify.step import UsageError
from verify.sweep.items import PACKAGES, Item, code_digest
from verify.sweep.local import MAX_ATTEMPTS, Finished
from verify.sweep.work import run_item

LOCAL = "local"


def run_ray(items: Sequence[Item], address: str, workers: int, threads: int) -> Iterator[Finished]:
    """Run items on Ray; yields each as it ends, in any order.

    Args:
        address: ``local`` starts Ray on this machine with ``workers`` CPUs; ``auto``, or a
            cluster's address: an existing cluster, to which this code is shipped.
        workers: items in flight.
        threads: torch threads, and CPUs, an item.

    Raises:
        UsageError: Ray is not installed or the cluster cannot be reached.
    """
    if find_spec("ray") is None:
        raise UsageError("--ray must have Ray: pip install 'kk3[ray]'")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    # Ray tells of dead workers on the standard output, where a record may be printed.
    with redirect_stdout(sys.stderr):
        _connect(ray, address, workers, threads)
        try:
            # Retries are counted here: one of Ray's own could run an item that had ended.
            remote = ray.remote(num_cpus=threads, max_retries=0)(run_item)
            yield from _run(ray, remote, list(items), workers, threads)
        finally:
            ray.shutdown()


def _connect(ray: Any, address: str, workers: int, threads: int) -> None:
    given: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    root = Path(__file__).parents[2]
    if address == LOCAL:
        given |= {"num_cpus": workers * threads, "include_dashboard": False}
        given["object_store_memory"] = 100 << 20
        given["runtime_env"] = {"env_vars": {"PYTHONPATH": _path_with(root)}}
    else:
        given["address"] = address
        given["runtime_env"] = {"py_modules": [str(root / package) for package in PACKAGES]}
    try:
        ray.init(**given)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise UsageError(f"--ray must name a cluster that can be reached: {error}") from error


def _path_with(root: Path) -> str:
    return os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))


def _run(
    ray: Any, remote: Any, waiting: list[Item], workers: int, threads: int
) -> Iterator[Finished]:
    attempts = dict.fromkeys((item.key for item in waiting), 0)
    flying: dict[Any, Item] = {}
    while waiting or flying:
        while waiting and len(flying) < workers:
            item = waiting.pop(0)
            attempts[item.key] += 1
            reference = remote.remote(item.key, list(item.words), code_digest(), threads)
            flying[reference] = item
        done, _ = ray.wait(list(flying), num_returns=1)
        for reference in done:
            item = flying.pop(reference)
            try:
                yield item, ray.get(reference), attempts[item.key]
            except ray.exceptions.RayError:  # its worker or node died, or ran out of memory
                if attempts[item.key] < MAX_ATTEMPTS:
                    waiting.append(item)
                else:
                    yield item, None, attempts[item.key]
