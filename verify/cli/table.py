"""Tables of a record for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from verify.data import Check, OutputReport, Record, Verdict
from verify.run import failures

WIDE = 130  # columns of a terminal that has room for everything
_COLUMNS = (
    "stage",
    "output",
    "check",
    "worst element",
    "error",
    "bound",
    "err/bound",
    "bound/rms",
    "worst row",
    "ratio",
    "verdict",
)
_NUMBERS = ("worst element", "error", "bound", "err/bound", "bound/rms", "worst row", "ratio")
_WIDE_ONLY = ("worst element", "error", "bound", "bound/rms", "worst row")
COLORS = {Verdict.PASS: "green", Verdict.FAIL: "red", Verdict.NOT_CHECKED: "yellow"}


def make_console(stderr: bool = False) -> Console:
    """A console; where there is no terminal (a log, a pipe) it is wide enough for everything."""
    console = Console(stderr=stderr)
    if not console.is_terminal:
        console = Console(stderr=stderr, width=max(console.width, WIDE + 40))
    return console


def _verdict(verdict: Verdict) -> str:
    return f"[{COLORS[verdict]}]{verdict.value}[/]"


def show_record(console: Console, record: Record) -> None:
    """The per-stage table, the layer's checks and the end-to-end figures."""
    step = record.step
    title = (
        f"{record.layer} · layer {record.layer_index} · {record.preset} · TP{record.tp} · "
        f"{step.rows} rows ({step.requests}×{step.drafts + 1}) · {record.family} · "
        f"candidate {record.candidate.name}"
    )
    table = Table(title=title, title_justify="left")
    shown = [c for c in _COLUMNS if console.width >= WIDE or c not in _WIDE_ONLY]
    for name in shown:
        table.add_column(name, justify="right" if name in _NUMBERS else "left", no_wrap=True)
    for report in record.stages:
        for i, output in enumerate(report.outputs):
            cells = {"stage": report.stage if i == 0 else ""} | _cells(output)
            table.add_row(*(cells.get(name, "") for name in shown))
    console.print(table)
    checks = Table(title="layer", title_justify="left")
    for name in ("check", "verdict"):
        checks.add_column(name, no_wrap=True)
    for check in record.layer_checks:
        checks.add_row(check.name, _verdict(check.verdict))
    for proof in record.vacuity:
        seen = Verdict.PASS if proof.seen else Verdict.FAIL
        checks.add_row(f"planted “{proof.fault}” in {proof.stage} is seen", _verdict(seen))
    for launch in record.launches:
        ran = f"on ranks {', '.join(map(str, launch.ranks))}" if launch.ranks else launch.note
        what = f"launch “{launch.launch}”, {launch.step.requests}×{launch.step.drafts + 1}"
        checks.add_row(f"{what} {ran}".rstrip(), _verdict(launch.verdict))
    checks.add_row("hardware (gfx950)", _verdict(record.hardware))
    console.print(checks)
    free = Table(title="end to end against the free-running oracle (informative)")
    free.title_justify = "left"
    for name in ("output", "cosine", "rel-L2", "worst row", "used upstream"):
        free.add_column(name, no_wrap=True)
    for row in record.end_to_end:
        free.add_row(
            row.output,
            f"{row.cosine:.8f}",
            f"{row.rel_l2:.2e}",
            f"{row.worst_row_rel_l2:.2e}",
            row.upstream,
        )
    console.print(free)
    console.print(f"{record.seconds:.1f} s, peak memory {record.peak_memory_mb:.0f} MiB")


def _cells(output: OutputReport) -> dict[str, str]:
    metrics, worst = output.metrics, output.worst
    verdict = f"with {output.covered_by}" if output.covered_by else _verdict(output.verdict)
    cells = {"output": output.output, "check": _criteria(output), "verdict": verdict}
    if metrics is None or worst is None:
        flips = next((c.value for c in output.checks if c.name == "flips"), None)
        return cells | {"worst element": f"{int(flips)} flips" if flips else ""}
    ratio = next((c for c in output.checks if c.name == "ratio"), None)
    return cells | {
        "worst element": f"r{worst.rank}{worst.index}",
        "error": f"{worst.error:.2e}",
        "bound": f"{worst.bound:.2e}",
        "err/bound": f"{metrics.max_over_bound:.3f}",
        "bound/rms": f"{metrics.bound_width:.1e}",
        "worst row": f"{metrics.worst_row}: {metrics.worst_row_rel_l2:.1e}",
        "ratio": _ratio(ratio),
    }


def _ratio(check: Check | None) -> str:
    if check is None or check.value is None or not check.limit:
        return ""
    return f"{check.value / check.limit:.3f}"


def _criteria(output: OutputReport) -> str:
    names = [c.name for c in output.checks]
    main = [n for n in ("exact", "bound", "picks", "codes", "exposed") if n in names]
    return ", ".join(main)


def show_failures(console: Console, record: Record) -> None:
    """Every failed check with its message, and one command that repeats it."""
    found = failures(record)
    unseen = [v for v in record.vacuity if not v.seen]
    if not found and not unseen:
        return
    for where, check in found:
        console.print(f"[red]{where}: {check.name}[/]")
        console.print(check.message, markup=False, highlight=False, soft_wrap=True)
    for proof in unseen:
        console.print(
            f"[red]vacuous inputs[/]: “{proof.fault}” planted in {proof.stage} was not seen"
        )
    console.print(f"repeat: {record.command}", markup=False, highlight=False, soft_wrap=True)


def show_summary(console: Console, records: list[Record]) -> None:
    """One line a record."""
    table = Table(title="summary", title_justify="left")
    for name in ("layer", "", "family", "step"):
        table.add_column(name, no_wrap=True)
    for name in ("err/bound", "at", "flips", "seen", "s"):
        table.add_column(name, justify="right", no_wrap=name != "at", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    for record in records:
        peak, at, flips = 0.0, "", 0.0
        for report in record.stages:
            for output in report.outputs:
                flips += sum(c.value or 0 for c in output.checks if c.name == "flips")
                if output.metrics and output.metrics.max_over_bound >= peak:
                    peak, at = output.metrics.max_over_bound, f"{report.stage}.{output.output}"
        step = record.step
        seen = sum(v.seen for v in record.vacuity)
        table.add_row(
            record.layer,
            str(record.layer_index),
            record.family,
            f"{step.requests}×{step.drafts + 1}" + (f", {step.padded} pad" if step.padded else ""),
            f"{peak:.3f}",
            at,
            f"{flips:.0f}",
            f"{seen}/{len(record.vacuity)}",
            f"{record.seconds:.1f}",
            _verdict(record.verdict),
        )
    console.print(table)
