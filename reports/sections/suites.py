"""Records of many runs: the fault suite, sweeps, and many steps."""

from __future__ import annotations

from typing import Any

from reports.figures import matrices
from reports.frames import number
from reports.records import Item
from reports.section import Section, Table
from reports.sections.others import checks_table, failed_checks

EVERY_RUN = "every run"
SHOWN_ROWS = 200


def faults(item: Item, anchor: str) -> Section:
    """A record of ``verify faults``."""
    d = item.data
    section = Section(
        anchor,
        item.name,
        verdict=item.verdict,
        repeat=d.get("command", ""),
        facts=[
            ("model", f"{d['preset']}, TP{d['tp']}, seeds {', '.join(map(str, d['seeds']))}"),
            ("made", f"{d['created']}, {number(d['seconds']):.0f} s"),
        ],
    )
    for key, title in (("faults", "Fault matrix"), ("kernel_faults", "Faults planted in kernels")):
        reports = d[key]
        if not reports:
            section.notes.append(f"{title}: not in this record.")
            continue
        drawn = matrices.matrix(
            f"{anchor}-{key}",
            title,
            "Which check saw which fault in at least one run, and whether every run saw it. "
            "A column without a mark is a check that catches nothing here.",
            _cells(reports),
            ("fault", "check"),
            {"pass": "seen", "fail": "not seen in every run", "not_checked": "not run"},
        )
        if drawn:
            section.figures.append(drawn)
        section.tables.append(_fault_table(reports, title))
        section.failures += [
            (f"{r['fault']}: {r['title']}", f"seen in {100 * r['rate']:.1f} % of the runs")
            for r in reports
            if r["verdict"] == "fail"
        ]
    if d.get("control"):
        section.tables.append(_control(d["control"]))
        section.failures += [("false alarm", text) for text in d["control"]["failures"]]
    return section


def _cells(reports: list[dict[str, Any]]) -> dict[tuple[str, str], str]:
    cells: dict[tuple[str, str], str] = {}
    for report in reports:
        name = f"{report['fault']} {report['title']}"[:60]
        cells[name, EVERY_RUN] = report["verdict"]
        for plant in report["plants"]:
            for check, share in plant["checks"].items():
                if share > 0:
                    cells[name, check.replace("_", " ")] = "pass"
    return cells


def _fault_table(reports: list[dict[str, Any]], title: str) -> Table:
    columns = ["fault", "planted as", "layer", "seen", "cheapest check", "missed seeds"]
    rows = [
        [
            report["fault"],
            plant["plant"],
            plant["kind"],
            f"{plant['detected']}/{plant['runs']}",
            plant["cheapest"],
            ", ".join(map(str, plant["missed_seeds"])),
        ]
        for report in reports
        for plant in report["plants"]
    ]
    return Table(f"{title}, plant by plant", columns, rows, frozenset({"seen"}))


def _control(control: dict[str, Any]) -> Table:
    rows = [
        ["candidates", ", ".join(control["candidates"])],
        ["cases", f"{control['cases']:,} ({control['launches']:,} launches)"],
        ["checks", f"{control['checks']:,}"],
        ["elements compared with a bound", f"{control['elements']:,}"],
        ["false alarms", str(control["false_alarms"])],
        [
            f"upper {100 * control['confidence']:g} % limit of their rate",
            f"{100 * number(control['upper']):.3f} %",  # type: ignore[operator]
        ],
        ["largest error over its bound", f"{number(control['largest']):.3f}"],
        ["at", control["largest_at"]],
    ]
    return Table("Control without a fault", ("what", "value"), rows)


def sweep(item: Item, anchor: str) -> Section:
    """A record of ``verify sweep``."""
    d = item.data
    rows = sorted(d["rows"], key=lambda r: ("fail", "not_checked", "pass").index(r["verdict"]))
    columns = ["item", "candidate", "err/bound", "at", "flips", "attempts", "verdict"]
    shown = [
        [
            r["key"],
            r["candidate"],
            f"{number(r['max_over_bound']):.3f}",
            r["at"],
            str(r["flips"]),
            str(r["attempts"]),
            r["verdict"],
        ]
        for r in rows[:SHOWN_ROWS]
    ]
    section = Section(
        anchor,
        item.name,
        verdict=item.verdict,
        repeat=d["command"],
        facts=[
            ("items", ", ".join(f"{n} {verdict}" for verdict, n in d["counts"].items())),
            ("reused, retried", f"{d['reused']}, {d['retried']}"),
            ("made", f"{d['created']}, {number(d['seconds']):.0f} s"),
            ("hardware (gfx950)", d["hardware"]),
        ],
        tables=[Table("Items, failing ones first", columns, shown, frozenset({"err/bound"}))],
        failures=[(r["key"], "; ".join(r["failed"])) for r in rows if r["verdict"] == "fail"],
    )
    if len(rows) > SHOWN_ROWS:
        section.notes.append(f"The first {SHOWN_ROWS} of {len(rows)} items are shown.")
    return section


def steps(item: Item, anchor: str) -> Section:
    """A record of ``verify steps``."""
    d = item.data
    columns = ["view", "what", "layer", "candidate", "baseline", "ratio", "limit"]
    growth = [
        [g["view"], g["what"], str(g["layer"])]
        + [f"{number(g[k]):.3g}" for k in ("candidate", "baseline", "ratio", "limit")]
        for g in d["growth"]
    ]
    flips = [
        [f["what"], str(f["candidate"]), str(f["baseline"]), f"{number(f['limit']):.3g}"]
        for f in d["flips"]
    ]
    return Section(
        anchor,
        item.name,
        verdict=item.verdict,
        repeat=d["command"],
        facts=[
            ("candidate", d["candidate"]["name"]),
            ("model", f"{d['preset']}, weights {d['weights']}, TP{d['tp']}, seed {d['seed']}"),
            ("steps", f"{d['steps']} of {d['requests']} requests, {d['drafts']} drafts"),
            ("made", f"{d['created']}, {number(d['seconds']):.0f} s"),
            ("hardware (gfx950)", d["hardware"]),
        ],
        tables=[
            checks_table(d["checks"]),
            Table("Growth of the error over the steps", columns, growth, frozenset(columns[2:])),
            Table(
                "Flips against the baseline's",
                ("what", "candidate", "baseline", "limit"),
                flips,
                frozenset({"candidate", "baseline", "limit"}),
            ),
        ],
        failures=failed_checks(d["checks"]),
        notes=list(d["notes"]),
    )
