"""What workers tell the API server: one small file a rank, shown as Prometheus metrics.

Workers have no ``/metrics``; the server's process has. Each worker writes ``rank-<r>.json`` whole
(beside its place, then renamed) into a folder both know; a collector reads the files whenever
``/metrics`` is read. The files outlive the server where the operator names the folder, so that a
supervisor can read why it stopped. Imports neither torch nor vLLM.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER_VARIABLE = "KK3_STATE_DIR"
_PREPARED_VARIABLE = "KK3_STATE_PREPARED"  # set for the processes that this one starts
_EVERY_S = 0.5  # between two writes of a running worker
_MAX_BYTES = 1 << 16


@dataclass
class WorkerState:
    """One worker's counters."""

    rank: int
    ranks: int
    backend: str
    kernels: str
    opens: str
    certificate: str
    """first 12 hex digits of the certificate's sha256"""
    deployment: str
    """sha256 over all that the certificate certifies"""
    model: str
    """sha256 of the model's configuration"""
    device: str
    """GPU architecture, or ``cpu``"""
    steps: int = 0
    planned: int = 0
    launches: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """steps that ran vLLM's layers, by reason"""
    fail_stops: int = 0
    switched_off: int = 0
    failure: str = ""
    """the fail-stop's sentence"""

    @property
    def stock(self) -> int:
        """Steps that ran vLLM's layers."""
        return sum(self.refused.values())


class StateFile:
    """Writes a worker's state; a folder that cannot be written is reported once, never fatal."""

    def __init__(self, state: WorkerState, folder: Path | None):
        self.state = state
        self.problem = "" if folder else f"{FOLDER_VARIABLE} is not set: no metrics"
        self._path = folder / f"rank-{state.rank}.json" if folder else None
        self._written = 0.0

    def write(self, force: bool = False) -> None:
        """Write if it is time; ``force`` writes now."""
        now = time.monotonic()
        if self._path is None or (not force and now - self._written < _EVERY_S):
            return
        self._written = now
        data = json.dumps({**vars(self.state), "pid": os.getpid(), "time": time.time()})
        beside = self._path.with_suffix(f".{os.getpid()}")
        try:
            beside.write_text(data, encoding="utf-8")
            beside.replace(self._path)
        except OSError as error:
            self.problem = f"{self._path} cannot be written: {error.strerror or error}"
            self._path = None


def state_folder() -> Path | None:
    """The folder that the server's process named, or None."""
    name = os.environ.get(FOLDER_VARIABLE)
    return Path(name) if name else None


def prepare_folder() -> Path:
    """The folder of this server's state files, empty; named in the environment for its workers.

    Called by the server's process before any worker starts. A folder made here is removed at exit.

    Raises:
        OSError: the operator's folder cannot be made or written.
    """
    folder = state_folder()
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="kk3-state-"))
        os.environ[FOLDER_VARIABLE] = str(folder)
        atexit.register(_remove, folder, os.getpid())
    folder.mkdir(parents=True, exist_ok=True)
    if os.environ.get(_PREPARED_VARIABLE) != str(folder):  # several API servers come here
        for old in folder.glob("rank-*.json"):
            old.unlink(missing_ok=True)
        os.environ[_PREPARED_VARIABLE] = str(folder)
    return folder


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked worker
        shutil.rmtree(folder, ignore_errors=True)


def read_states(folder: Path) -> list[dict[str, Any]]:
    """Every rank's state by rank; files that are not whole states are left out."""
    found = []
    for path in sorted(folder.glob("rank-*.json")):
        try:
            if path.stat().st_size > _MAX_BYTES:
                continue
            state = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(state, dict) and isinstance(state.get("rank"), int):
            found.append(state)
    return sorted(found, key=lambda s: int(s["rank"]))


_COUNTERS = {
    "kk3_steps": ("steps", "Model steps"),
    "kk3_steps_planned": ("planned", "Steps that ran the fused layers"),
    "kk3_layer_launches": ("launches", "Fused layers run"),
    "kk3_fail_stops": ("fail_stops", "Times the engine was stopped: a rank gave up a wait"),
}
_INFO = ("backend", "kernels", "opens", "certificate", "deployment", "model", "device", "pid")


class StateCollector:
    """A ``prometheus_client`` collector over a folder of state files."""

    def __init__(self, folder: Path):
        self._folder = folder

    def collect(self) -> Iterator[Any]:
        """Metric families with a sample a rank; none before a worker has written."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        states = read_states(self._folder)
        labels = ["rank", "tp", *_INFO]
        info = GaugeMetricFamily("kk3_gate_info", "What the gate opened", labels=labels)
        off = GaugeMetricFamily("kk3_switched_off", "The off switch is on", labels=["rank"])
        stock = CounterMetricFamily("kk3_steps_stock", "Steps of vLLM's layers", labels=["rank"])
        refused = CounterMetricFamily(
            "kk3_steps_refused", "Why steps ran vLLM's layers", labels=["rank", "reason"]
        )
        for state in states:
            rank = str(state["rank"])
            told = [str(state.get(name, "")) for name in ("ranks", *_INFO)]
            info.add_metric([rank, *told], 1)
            off.add_metric([rank], _number(state.get("switched_off")))
            why = state.get("refused")
            why = why if isinstance(why, dict) else {}
            stock.add_metric([rank], sum(_number(n) for n in why.values()))
            for reason, count in sorted(why.items()):
                refused.add_metric([rank, reason], _number(count))
        yield from (info, off, stock, refused)
        for name, (key, text) in _COUNTERS.items():
            family = CounterMetricFamily(name, text, labels=["rank"])
            for state in states:
                family.add_metric([str(state["rank"])], _number(state.get(key)))
            yield family


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


_exposed: list[Path] = []


def expose(folder: Path) -> None:
    """Show the folder's states at this process's ``/metrics``; the second time does nothing.

    Also with several API servers, each of which serves a registry made afresh.
    """
    if _exposed:
        return
    _exposed.append(folder)
    import prometheus_client

    collector = StateCollector(folder)
    prometheus_client.REGISTRY.register(collector)
    from kk3fast.serve.imports import after_import

    def also_fresh_registries(module: Any) -> None:
        made = module.get_prometheus_registry

        def get_prometheus_registry() -> Any:
            registry = made()
            if registry is not prometheus_client.REGISTRY:
                registry.register(collector)
            return registry

        module.get_prometheus_registry = get_prometheus_registry

    after_import("vllm.v1.metrics.prometheus", also_fresh_registries)


def expose_if_serving() -> None:
    """In a process that a gated server started: show its states too."""
    folder = state_folder()
    if folder is not None and folder.is_dir():
        expose(folder)
