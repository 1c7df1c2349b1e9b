"""What a server behind kk3's gate tells of itself in ``/metrics``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from verify.evals.record import Served

INFO, PLANNED, STOCK = "kk3_gate_info", "kk3_steps_planned_total", "kk3_steps_stock_total"


@dataclass(frozen=True)
class GateReading:
    """One reading.

    Attributes:
        told: the labels of ``kk3_gate_info`` that all ranks share.
        pids: the workers' processes by rank: another server's counters do not go on from these.
        planned, stock: steps by rank.
    """

    told: Mapping[str, str]
    pids: Mapping[str, str]
    planned: Mapping[str, float]
    stock: Mapping[str, float]


def read_gate(metrics: str) -> GateReading | None:
    """A reading out of the text of ``/metrics``; None if no gate is open, or ranks disagree."""
    from prometheus_client.parser import text_string_to_metric_families

    told: list[dict[str, str]] = []
    pids: dict[str, str] = {}
    steps: dict[str, dict[str, float]] = {PLANNED: {}, STOCK: {}}
    try:
        for family in text_string_to_metric_families(metrics):
            for sample in family.samples:
                if sample.name == INFO:
                    shared = dict(sample.labels)
                    pids[shared.pop("rank", "")] = shared.pop("pid", "")
                    told.append(shared)
                elif sample.name in steps:
                    steps[sample.name][sample.labels.get("rank", "")] = sample.value
    except ValueError:
        return None
    if not told or not told[0] or any(labels != told[0] for labels in told):
        return None
    return GateReading(told[0], pids, steps[PLANNED], steps[STOCK])


def served_between(before: GateReading | None, after: GateReading | None) -> Served | None:
    """What one server did between two readings; None if it is not one and the same."""
    if before is None or after is None or (before.told, before.pids) != (after.told, after.pids):
        return None
    planned, stock = (_grown(getattr(before, n), getattr(after, n)) for n in ("planned", "stock"))
    tp = after.told.get("tp", "")
    if planned is None or stock is None or not tp.isdecimal():
        return None
    names = ("deployment", "model", "backend", "kernels", "opens", "device")
    values = {name: after.told.get(name, "") for name in names}
    return Served(**values, tp=int(tp), planned=planned, stock=stock)


def first_reading(path: Path, now: GateReading | None, resumed: bool) -> GateReading | None:
    """The reading that a run began with, kept beside its answers.

    A run that goes on where it stopped is one run: what its server did in between counts, and
    answers that were given before anything was read are bound to nothing.

    Args:
        path: of the kept reading.
        now: a reading now.
        resumed: whether answers are there already.
    """
    if not resumed:
        path.write_text(json.dumps(None if now is None else asdict(now)))
        return now
    try:
        kept = json.loads(path.read_text())
        return None if kept is None else GateReading(**kept)
    except (OSError, ValueError, TypeError):
        return None


def _grown(before: Mapping[str, float], after: Mapping[str, float]) -> int | None:
    """The largest growth of a rank's counter; None if one fell: another process counts there."""
    if set(before) != set(after) or any(after[r] < before[r] for r in after):
        return None
    return int(max((after[r] - before[r] for r in after), default=0))
