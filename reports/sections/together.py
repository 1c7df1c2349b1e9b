"""What only several records together show: overview, matrices, error by depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from reports.figures import matrices
from reports.frames import number
from reports.records import Item, short_candidate
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


def _runs(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Verified layers, whether they have a record each or are rows of a sweep."""
    found = [item.data for item in items if item.kind == "layer"]
    for item in items:
        if item.kind == "sweep":
            found += [row for row in item.data["rows"] if row["layer_index"] is not None]
    return found


def families(items: Sequence[Item]) -> Section | None:
    """Layers × input families, where there is more than one record."""
    seen: dict[tuple[str, str], list[str]] = {}
    for d in _runs(items):
        key = (f"{d['layer']} layer {d['layer_index']}, {_candidate(d)}", d["family"])
        seen.setdefault(key, []).append(d["verdict"])
    if len(seen) < 2:
        return None
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
    return short_candidate(str(candidate["name"] if isinstance(candidate, dict) else candidate))


SEEN = {"pass": "seen", "fail": "not seen", "not_checked": "not applicable or not run"}


def faults(items: Sequence[Item]) -> Section | None:
    """Faults that were planted to prove that inputs could have failed."""
    cells: dict[tuple[str, str], list[str]] = {}
    for item in items:
        d = item.data
        if item.kind == "layer":
            for proof in d["vacuity"]:
                key = (proof["fault"], f"{d['layer']}: {d['family']}")
                cells.setdefault(key, []).append("pass" if proof["seen"] else "fail")
    drawn = matrices.matrix(
        "planted",
        "Faults planted to prove the inputs",
        "Which planted fault was seen on which inputs. One that is not seen means that these "
        "inputs could not have failed.",
        {key: matrices.worse(verdicts) for key, verdicts in cells.items()},
        ("fault", "where"),
        SEEN,
    )
    return None if drawn is None else Section("planted", "Proof of the inputs", figures=[drawn])


def depth(items: Sequence[Item]) -> Section | None:
    """Error over the depth of the model, from records of several layers."""
    rows: list[dict[str, Any]] = []
    for d in _runs(items):
        at = {"depth": d["layer_index"]}
        peak = _peak(d)[0] if "stages" in d else number(d["max_over_bound"])
        if peak is not None:
            panel = "largest error over its bound"
            rows.append(at | {"series": d["layer"], "value": peak, "panel": panel})
        for row in d.get("end_to_end", ()):
            series = f"{d['layer']} {row['output']}"
            panel = "relative L2 end to end (informative)"
            rows.append(at | {"series": series, "value": float(row["rel_l2"]), "panel": panel})
    drawn = matrices.depth("depth", pd.DataFrame(rows)) if rows else None
    return None if drawn is None else Section("depth", "Error by depth", figures=[drawn])
