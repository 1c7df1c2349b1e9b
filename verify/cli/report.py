"""``verify report``: one self-contained HTML page, figures and a summary, from records alone."""

from __future__ import annotations

import argparse
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from verify.cli.progress import progress_line
from verify.cli.table import make_console
from verify.step import UsageError

EXAMPLES = """examples:
  python -m verify report out/                              every record of a folder
  python -m verify report out/k2-10-normal-contract-0.json -o page/
  python -m verify report out/ eval.json bench.json -o page/ --detail all

exit codes: 0 written (with --strict: and everything in the records passed), 1 with --strict a
record failed, 2 a file cannot be read (or with --strict something was not checked)
"""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "report",
        help="a page that people look at, from records",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("records", nargs="+", type=Path, metavar="RECORD", help="files or folders")
    p.add_argument(
        "-o", "--out", type=Path, default=Path("report"), help="folder (default: report)"
    )
    p.add_argument(
        "--detail",
        default="4",
        metavar="N",
        help="layer records whose figures are drawn, failing ones first, or all (default: 4)",
    )
    p.add_argument("--strict", action="store_true", help="exit by the records' worst verdict")
    p.add_argument("--json", action="store_true", help="print what was written as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify report``."""
    missing = [name for name in ("matplotlib", "jinja2") if find_spec(name) is None]
    if missing:
        raise UsageError(f"verify report needs {', '.join(missing)}: pip install 'kk3[report]'")
    from reports.page import build
    from reports.records import read_all

    if arguments.detail == "all":
        detail = None
    elif arguments.detail.isdecimal():
        detail = int(arguments.detail)
    else:
        raise UsageError(f"--detail must be a whole number or all, got {arguments.detail!r}")
    if arguments.out.exists() and not arguments.out.is_dir():
        raise UsageError(f"--out must be a folder, got the file {arguments.out}")
    try:
        items = read_all(arguments.records)
    except ValueError as error:
        raise UsageError(str(error)) from error
    console = make_console(stderr=True)
    with progress_line(console) as update:
        made = build(items, arguments.out, detail, update)
    verdict = made.gate.verdict
    found = {
        "page": str(made.page),
        "summary": str(made.summary),
        "figures": made.figures,
        "verdict": verdict or None,
        "gate": "open" if made.gate.open else "shut",
        "reasons": made.gate.reasons,
    }
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print(f"verdict: {verdict or 'nothing judged'}   gate: {found['gate']}")
        print(f"page: {made.page}   summary: {made.summary}   {made.figures} figures")
    return {"fail": 1, "not_checked": 2}.get(verdict, 0) if arguments.strict else 0
