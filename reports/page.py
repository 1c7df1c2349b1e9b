"""One self-contained HTML page, its figures as files, and a summary for a pull request."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from reports.drawn import Drawn, svg, write
from reports.gate import Gate, gate
from reports.palette import VERDICTS, css
from reports.records import Item
from reports.section import Section
from reports.sections import evals, layer, others, serve, suites, together

DETAIL = 4
"""Layer records whose figures are drawn unless more are asked for; failing ones come first."""
DATA_ROWS = 200
"""Rows of a figure's numbers on the page; its CSV file has them all."""
ABSENT = {
    "layer": "layers (`verify layer`)",
    "replay": "replays (`verify replay`)",
    "sweep": "sweeps (`verify sweep`)",
    "steps": "many steps (`verify steps`)",
    "faults": "the fault suite (`verify faults`)",
    "isa": "builds and predicted time (`verify isa --simulate --save`)",
    "bench_layer": "measured times (`verify bench layer`)",
    "eval": "accuracy (`verify eval`)",
    "bench_serve": "serving speed (`verify bench serve`)",
}


@dataclass(frozen=True)
class Report:
    """What was written.

    Attributes:
        page: the HTML file.
        summary: the Markdown file.
        gate: what the records say together.
        figures: how many figures were drawn.
    """

    page: Path
    summary: Path
    gate: Gate
    figures: int


def build(
    items: Sequence[Item],
    out: Path,
    detail: int | None = DETAIL,
    progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Render records into a folder.

    Args:
        items: what :func:`reports.records.read_all` gives.
        out: folder; made if missing. Holds ``index.html``, ``summary.md`` and ``figures/``.
        detail: layer records whose figures are drawn (all if None).
        progress: called with a short text before each piece of work.
    """
    anchors = _anchors(items)
    drawn = _drawn(items, detail)
    found: list[Section] = []
    for item, anchor in zip(items, anchors, strict=True):
        progress(f"read {item.path.name}")
        found.append(_section(item, anchor, id(item) in drawn))
    shared = [
        section
        for make in (together.families, together.schedules, together.faults, together.depth)
        if (section := make(items)) is not None
    ]
    state = gate(items)
    found = shared + found if len(items) > 1 else found + shared
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    figures = [figure for section in found for figure in section.figures + section.folded]
    for figure in figures:
        progress(f"draw {figure.name}")
        write(figure, folder)
    absent = [text for kind, text in ABSENT.items() if all(i.kind != kind for i in items)]
    values = {
        "gate": state,
        "overview": together.overview(items, anchors),
        "sections": found,
        "absent": absent,
        "anchors": anchors,
        "items": items,
    }
    page, summary = out / "index.html", out / "summary.md"
    templates = _environment()
    progress("write the page")
    _write(page, templates.get_template("page.html").render(values))
    _write(summary, templates.get_template("summary.md").render(values))
    return Report(page, summary, state, len(figures))


def _section(item: Item, anchor: str, draw: bool) -> Section:
    if item.kind == "layer":
        return layer.section(item, anchor, draw)
    makers = {
        "isa": others.isa,
        "replay": others.replay,
        "faults": suites.faults,
        "sweep": suites.sweep,
        "steps": suites.steps,
        "bench_layer": serve.layer,
        "eval": evals.section,
        "bench_serve": serve.section,
    }
    return makers.get(item.kind, others.other)(item, anchor)


def _drawn(items: Sequence[Item], detail: int | None) -> set[int]:
    layers = [item for item in items if item.kind == "layer"]
    layers.sort(key=lambda item: ("fail", "not_checked", "pass").index(item.verdict))
    return {id(item) for item in layers[:detail]}


def _anchors(items: Sequence[Item]) -> list[str]:
    anchors: list[str] = []
    for item in items:
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", item.path.stem).strip("-.") or "record"
        anchor, number = stem, 2
        while anchor in anchors:
            anchor, number = f"{stem}-{number}", number + 1
        anchors.append(anchor)
    return anchors


def _environment() -> Environment:
    folder = files("reports") / "templates"
    texts = {
        name: (folder / name).read_text("utf-8")
        for name in ("page.html", "parts.html", "style.css", "summary.md")
    }
    made = Environment(
        loader=DictLoader(texts),
        autoescape=lambda name: bool(name and name.endswith(".html")),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.globals["style"] = Markup(
        texts["style.css"].replace("/*light*/", css("light")).replace("/*dark*/", css("dark"))
    )
    made.filters["svg"] = lambda figure: Markup(svg(figure))
    made.filters["mark"] = lambda verdict: VERDICTS[verdict][1]
    made.filters["code"] = _code
    made.filters["cell"] = lambda text: str(text).replace("|", "\\|").replace("\n", " ")
    made.filters["data"] = _data
    made.globals["data_rows"] = DATA_ROWS
    made.globals["verdicts"] = {name: name.replace("_", " ") for name in VERDICTS}
    return made


def _code(text: str) -> Markup:
    """Backquoted words as code."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else Markup.escape(part)
        for i, part in enumerate(text.split("`"))
    )


def _data(figure: Drawn) -> list[list[str]]:
    rows = figure.data.head(DATA_ROWS).itertuples(index=False)
    return [
        [f"{v:.4g}" if isinstance(v, float) else "" if v is None else str(v) for v in row]
        for row in rows
    ]


def _write(path: Path, text: str) -> None:
    """A text file whole or not at all."""
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".partial")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(partial).chmod(0o644)
    Path(partial).replace(path)
