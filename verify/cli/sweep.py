"""``verify sweep``: the whole matrix of runs, resumable, on local processes or on Ray."""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from kk3ref.presets import PRESETS
from verify.cli import layer
from verify.cli.arguments import numbers
from verify.cli.checks import save_model, show_verdict
from verify.cli.progress import progress_line
from verify.cli.table import COLORS, make_console
from verify.data import Verdict
from verify.inputs import FAMILIES
from verify.layers import LAYERS
from verify.step import MAX_ROWS, UsageError
from verify.sweep import Matrix, SweepPlan, SweepRecord, make_items, sweep

EXAMPLES = """examples:
  python -m verify sweep k1 k2 --preset tiny --seeds 0-9 --workers 2
  python -m verify sweep --preset tiny --family all --rows 1-8
  python -m verify sweep k1 --checkpoint DIR --layers all --candidate my_kernel.py:make
  python -m verify sweep k1 k2 --candidate vllm --rows 1,2,4,8 --ray auto --workers 64
  python -m verify sweep k1 --preset tiny --candidate contract --candidate baseline --ray

run the same command again to go on where it was ended: finished items are kept in OUT/items, and
are taken from there as long as their command, the candidate and the code are the same

exit codes: 0 everything passed, 1 a check failed, 2 something could not be checked
"""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "sweep",
        help="layer kinds × widths × drafts × seeds × candidates, resumable",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(LAYERS)} (default: all)")
    p.add_argument("--rows", default="8", help="rows, e.g. 1,2,4-8 (default: 8)")
    p.add_argument("--drafts", help="speculative tokens, e.g. 0,1,3 (default: all that fit)")
    p.add_argument("--seeds", default="0", help="seeds of the inputs, e.g. 0-9 (default: 0)")
    p.add_argument("--layers", help="decoder layers, e.g. 5,7, or all (default: one a kind)")
    p.add_argument(
        "--family",
        action="append",
        choices=[*FAMILIES, "all"],
        help="input family, repeatable (default: normal)",
    )
    p.add_argument("--candidate", action="append", help="candidate, repeatable (default: contract)")
    model = p.add_argument_group("model")
    model.add_argument(
        "--preset", choices=sorted(PRESETS), help="configuration (default: production)"
    )
    model.add_argument("--config", type=Path, help="Hugging Face config.json")
    model.add_argument("--checkpoint", type=Path, help="folder with config.json and safetensors")
    model.add_argument("--tp", type=int, default=8, help="tensor-parallel ranks (default: 8)")
    model.add_argument("--weights-seed", type=int, default=0, help="seed of synthetic weights")
    storage = p.add_argument_group("storage")
    storage.add_argument("--conv-layout", choices=("dim-len", "len-dim"), default="dim-len")
    storage.add_argument(
        "--kv-dtype", choices=("fp8_e4m3fn", "fp8_e4m3fnuz", "bf16"), default="fp8_e4m3fn"
    )
    storage.add_argument("--kv-scale", type=float, default=1.0, help="scale of an fp8 cache")
    storage.add_argument("--absorb", choices=("bf16", "mxfp4"), default="bf16", help="W_UK, W_UV")
    storage.add_argument("--dcp", type=int, default=1, help="decode context parallel ranks")
    run = p.add_argument_group("run")
    run.add_argument("--schedule", default="forward", help="simulated kernels: see verify layer")
    run.add_argument(
        "--mfma-order", choices=("sequential", "pairwise", "fused"), default="sequential"
    )
    run.add_argument("--sanitize", action="store_true", help="simulated kernels: report races")
    run.add_argument("--workers", type=int, help="items at a time (default: one a CPU)")
    run.add_argument("--threads", type=int, default=1, help="torch threads an item (default: 1)")
    run.add_argument(
        "--ray",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="run on Ray: a cluster's address, auto, or nothing for this machine",
    )
    run.add_argument("--out", type=Path, default=Path("out/sweep"), help="folder of the sweep")
    run.add_argument("--json", action="store_true", help="print the merged record as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify sweep``."""
    matrix = _matrix(arguments)
    source, _ = layer.resolve_source(arguments)
    options = layer.resolve_options(arguments)
    layer.resolve_run_options(arguments)
    items = make_items(matrix, source.config, options)
    del source
    command = shlex.join(["python", "-m", "verify", "sweep", *_words(arguments)])
    console = make_console(stderr=arguments.json)
    plan = SweepPlan(
        items,
        command,
        arguments.out,
        arguments.workers or os.cpu_count() or 1,
        arguments.threads,
        arguments.ray,
    )
    with progress_line(console) as update:
        record = sweep(plan, update)
    path = save_model(record, arguments.out, "sweep")
    if arguments.json:
        print(record.model_dump_json(indent=2))
    else:
        _show(console, record)
        show_verdict(console, record.verdict, path, command)
    return record.verdict.exit_code


def _show(console: Console, record: SweepRecord) -> None:
    table = Table(title=f"{record.items} items", title_justify="left")
    for name in ("layer", "candidate", "family"):
        table.add_column(name, no_wrap=True)
    for name in ("items", "pass", "fail", "not checked", "err/bound", "flips", "s"):
        table.add_column(name, justify="right", no_wrap=True)
    groups = list(dict.fromkeys((r.layer, r.candidate, r.family) for r in record.rows))
    for group in groups:
        rows = [r for r in record.rows if (r.layer, r.candidate, r.family) == group]
        counts = [sum(r.verdict is v for r in rows) for v in Verdict]
        table.add_row(
            *group,
            str(len(rows)),
            *(f"[{COLORS[v]}]{n}[/]" if n else "0" for v, n in zip(Verdict, counts, strict=True)),
            f"{max(r.max_over_bound for r in rows):.3f}",
            str(sum(r.flips for r in rows)),
            f"{sum(r.seconds for r in rows):.1f}",
        )
    console.print(table)
    bad = [row for row in record.rows if row.verdict is not Verdict.PASS]
    for row in bad[:20]:
        console.print(
            f"[{COLORS[row.verdict]}]{row.verdict.value}[/] {row.command}", soft_wrap=True
        )
        for text in row.failed[:4]:
            console.print(f"  {text}", markup=False, highlight=False, soft_wrap=True)
    if len(bad) > 20:
        console.print(f"… and {len(bad) - 20} more in the record")
    console.print(
        f"{record.seconds:.1f} s; {record.reused} items reused, {record.retried} begun again"
    )


def _matrix(arguments: argparse.Namespace) -> Matrix:
    problems = [
        f"KIND must be one of {', '.join(LAYERS)}, got {kind!r}"
        for kind in arguments.kinds
        if kind not in LAYERS
    ]
    lists: dict[str, tuple[int, ...]] = {}
    for name in ("rows", "drafts", "seeds", "layers"):
        text = getattr(arguments, name)
        if text is None or (name == "layers" and text == "all"):
            lists[name] = ()
            continue
        try:
            lists[name] = tuple(dict.fromkeys(numbers(text)))
        except ValueError:
            problems.append(f"--{name} must be like 0,4-6, got {text!r}")
    if any(not 1 <= n <= MAX_ROWS for n in lists.get("rows", ())):
        problems.append(f"--rows must be in 1…{MAX_ROWS}, got {arguments.rows}")
    for name in ("workers", "threads"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            problems.append(f"--{name} must be at least 1, got {value}")
    if problems:
        raise UsageError("\n".join(problems))
    families = arguments.family or ["normal"]
    model = [n for n in ("preset", "config", "checkpoint") if getattr(arguments, n) is not None]
    return Matrix(
        kinds=tuple(dict.fromkeys(arguments.kinds)) or tuple(LAYERS),
        layers=None if arguments.layers == "all" else lists["layers"],
        rows=lists["rows"],
        drafts=lists["drafts"],
        seeds=lists["seeds"],
        families=tuple(FAMILIES) if "all" in families else tuple(dict.fromkeys(families)),
        candidates=tuple(dict.fromkeys(_candidates(arguments))),
        model=tuple(word for n in model for word in (f"--{n}", _absolute(getattr(arguments, n)))),
        rest=tuple(_rest(arguments)),
    )


def _candidates(arguments: argparse.Namespace) -> list[str]:
    """On a cluster a file must be named as every node finds it."""
    given: list[str] = arguments.candidate or ["contract"]
    if arguments.ray in (None, "local"):
        return given
    return [
        f"{Path(file).resolve()}:{factory}" if file else factory
        for file, _, factory in (candidate.rpartition(":") for candidate in given)
    ]


def _absolute(value: Any) -> str:
    """Workers may stand in another folder."""
    return str(value.resolve()) if isinstance(value, Path) else str(value)


def _rest(arguments: argparse.Namespace) -> list[str]:
    words = ["--tp", str(arguments.tp)]
    defaults = {
        "weights_seed": 0,
        "conv_layout": "dim-len",
        "kv_dtype": "fp8_e4m3fn",
        "kv_scale": 1.0,
        "absorb": "bf16",
        "dcp": 1,
        "schedule": "forward",
        "mfma_order": "sequential",
    }
    for name, default in defaults.items():
        if getattr(arguments, name) != default:
            words += [f"--{name.replace('_', '-')}", str(getattr(arguments, name))]
    return [*words, *(["--sanitize"] if arguments.sanitize else [])]


def _words(arguments: argparse.Namespace) -> list[str]:
    words = [*arguments.kinds]
    for name in ("preset", "config", "checkpoint", "rows", "drafts", "seeds", "layers"):
        if getattr(arguments, name) is not None:
            words += [f"--{name}", str(getattr(arguments, name))]
    for name in ("family", "candidate"):
        for value in getattr(arguments, name) or ():
            words += [f"--{name}", value]
    words += _rest(arguments)
    if arguments.workers:
        words += ["--workers", str(arguments.workers)]
    if arguments.threads != 1:
        words += ["--threads", str(arguments.threads)]
    if arguments.ray:
        words += ["--ray", arguments.ray]
    return [*words, "--out", str(arguments.out)]
