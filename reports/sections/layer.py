"""A record of ``verify layer``."""

from __future__ import annotations

from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file

from reports.drawn import Drawn
from reports.figures import distributions, maps, stages
from reports.frames import Frames, number, of_record
from reports.records import Item
from reports.section import Section, Table

MAPS = 3
"""Passing outputs whose maps are drawn: those nearest to their bounds."""


def section(item: Item, anchor: str, draw: bool) -> Section:
    """The section of one layer record.

    Args:
        draw: whether to draw its figures; its tables always come.
    """
    record = item.data
    frames = of_record(record)
    found = Section(
        anchor,
        item.name,
        verdict=record["verdict"],
        facts=facts(record),
        failures=failures(record),
        repeat=record["command"],
        tables=[_stages(record), _layer(record), _end_to_end(record)],
        notes=_notes(record),
    )
    if record["builds"]:
        found.tables.append(builds(record["builds"]))
    if draw:
        _draw(found, item, frames, anchor)
    else:
        found.notes.append("Figures left out here; `--detail` draws more records.")
    return found


def _draw(found: Section, item: Item, frames: Frames, anchor: str) -> None:
    chosen, others = _interesting(frames)
    figures: list[Drawn | None] = [stages.error_over_bound(frames, anchor)]
    for stage, output in chosen:
        figures.append(maps.error_maps(frames, stage, output, anchor))
        figures.append(_detail(item, stage, output, anchor))
    figures.append(distributions.ulps(frames, chosen + others[:6], anchor))
    figures.append(distributions.worst_rows(frames, anchor))
    figures.append(distributions.scatter(frames, anchor))
    figures.append(stages.bound_shares(frames, anchor))
    found.figures = [f for f in figures if f is not None]
    folded = [maps.error_maps(frames, stage, output, anchor) for stage, output in others]
    found.folded = [f for f in folded if f is not None]
    if not any(True for output in _outputs(item.data) if output.get("errors")):
        found.notes.append(
            "Error maps, ulp histograms, worst rows and the scatter are not in this record: it was "
            "written before records kept them."
        )


def _interesting(frames: Frames) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Outputs whose maps are shown at once: failing ones, then the nearest to their bounds."""
    outputs = frames.outputs
    failing = outputs[outputs["verdict"] == "fail"]
    ranked = outputs[outputs["verdict"] != "fail"].dropna(subset=["max_over_bound"])
    ranked = ranked.sort_values("max_over_bound", ascending=False)
    ranked = ranked[ranked["max_over_bound"] > 0]
    near = ranked.head(MAPS if failing.empty else 1)

    def names(frame: Any) -> list[tuple[str, str]]:
        return list(zip(frame["stage"], frame["output"], strict=True))

    chosen = names(failing) + names(near)
    return chosen, [pair for pair in names(outputs) if pair not in chosen]


def _detail(item: Item, stage: str, output: str, anchor: str) -> Drawn | None:
    found = next(o for s, o in _placed(item.data) if (s, o["output"]) == (stage, output))
    if not found["saved"] or not found["worst"]:
        return None
    try:
        tensors = load_file(item.path.parent / found["saved"])
    except (OSError, SafetensorError):
        return None  # a record sent alone still has its map
    return maps.detail(tensors, stage, output, found["worst"], anchor)


def _placed(record: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(s["stage"], o) for s in record["stages"] for o in s["outputs"]]


def _outputs(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [output for _, output in _placed(record)]


def facts(record: dict[str, Any]) -> list[tuple[str, str]]:
    """What a record was made of."""
    step, where = record["step"], record["environment"]
    candidate = record["candidate"]
    accepted = ", ".join(map(str, step["accepted"]))
    found = [
        ("candidate", f"{candidate['name']}: {candidate['description']}".rstrip(": ")),
        ("model", f"{record['preset']}, weights {record['weights']}, TP{record['tp']}"),
        (
            "step",
            f"{step['rows']} rows: {step['requests']} requests × {step['drafts'] + 1}, accepted "
            f"{accepted}, {step['padded']} padded",
        ),
        ("inputs", f"family {record['family']}, seed {record['seed']}"),
        ("made", f"{record['created']}, {number(record['seconds']):.1f} s"),
        (
            "where",
            f"{where['platform']}, {where['device']}; kk3 {where['kk3']}, torch {where['torch']}, "
            f"Python {where['python']}",
        ),
        ("hardware (gfx950)", record["hardware"]),
    ]
    if record.get("simulation"):
        s = record["simulation"]
        found.insert(
            -1,
            (
                "simulated",
                f"schedule {s['schedule']}, {s['wave_ops']:,} wave operations, longest chain of "
                f"hand-offs {s['longest_chain']}",
            ),
        )
    return found


def failures(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Every failed check, with its place."""
    found = [
        (f"{stage}.{output['output']}: {check['name']}", check["message"])
        for stage, output in _placed(record)
        for check in output["checks"]
        if check["verdict"] == "fail"
    ]
    found += [
        (f"layer: {check['name']}", check["message"])
        for check in record["layer_checks"]
        if check["verdict"] == "fail"
    ]
    found += [
        ("vacuous inputs", f"“{proof['fault']}” planted in {proof['stage']} was not seen")
        for proof in record["vacuity"]
        if not proof["seen"]
    ]
    return found


def _stages(record: dict[str, Any]) -> Table:
    columns = ["stage", "output", "check", "worst element", "error", "bound", "err/bound"]
    columns += ["worst row", "ratio", "flips", "verdict"]
    rows = []
    for stage in record["stages"]:
        for i, output in enumerate(stage["outputs"]):
            rows.append([stage["stage"] if i == 0 else "", *_cells(output)])
    numbers = frozenset(columns[3:10])
    return Table("Stages, each judged on the candidate's own inputs", columns, rows, numbers)


def _cells(output: dict[str, Any]) -> list[str]:
    checks = {check["name"]: check for check in output["checks"]}
    main = ", ".join(n for n in ("exact", "bound", "picks", "codes", "exposed") if n in checks)
    verdict = f"with {output['covered_by']}" if output["covered_by"] else output["verdict"]
    flips = checks.get("flips", {}).get("value")
    metrics, worst, ratio = output["metrics"], output["worst"], checks.get("ratio")
    shown = ""
    if ratio and ratio["limit"]:
        shown = f"{number(ratio['value']) / number(ratio['limit']):.3f}"  # type: ignore[operator]
    figures = [""] * 5
    if metrics and worst:
        figures = [
            f"r{worst['rank']} {worst['index']}",
            f"{number(worst['error']):.2e}",
            f"{number(worst['bound']):.2e}",
            f"{number(metrics['max_over_bound']):.3f}",
            f"{metrics['worst_row']}: {number(metrics['worst_row_rel_l2']):.1e}",
        ]
    return [
        output["output"],
        main,
        *figures,
        shown,
        f"{int(flips)}" if flips is not None else "",
        verdict,
    ]


def _layer(record: dict[str, Any]) -> Table:
    rows = [[check["name"].replace("_", " "), check["verdict"]] for check in record["layer_checks"]]
    for proof in record["vacuity"]:
        text = f"planted “{proof['fault']}” in {proof['stage']} is seen"
        rows.append([text, "pass" if proof["seen"] else "fail"])
    rows.append(["hardware (gfx950)", record["hardware"]])
    return Table("Layer", ("check", "verdict"), rows)


def _end_to_end(record: dict[str, Any]) -> Table:
    columns = ("output", "cosine", "rel-L2", "worst row", "used upstream")
    rows = [
        [
            row["output"],
            f"{number(row['cosine']):.8f}",
            f"{number(row['rel_l2']):.2e}",
            f"{number(row['worst_row_rel_l2']):.2e}",
            row["upstream"],
        ]
        for row in record["end_to_end"]
    ]
    title = "End to end against the free-running oracle (informative)"
    return Table(title, columns, rows, frozenset(columns[1:4]))


def builds(found: list[dict[str, Any]]) -> Table:
    """Compiled kernels by their digests."""
    columns = ("kernel", "target", "ISA sha256", "IR sha256", "sources")
    rows = [
        [
            b["kernel"],
            b["target"],
            (b["isa_sha256"] or "")[:16],
            b["ir_sha256"][:16],
            b["source_digest"][:16],
        ]
        for b in found
    ]
    return Table("Builds", columns, rows)


def _notes(record: dict[str, Any]) -> list[str]:
    notes = [f"{s['stage']}: {s['note']}." for s in record["stages"] if s["note"]]
    simulation = record.get("simulation") or {}
    return notes + [f"Simulator: {finding}" for finding in simulation.get("findings", [])]
