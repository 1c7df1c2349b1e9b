"""``verify bench layer``: a layer's kernels on a GPU beside the memory floor."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rich.table import Table

from verify.cli.processes import add_share, group_of
from verify.cli.progress import progress_line
from verify.cli.table import make_console
from verify.device import device_of, driver_and_clocks
from verify.ranks import Ranks
from verify.step import UsageError

EXAMPLES = """examples:
  python -m verify bench layer k1                one TP8 rank of K1 at production shapes
  python -m verify bench layer all --json
  torchrun --nproc-per-node 8 -m verify bench layer k2 --tp 8     over 8 GPUs, beside NCCL
  python -m verify bench layer kda-decode --rows 64 --requests 64 --only triton,chain

exit codes: 0 timed, 2 could not be timed (no GPU, a contestant failed)
"""
KINDS = ("k1", "k2", "m1", "kda-decode")


def add_parser(parts: Any) -> None:
    """Register ``bench layer``."""
    p = parts.add_parser(
        "layer",
        help="a layer's kernels on this GPU beside the unfused chain and the memory floor",
        description="Medians by graph replay of one TP8 rank's layer, operands in device memory.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("kind", choices=[*KINDS, "all"], help="layer kind")
    p.add_argument("--rows", type=int, default=8, help="rows of the step (default: 8)")
    p.add_argument("--requests", type=int, help="requests (default: 2; kda-decode: as rows)")
    p.add_argument("--context", type=int, default=8192, help="MLA context rows (default: 8192)")
    p.add_argument("--only", help="contestants: triton, chain, compiled, separated by commas")
    p.add_argument("--tp", type=int, default=8, help="under torchrun: ranks (default: 8)")
    add_share(p)
    p.add_argument("--json", action="store_true", help="print as JSON")
    p.set_defaults(run=run_layer, device="cuda")


def run_layer(arguments: argparse.Namespace) -> int:
    """Run ``verify bench layer``."""
    problems = []
    if not arguments.rows >= 1:
        problems.append(f"--rows must be positive, got {arguments.rows}")
    if arguments.requests is not None and (
        arguments.requests < 1 or arguments.rows % arguments.requests
    ):
        problems.append(f"--requests must divide --rows {arguments.rows}, got {arguments.requests}")
    if arguments.kind != "kda-decode" and arguments.rows > 8:
        problems.append(f"--rows must be at most 8 but for kda-decode, got {arguments.rows}")
    only = frozenset(arguments.only.split(",")) if arguments.only else None
    if only is not None and only - {"triton", "chain", "compiled"}:
        problems.append(f"--only must be of triton, chain, compiled, got {arguments.only}")
    if problems:
        raise UsageError("\n".join(problems))
    with group_of(arguments) as ranks:
        if ranks is not None:
            return _over_ranks(arguments, ranks)
    device = device_of("cuda")
    from verify.bench.layer import bench_layer
    from verify.bench.timing import copy_bandwidth

    console = make_console(stderr=arguments.json)
    bandwidth = copy_bandwidth()
    found = []
    with progress_line(console) as update:
        for kind in KINDS if arguments.kind == "all" else (arguments.kind,):
            requests = arguments.requests or _requests(kind, arguments.rows)
            found += bench_layer(
                kind, bandwidth, arguments.rows, requests, arguments.context, only, update
            )
    driver, clocks = driver_and_clocks(device)
    if arguments.json:
        rows = [row.model_dump() | {"ratio": row.ratio} for row in found]
        head = {"copy_bytes_per_second": bandwidth, "driver": driver, "clocks": clocks}
        print(json.dumps(head | {"rows": rows}, indent=2))
    else:
        _show(console, found, bandwidth)
    return 0 if all(row.median_us is not None for row in found) else 2


def _over_ranks(arguments: argparse.Namespace, ranks: Ranks) -> int:
    """K2 with a process a rank, beside NCCL; rank 0 tells."""
    from verify.bench.ranks import bench_ranks

    if arguments.kind != "k2":
        raise UsageError(f"under torchrun only k2, which has a collective, got {arguments.kind}")
    console = make_console(stderr=arguments.json)
    console.quiet = ranks.follower
    requests = arguments.requests or _requests("k2", arguments.rows)
    with progress_line(console) as update:
        found = bench_ranks(ranks, arguments.rows, requests, update)
    driver, clocks = driver_and_clocks(ranks.device)
    if arguments.json and not ranks.follower:
        rows = [row.model_dump() for row in found]
        head = {"devices": ranks.named, "driver": driver, "clocks": clocks}
        print(json.dumps(head | {"rows": rows}, indent=2))
    elif not ranks.follower:
        table = Table(title=f"K2 over {ranks.size} ranks: {ranks.named}", title_justify="left")
        for name in ("rows", "what", "median µs", "10–90 %", "note"):
            table.add_column(name)
        for row in found:
            timed = row.median_us is not None
            told = ["–", ""]
            if timed:
                told = [f"{row.median_us:.1f}", f"{row.low_us:.1f}–{row.high_us:.1f}"]
            table.add_row(str(row.rows), row.what, *told, row.note)
        console.print(table)
    return 0 if ranks.follower or all(row.median_us is not None for row in found) else 2


def _requests(kind: str, rows: int) -> int:
    if kind == "kda-decode":
        return rows
    return 2 if rows % 2 == 0 else 1


def _show(console: Any, found: list[Any], bandwidth: float) -> None:
    table = Table(title=f"copy bandwidth {bandwidth / 1e12:.2f} TB/s", title_justify="left")
    for name in ("layer", "rows", "what", "median µs", "10–90 %", "floor µs", "× floor", "note"):
        table.add_column(name)
    for row in found:
        timed = row.median_us is not None
        note = row.note or ("" if row.captured else "queued from the host")
        table.add_row(
            row.kind,
            str(row.rows),
            row.what,
            f"{row.median_us:.1f}" if timed else "–",
            f"{row.low_us:.1f}–{row.high_us:.1f}" if timed else "",
            f"{row.floor_us:.1f}",
            f"{row.ratio:.2f}" if timed else "",
            note,
        )
    console.print(table)
