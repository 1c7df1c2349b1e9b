"""A record of ``verify eval``."""

from __future__ import annotations

from typing import Any

from reports.figures import evals
from reports.frames import number
from reports.records import Item
from reports.section import Section, Table

CASES = 400
"""Disagreements on the page; the record has all."""


def section(item: Item, anchor: str) -> Section:
    """The section of one accuracy comparison."""
    d = item.data
    tasks, sides = d["tasks"], d["sides"]
    names = [side["name"] for side in sides]
    found = Section(
        anchor,
        d["title"],
        verdict=d["verdict"],
        facts=_facts(d),
        repeat=d["command"],
        tables=[_paired(tasks, names), _answers(tasks, names)],
        notes=[f"{t['task']}: {t['reason']}." for t in tasks if t["verdict"] != "fail"],
        failures=[(t["task"], t["reason"]) for t in tasks if t["verdict"] == "fail"],
    )
    found.notes += [c["message"] for c in d["checks"] if c["verdict"] != "pass"]
    found.notes.append(
        "Non-significance is not equivalence: what is excluded is what the interval excludes."
    )
    figures = (
        evals.differences(f"{anchor}-differences", tasks, d["margin"]),
        evals.discordant(f"{anchor}-discordant", tasks, names),
    )
    found.figures = [f for f in figures if f is not None]
    cases = [_case(t, case, names) for t in tasks for case in t["disagreements"]]
    found.cases = cases[:CASES]
    if len(cases) > CASES:
        found.notes.append(f"The first {CASES} of {len(cases)} disagreements are shown.")
    return found


def _facts(d: dict[str, Any]) -> list[tuple[str, str]]:
    facts = []
    for side in d["sides"]:
        length = side["mean_acceptance_length"]
        served = "not served" if length is None else f"{length:.3f} tokens a step"
        text = f"{side['source']}, model {side['model'] or 'not named'}; mean acceptance {served}"
        facts.append((side["name"], text))
    facts.append(
        (
            "fixed before",
            f"margin {100 * d['margin']:g} points, two-sided level {d['alpha']:g}, "
            f"power {100 * d['power']:g} %",
        )
    )
    if d["generation"]:
        facts.append(("generation", ", ".join(f"{k}={v}" for k, v in d["generation"].items())))
    facts.append(("made", f"{d['created']}, {number(d['seconds']):.0f} s"))
    return facts


def _paired(tasks: list[dict[str, Any]], names: list[str]) -> Table:
    columns = ["task", "n×k", *names, "difference", "interval", "b", "c", "p", "p Holm"]
    columns += ["detectable", "discordant", "verdict"]
    rows = []
    for t in tasks:
        low, high = t["interval"]["lower"], t["interval"]["upper"]
        least = t["detectable_difference"]
        rows.append(
            [
                t["task"],
                f"{t['questions']}×{t['samples']}",
                f"{t['off']['score']:.4f}",
                f"{t['on']['score']:.4f}",
                f"{100 * t['difference']:+.2f}",
                f"{100 * low:+.2f} to {100 * high:+.2f}",
                str(t["b"]),
                str(t["c"]),
                f"{t['p']:.3g}",
                f"{t['p_holm']:.3g}",
                "" if least is None else f"{100 * least:.2f}",
                f"{100 * t['discordance']:.2f} %",
                t["verdict"],
            ]
        )
    note = (
        f"b: right only {names[0]}; c: right only {names[1]}. Differences and intervals in points. "
        "p: exact McNemar, or a clustered t test where a question has several samples. Detectable: "
        "the true difference that the test finds with the wanted power."
    )
    return Table("Paired results", columns, rows, frozenset(columns[1:-1]), note)


def _answers(tasks: list[dict[str, Any]], names: list[str]) -> Table:
    columns = ["task", "same text", "discordance", "in the control", "excess p (Holm)"]
    columns += [f"empty, malformed, cut off: {name}" for name in names]
    rows = []
    for t in tasks:
        excess = t["excess"]
        limits = f"{100 * t['discordance_lower']:.2f} to {100 * t['discordance_upper']:.2f} %"
        control = f"{100 * excess['control_discordance']:.2f} %" if excess else "no control"
        row = [t["task"], f"{100 * t['same_text']:.1f} %", limits, control]
        row.append(f"{excess['p_holm']:.3g}" if excess else "")
        for side in ("off", "on"):
            row.append(", ".join(str(t[side][k]) for k in ("empty", "malformed", "cut_off")))
        rows.append(row)
    return Table("Answers", columns, rows, frozenset(columns[1:]))


def _case(task: dict[str, Any], case: dict[str, Any], names: list[str]) -> dict[str, Any]:
    sides = []
    for name, side in zip(names, ("off", "on"), strict=True):
        given = case[side]
        word = "✓ right" if given["right"] else "✗ wrong"
        sides.append({"name": name, "word": word} | given)
    who = next((s["name"] for s in sides if s["right"]), None)
    what = f"right only {who}" if case["off"]["right"] != case["on"]["right"] else "scored apart"
    sample = f", sample {case['sample']}" if task["samples"] > 1 else ""
    return {
        "name": f"{task['task']} question {case['document']}{sample}",
        "what": what,
        "question": case["question"],
        "target": case["target"],
        "sides": sides,
    }
