"""``verify isa``: identity, registers, memory traffic and predicted time of compiled builds."""

from __future__ import annotations

import argparse
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from verify.cli.progress import progress_line
from verify.cli.table import make_console
from verify.data.store import write_atomic
from verify.isa import BuildReport, earlier_builds, flydsl_builds, vllm_builds
from verify.step import UsageError

EXAMPLES = """examples:
  python -m verify isa --candidate vllm                   all 30 builds of 8 rows
  python -m verify isa --candidate flydsl --candidate vllm --simulate      side by side
  python -m verify isa --candidate vllm --kernel k1 --rows 4 --drafts 3
  python -m verify isa --candidate vllm --simulate --save out/isa.json
  python -m verify isa --candidate vllm --against out/isa.json

exit codes: 0 done (with --against: every build is byte-identical), 1 a build differs, 2 could not
"""

_BUILDS = {"flydsl": flydsl_builds, "vllm": vllm_builds}


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "isa",
        help="identity, registers, traffic and predicted time of compiled builds",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument(
        "--candidate",
        choices=tuple(_BUILDS),
        action="append",
        help="whose kernels, repeatable (default: vllm)",
    )
    p.add_argument(
        "--kernel",
        choices=("k1", "k2", "m1", "kda-decode"),
        action="append",
        help="repeatable (default: k1 and k2)",
    )
    p.add_argument("--rows", type=int, default=8, help="rows of a step (default: 8)")
    p.add_argument("--drafts", type=int, default=7, help="speculative tokens (default: 7)")
    p.add_argument(
        "--simulate",
        action="store_true",
        help="count a simulated launch of the builds with all blocks and predict its time",
    )
    p.add_argument("--against", type=Path, metavar="RECORD", help="which builds are byte-identical")
    p.add_argument("--save", type=Path, metavar="FILE", help="write the reports as JSON")
    p.add_argument("--json", action="store_true", help="print the reports as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify isa``."""
    missing = [name for name in ("flydsl", "llvmlite") if find_spec(name) is None]
    if missing:
        raise UsageError(f"verify isa needs {', '.join(missing)}: pip install 'kk3[sim]'")
    from kk3fast.compile import CompileError
    from kk3fast.peers.errors import PeerSourcesError

    earlier = earlier_builds(arguments.against) if arguments.against else None
    console = make_console(stderr=arguments.json)
    reports: list[BuildReport] = []
    try:
        with progress_line(console) as update:
            for candidate in arguments.candidate or ("vllm",):
                reports += _BUILDS[candidate](
                    arguments.kernel or ("k1", "k2"),
                    arguments.rows,
                    arguments.drafts,
                    arguments.simulate,
                    update,
                )
    except (CompileError, PeerSourcesError) as error:
        raise UsageError(str(error)) from error
    text = json.dumps({"builds": [vars(r) for r in reports]}, indent=2)
    if arguments.save:
        arguments.save.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(arguments.save, text + "\n")
    if arguments.json:
        print(text)
    else:
        _show(console, reports, earlier)
    if earlier is None:
        return 0
    return 0 if all(_carries(r, earlier) for r in reports) else 1


def _carries(report: BuildReport, earlier: dict[str, str]) -> bool:
    return report.identity["isa_sha256"] in earlier


def _show(console: Console, reports: list[BuildReport], earlier: dict[str, str] | None) -> None:
    table = Table(title="static, from the ISA text", title_justify="left")
    columns = ["candidate", "build", "ISA sha256", "VGPR", "SGPR", "spills v/s", "LDS KiB", "wg/CU"]
    columns += ["MFMA", "waits", "loads plain/nt/sc1/sc0 sc1"]
    for name in columns + (["against"] if earlier is not None else []):
        table.add_column(name, no_wrap=True)
    for r in reports:
        f = r.facts
        loads = "/".join(str(f["loads"].get(k, 0)) for k in ("plain", "nt", "sc1", "sc0 sc1"))
        row = [
            r.candidate,
            r.build,
            r.identity["isa_sha256"][:12],
            str(f["vgpr"]),
            str(f["sgpr"]),
            f"{f['vgpr_spills']}/{f['sgpr_spills']}",
            f"{f['lds_bytes'] / 1024:.1f}",
            str(f["workgroups_per_cu"]),
            str(sum(f["mfma"].values())),
            str(sum(f["waits"].values())),
            loads,
        ]
        if earlier is not None:
            row.append("[green]identical[/]" if _carries(r, earlier) else "[red]differs[/]")
        table.add_row(*row)
    console.print(table)
    counted = [r for r in reports if r.counts is not None]
    if not counted:
        return
    dynamic = Table(
        title="simulated, one rank's launch; times are PREDICTED, not measured",
        title_justify="left",
    )
    for name in (
        "candidate",
        "build",
        "load MB",
        "nt MB",
        "device MB",
        "system MB",
        "store MB",
        "LDS MB",
    ):
        dynamic.add_column(name, justify="right", no_wrap=True)
    for name in ("MFMA", "barriers", "waited polls", "hand-offs", "predicted µs"):
        dynamic.add_column(name, justify="right", no_wrap=True)
    for r in counted:
        assert r.counts is not None
        c = r.counts
        megabytes = [c["load_plain"], c["load_nt"], c["load_device"], c["load_system"]]
        megabytes.append(sum(n for name, n in c.items() if name.startswith("store_")))
        megabytes.append(c["lds_load"] + c["lds_store"])
        dynamic.add_row(
            r.candidate,
            r.build,
            *(f"{n / 1e6:.2f}" for n in megabytes),
            str(c["mfma"]),
            str(c["barriers"]),
            str(c["polls_waited"]),
            str(r.handoffs),
            f"{r.predicted_us:.1f}",
        )
    console.print(dynamic)
