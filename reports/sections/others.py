"""Records that are not of one layer: builds, replays, and kinds a page has no figures for."""

from __future__ import annotations

from typing import Any

from reports.figures import cost
from reports.frames import number
from reports.records import Item
from reports.section import Section, Table
from reports.sections.layer import builds


def isa(item: Item, anchor: str) -> Section:
    """A record of ``verify isa``."""
    found = item.data["builds"]
    columns = ("build", "ISA sha256", "VGPR", "SGPR", "LDS KiB", "predicted µs")
    rows = []
    for b in found:
        facts, predicted = b.get("facts", {}), b.get("predicted_us")
        rows.append(
            [
                b.get("build", "?"),
                (b.get("identity", {}).get("isa_sha256") or "")[:16],
                facts.get("vgpr", facts.get("vgprs", "")),
                facts.get("sgpr", facts.get("sgprs", "")),
                f"{facts['lds_bytes'] / 1024:.1f}" if "lds_bytes" in facts else "",
                "" if predicted is None else f"{predicted:.1f}",
            ]
        )
    drawn = cost.predicted(f"{anchor}-predicted", found)
    section = Section(
        anchor, "Builds", tables=[Table("Builds", columns, rows, frozenset(columns[2:]))]
    )
    if drawn:
        section.figures.append(drawn)
    else:
        section.notes.append("No predicted time in this record: `verify isa --simulate` adds it.")
    return section


def replay(item: Item, anchor: str) -> Section:
    """A record of ``verify replay``."""
    d = item.data
    section = Section(
        anchor,
        item.name,
        verdict=item.verdict,
        facts=[
            ("candidate", d["candidate"]["name"]),
            ("mode", d["mode"]),
            ("launches", f"{d['launches']} on the same inputs, {d.get('calls', 0)} back to back"),
            ("model", f"{d['preset']}, weights {d['weights']}, TP{d['tp']}"),
            ("made", f"{d['created']}, {number(d['seconds']):.1f} s"),
            ("hardware (gfx950)", d["hardware"]),
        ],
        repeat=d["command"],
        tables=[checks_table(d["checks"])],
        failures=failed_checks(d["checks"]),
        notes=list(d["notes"]),
    )
    if d.get("builds"):
        section.tables.append(builds(d["builds"]))
    return section


def other(item: Item, anchor: str) -> Section:
    """A record of a kind that a page draws nothing of: its checks and its plain fields."""
    d = item.data
    plain = [(k, str(v)) for k, v in d.items() if isinstance(v, (str, int, float))]
    checks = [c for c in d.get("checks", []) if isinstance(c, dict) and "verdict" in c]
    return Section(
        anchor,
        item.name,
        verdict=item.verdict,
        facts=[(k, v) for k, v in plain if k not in ("command", "verdict", "schema_version")],
        repeat=str(d.get("command", "")),
        tables=[checks_table(checks)] if checks else [],
        failures=failed_checks(checks),
    )


def failed_checks(checks: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Name and message of every failed check."""
    return [(c.get("name", "?"), c.get("message", "")) for c in checks if c["verdict"] == "fail"]


def checks_table(checks: list[dict[str, Any]]) -> Table:
    """Every check with what was measured."""
    rows = []
    for check in checks:
        value, limit = number(check.get("value")), number(check.get("limit"))
        rows.append(
            [
                str(check.get("name", "?")).replace("_", " "),
                "" if value is None else f"{value:.6g}",
                "" if limit is None else f"{limit:.6g}",
                check["verdict"],
                check.get("message", "") if check["verdict"] != "fail" else "",
            ]
        )
    columns = ("check", "value", "limit", "verdict", "note")
    return Table("Checks", columns, rows, frozenset({"value", "limit"}))
