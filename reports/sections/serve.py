"""Records of ``verify bench``."""

from __future__ import annotations

from typing import Any

from reports.figures import cost, serve
from reports.frames import number
from reports.records import Item
from reports.section import Section, Table


def section(item: Item, anchor: str) -> Section:
    """A record of ``verify bench serve``."""
    d = item.data
    points = d["points"]
    figures = (serve.ratios(f"{anchor}-ratios", points), serve.runs(f"{anchor}-runs", points))
    return Section(
        anchor,
        item.name,
        verdict=item.verdict,
        repeat=d["command"],
        facts=_facts(d),
        tables=[_table(points)],
        figures=[f for f in figures if f is not None],
        failures=[(_name(p), p["reason"]) for p in points if p["verdict"] == "fail"],
        notes=[f"{_name(p)}: {p['reason']}." for p in points if p["verdict"] != "fail"],
    )


def layer(item: Item, anchor: str) -> Section:
    """What ``verify bench layer --json`` prints."""
    d = item.data
    rows = d["rows"]
    drawn = cost.measured(f"{anchor}-measured", rows)
    columns = ["layer", "rows", "what", "median µs", "10–90 % µs", "floor µs", "× floor", "note"]
    cells = [
        [
            r["kind"],
            str(r["rows"]),
            r["what"],
            *(
                ("not timed", "", f"{r['floor_us']:.1f}", "")
                if r["median_us"] is None
                else (
                    f"{r['median_us']:.1f}",
                    f"{r['low_us']:.1f} to {r['high_us']:.1f}",
                    f"{r['floor_us']:.1f}",
                    f"{r['median_us'] / r['floor_us']:.2f}",
                )
            ),
            r["note"],
        ]
        for r in rows
    ]
    return Section(
        anchor,
        "Measured times of layers",
        facts=[
            ("copy bandwidth", f"{d['copy_bytes_per_second'] / 1e12:.2f} TB/s"),
            ("driver, clocks", f"{d.get('driver', '')} {d.get('clocks', '')}".strip()),
        ],
        tables=[Table("Times and floors", columns, cells, frozenset(columns[3:7]))],
        figures=[drawn] if drawn else [],
    )


def _name(point: dict[str, Any]) -> str:
    return f"c{point['concurrency']} k{point['drafts']}"


def _facts(d: dict[str, Any]) -> list[tuple[str, str]]:
    facts = []
    for p in d["points"]:
        lengths = [
            f"{side} accepts {p[f'{side}_acceptance']:.2f} tokens a step"
            for side in ("off", "on")
            if p[f"{side}_acceptance"] is not None
        ]
        text = "; ".join([f"off {p['off_source']}", f"on {p['on_source']}", *lengths])
        facts.append((_name(p), text))
    if d["input_words"] is not None:
        facts.append(("load", f"{d['input_words']} words in, {d['output_tokens']} tokens out"))
    level = f"{100 * d['confidence']:g} % intervals, margin {100 * d['margin']:g} %"
    facts.append(("judged", level))
    facts.append(("made", f"{d['created']}, {number(d['seconds']):.0f} s"))
    return facts


def _table(points: list[dict[str, Any]]) -> Table:
    columns = ["point", "metric", "off", "on", "on − off", "interval", "pairs", "verdict"]
    rows = []
    for p in points:
        for i, c in enumerate(p["comparisons"]):
            limits = "one pair"
            if c["lower"] is not None:
                limits = f"{100 * (c['lower'] - 1):+.1f} to {100 * (c['upper'] - 1):+.1f} %"
            rows.append(
                [
                    _name(p) if i == 0 else "",
                    serve.UNITS[c["metric"]],
                    f"{c['off']:.2f}",
                    f"{c['on']:.2f}",
                    f"{100 * (c['ratio'] - 1):+.1f} %",
                    limits,
                    str(c["pairs"]),
                    p["verdict"] if i == 0 else "",
                ]
            )
    note = "TPOT in ms; geometric means over the seeds."
    return Table("Paired speeds", columns, rows, frozenset(columns[2:-1]), note)
