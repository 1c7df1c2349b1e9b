"""``verify bisect``: take a failing record apart."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from verify.bisect import BisectReport, bisect
from verify.bisect.divergence import Divergence
from verify.candidates import CandidateError
from verify.cli.checks import save_model
from verify.cli.progress import progress_line
from verify.cli.table import make_console
from verify.data import Record
from verify.data.store import RecordError, read
from verify.step import UsageError
from verify.sweep.work import read_result

EXAMPLES = """examples:
  python -m verify bisect out/k1-90-normal-vllm-0.json
  python -m verify bisect out/k2-10-ties-my_kernel-0.json --seconds 60 --json
  python -m verify bisect out/k1-6-normal-my_kernel-0.json --keep-size
  python -m verify bisect out/sweep/items/0f3a5c7e9b1d2f40.json

exit codes: 0 the record does not fail, 1 it fails and was taken apart, 2 it did not come back
"""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "bisect",
        help="first divergence of a failing record, its origin, the smallest run that shows it",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("record", type=Path, help="record of python -m verify layer, or item of a sweep")
    p.add_argument("--keep-size", action="store_true", help="do not look for a smaller run")
    p.add_argument(
        "--seconds", type=float, default=300.0, help="begin no smaller run later (default: 300)"
    )
    p.add_argument("--out", type=Path, default=Path("out"), help="folder for the report")
    p.add_argument("--json", action="store_true", help="print the report as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify bisect``."""
    if not arguments.seconds >= 0:
        raise UsageError(f"--seconds must be 0 or more, got {arguments.seconds}")
    record = _read(arguments.record)
    console = make_console(stderr=arguments.json)
    with progress_line(console) as update:
        try:
            report = bisect(
                arguments.record,
                record,
                arguments.out,
                small=not arguments.keep_size,
                seconds=arguments.seconds,
                progress=update,
            )
        except CandidateError as error:
            raise UsageError(str(error)) from error
    path = save_model(report, arguments.out, f"bisect-{arguments.record.stem}")
    if arguments.json:
        print(report.model_dump_json(indent=2))
    else:
        _show(console, report)
        console.print(f"report: {path}", soft_wrap=True)
    return report.verdict.exit_code


def _read(path: Path) -> Record:
    """A record of ``verify layer``, or the one in an item of a sweep."""
    try:
        return read(path)
    except RecordError as error:
        try:
            item = read_result(path.read_text())
        except (OSError, UnicodeDecodeError):
            item = None
        if item is None:
            raise UsageError(str(error)) from error
        if item.record is None:
            raise UsageError(f"{path} must hold a run that was made: {item.error}") from None
        return item.record


def _show(console: Console, report: BisectReport) -> None:
    def line(name: str, text: str) -> None:
        console.print(f"{name:<18}{text}", markup=False, highlight=False, soft_wrap=True)

    for note in report.notes:
        line("note", note)
    if report.found is None:
        line("result", "nothing fails" if report.recorded is None else "it did not come back")
        return
    _show_divergence(line, report.smallest or report.found)
    if report.origin is not None:
        origin = report.origin
        line("kernel", origin.kernel)
        line("workgroup", f"{origin.workgroup} wave {origin.wave} of rank {origin.rank}")
        line("source line", origin.source)
    else:
        line("origin", report.origin_note)
    for text in report.smaller:
        line("smaller", text)
    line("repeat", report.command)


def _show_divergence(line: Any, divergence: Divergence) -> None:
    where = ", ".join(
        text
        for text in (
            f"rank {divergence.rank}" if divergence.rank is not None else "",
            f"index {divergence.index}" if divergence.index is not None else "",
        )
        if text
    )
    line("first divergence", f"{divergence.stage}.{divergence.output}".rstrip("."))
    line("check", divergence.check)
    line("where", where or "the layer")
    line("rounding point", divergence.point or "none: nothing rounds there")
    if divergence.through:
        line("judged through", divergence.through)
    for text in divergence.message.splitlines():
        line("", text)
