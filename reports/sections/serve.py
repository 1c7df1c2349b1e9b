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
    """A record of ``verify bench layer``: ``points`` with name, median_us, low_us, high_us and
    floor_us are drawn."""
    d = item.data
    drawn = cost.roofline(f"{anchor}-floor", d.get("points", []))
    return Section(
        anchor,
        item.name,
        verdict=item.verdict,
        repeat=str(d.get("command", "")),
        figures=[drawn] if drawn else [],
        notes=[str(note) for note in d.get("notes", [])],
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
