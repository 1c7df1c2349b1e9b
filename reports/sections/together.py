"""What only several records together show: overview, matrices, error by depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from reports.figures import matrices
from reports.frames import number
from reports.records import Item
from reports.section import Section, Table


def overview(items: Sequence[Item], anchors: Sequence[str]) -> Table:
    """One row a record."""
    rows: list[list[Any]] = []
    for item, anchor in zip(items, anchors, strict=True):
        peak, at = _peak(item.data) if item.kind == "layer" else (None, "")
        rows.append(
            [
                (item.name, anchor),
                item.kind.replace("_", " "),
                "" if peak is None else f"{peak:.3f}",
                at,
                str(item.data.get("hardware", "")),
                item.verdict,
            ]
        )
    columns = ("record", "kind", "err/bound", "at", "hardware", "verdict")
    return Table("Records", columns, rows, frozenset({"err/bound"}))


def _peak(record: dict[str, Any]) -> tuple[float | None, str]:
    found = [
        (number(output["metrics"]["max_over_bound"]) or 0.0, f"{s['stage']}.{output['output']}")
        for s in record["stages"]
        for output in s["outputs"]
        if output["metrics"]
    ]
    return max(found, default=(None, ""))


def families(items: Sequence[Item]) -> Section | None:
    """Layers × input families, where there is more than one record."""
    layers = [item for item in items if item.kind == "layer"]
    if len(layers) < 2:
        return None
    seen: dict[tuple[str, str], list[str]] = {}
    for item in layers:
        d = item.data
        key = (f"{d['layer']} layer {d['layer_index']}, {d['candidate']['name']}", d["family"])
        seen.setdefault(key, []).append(d["verdict"])
    drawn = matrices.matrix(
        "families",
        "Layers and input families",
        "Worst verdict of each layer on each input family.",
        {key: matrices.worse(verdicts) for key, verdicts in seen.items()},
        ("layer", "family"),
    )
    return Section("families", "Layers and input families", figures=[drawn] if drawn else [])


def schedules(items: Sequence[Item]) -> Section | None:
    """Replays, and runs under several schedules of the simulator."""
    cells: dict[tuple[str, str], list[str]] = {}
    for item in items:
        d = item.data
        simulation = d.get("simulation") if item.kind in ("layer", "replay") else None
        name = f"{d.get('layer')} layer {d.get('layer_index')}, {_candidate(d)}"
        if item.kind == "layer" and simulation:
            key = (f"{name}: {d['family']}", f"schedule {simulation['schedule']}")
            cells.setdefault(key, []).append(d["verdict"])
        if item.kind == "replay":
            schedule = f", {simulation['schedule']}" if simulation else ""
            for check in d["checks"]:
                key = (check["name"].replace("_", " "), f"{name}, {d['mode']}{schedule}")
                cells.setdefault(key, []).append(check["verdict"])
    drawn = matrices.matrix(
        "schedules",
        "Schedules and replays",
        "Bitwise equality over repeated launches, replays with changed inputs, slots, counts and "
        "lengths, and simulated schedules.",
        {key: matrices.worse(verdicts) for key, verdicts in cells.items()},
        ("check", "run"),
    )
    if drawn is None:
        return None
    return Section("schedules", "Schedules and replays", figures=[drawn])


def _candidate(data: dict[str, Any]) -> str:
    candidate = data.get("candidate")
    return str(candidate["name"] if isinstance(candidate, dict) else candidate or "")


SEEN = {"pass": "seen", "fail": "not seen", "not_checked": "not applicable or not run"}


def faults(items: Sequence[Item]) -> Section | None:
    """Planted faults: those that proved inputs, and those of the fault suite."""
    cells: dict[tuple[str, str], list[str]] = {}
    for item in items:
        d = item.data
        if item.kind == "layer":
            for proof in d["vacuity"]:
                key = (proof["fault"], f"{d['layer']}: {d['family']}")
                cells.setdefault(key, []).append("pass" if proof["seen"] else "fail")
        if item.kind == "faults":
            for row in fault_rows(d):
                cells.setdefault((row["fault"], row["check"]), []).append(row["verdict"])
    drawn = matrices.matrix(
        "faults",
        "Planted faults",
        "Which planted fault was seen where. A fault that is not seen means that the inputs, or "
        "the checks, are too weak.",
        {key: matrices.worse(verdicts) for key, verdicts in cells.items()},
        ("fault", "where"),
        SEEN,
    )
    return None if drawn is None else Section("faults", "Planted faults", figures=[drawn])


def fault_rows(data: dict[str, Any]) -> list[dict[str, str]]:
    """Fault, check and verdict of a fault suite's record."""
    rows = []
    for fault in data.get("faults", []):
        name = " ".join(str(fault[k]) for k in ("id", "name") if fault.get(k))
        caught = list(fault.get("caught_by", fault.get("by", [])))
        if not fault.get("seen", bool(caught)):
            rows.append({"fault": name, "check": "any check", "verdict": "fail"})
        for check in caught:
            rows.append({"fault": name, "check": str(check), "verdict": "pass"})
    return rows


def depth(items: Sequence[Item]) -> Section | None:
    """Error over the depth of the model, from records of several layers."""
    rows: list[dict[str, Any]] = []
    for item in items:
        if item.kind != "layer":
            continue
        d = item.data
        peak, _ = _peak(d)
        at = {"depth": d["layer_index"]}
        if peak is not None:
            panel = "largest error over its bound"
            rows.append(at | {"series": d["layer"], "value": peak, "panel": panel})
        for row in d["end_to_end"]:
            series = f"{d['layer']} {row['output']}"
            panel = "relative L2 end to end (informative)"
            rows.append(at | {"series": series, "value": float(row["rel_l2"]), "panel": panel})
    drawn = matrices.depth("depth", pd.DataFrame(rows)) if rows else None
    return None if drawn is None else Section("depth", "Error by depth", figures=[drawn])
