"""``verify bench serve``: TPOT and output tokens/s of two servers, paired and interleaved."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from verify.bench.serve_judge import compare, verdict
from verify.bench.serve_record import Comparison, Point, ServeRecord, ServeRun
from verify.bench.serve_results import read_results
from verify.cli.progress import progress_line
from verify.cli.table import COLORS, make_console
from verify.data import worst_verdict
from verify.data.store import compact, write_atomic
from verify.environment import environment
from verify.step import UsageError

EXAMPLES = """examples:
  python -m verify bench serve --off http://a:8000/v1 --on http://b:8000/v1 --point 1,7 --seeds 5
  python -m verify bench serve --point 1,7,http://a:8000/v1,http://b:8000/v1 \\
      --point 2,3,http://a:8001/v1,http://b:8001/v1 --input-words 6000 --output-tokens 1024
  python -m verify bench serve --off-result off-*.json --on-result on-*.json --drafts 7

A point is CONCURRENCY,DRAFTS and, where its servers are others, their addresses: the number of
drafts is set when a server starts. Off and on of a seed run one after the other, the order
alternates. exit codes: 0 not slower, 1 slower, 2 unclear, requests failed, or could not measure
"""


@dataclass(frozen=True)
class _Where:
    concurrency: int
    drafts: int
    off: str
    on: str


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "serve",
        help="TPOT and output tokens/s of two servers",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("--off", default="", metavar="URL", help="server without the fast path, …/v1")
    p.add_argument("--on", default="", metavar="URL", help="server with it")
    p.add_argument(
        "--point", action="append", default=[], metavar="C,K[,OFF,ON]", help="repeatable"
    )
    p.add_argument("--model", default="", help="served name (default: the only one served)")
    p.add_argument("--seeds", type=int, default=5, help="pairs a point (default: 5)")
    p.add_argument("--requests", type=int, default=0, help="a run (default: 4 × concurrency)")
    p.add_argument("--input-words", type=int, default=6000, help="of a prompt (default: 6000)")
    p.add_argument("--output-tokens", type=int, default=1024, help="a request (default: 1024)")
    p.add_argument("--off-result", type=Path, nargs="+", default=[], help="vllm bench serve files")
    p.add_argument("--on-result", type=Path, nargs="+", default=[], help="vllm bench serve files")
    p.add_argument("--drafts", type=int, help="of result files that do not say")
    p.add_argument("--confidence", type=float, default=0.95, help="of the intervals")
    p.add_argument("--margin", type=float, default=0.02, help="slow-down that counts as none")
    p.add_argument("--out", type=Path, default=Path("out/bench-serve.json"), help="record")
    p.add_argument("--json", action="store_true", help="print the record as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify bench serve``."""
    started = time.perf_counter()
    wanted = _check(arguments)
    console = make_console(stderr=arguments.json)
    if arguments.off_result:
        try:
            found = read_results(arguments.off_result, arguments.on_result, arguments.drafts)
        except ValueError as error:
            raise UsageError(str(error)) from error
        points = []
        for (c, k), runs in found.items():
            source = f"{len(runs) // 2} files of vllm bench serve"
            points.append(_point(_Where(c, k, source, source), runs, arguments))
    else:
        with progress_line(console) as update:
            points = [_measure(where, arguments, update) for where in wanted]
    record = ServeRecord(
        title=f"speed off/on at {', '.join(f'c{p.concurrency} k{p.drafts}' for p in points)}",
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=_command(arguments),
        environment=environment(),
        confidence=arguments.confidence,
        margin=arguments.margin,
        input_words=None if arguments.off_result else arguments.input_words,
        output_tokens=None if arguments.off_result else arguments.output_tokens,
        points=points,
        verdict=worst_verdict(p.verdict for p in points),
        seconds=time.perf_counter() - started,
    )
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(arguments.out, compact(record.model_dump_json(indent=2)) + "\n")
    if arguments.json:
        print(record.model_dump_json(indent=2))
    else:
        _show(console, record)
        console.print(f"verdict: {record.verdict.value}   record: {arguments.out}")
    return record.verdict.exit_code


def _check(arguments: argparse.Namespace) -> list[_Where]:
    problems: list[str] = []
    points = [_where(text, arguments, problems) for text in arguments.point]
    off, on = bool(arguments.off_result), bool(arguments.on_result)
    if off != on:
        problems.append("--off-result and --on-result must be given together")
    elif off == bool(points):
        problems.append("give --point, or --off-result and --on-result; not both, not neither")
    for name, least in (("seeds", 1), ("requests", 0), ("input_words", 1), ("output_tokens", 2)):
        value = getattr(arguments, name)
        if value < least:
            problems.append(f"--{name.replace('_', '-')} must be at least {least}, got {value}")
    if not 0 < arguments.confidence < 1:
        problems.append(f"--confidence must be between 0 and 1, got {arguments.confidence}")
    if not 0 <= arguments.margin < 1:
        problems.append(f"--margin must be from 0 to below 1, got {arguments.margin}")
    if points and find_spec("requests") is None:
        problems.append("verify bench serve needs requests: pip install 'kk3[eval]'")
    if problems:
        raise UsageError("\n".join(problems))
    return [point for point in points if point]


def _where(text: str, arguments: argparse.Namespace, problems: list[str]) -> _Where | None:
    parts = text.split(",")
    numbers = all(p.isdecimal() for p in parts[:2]) and len(parts) in (2, 4)
    if not numbers or int(parts[0]) < 1:
        problems.append(f"--point must be CONCURRENCY,DRAFTS[,OFF,ON], got {text!r}")
        return None
    off, on = parts[2:] if len(parts) == 4 else (arguments.off, arguments.on)
    if not off or not on:
        problems.append(f"--point {text} needs servers: --off and --on, or its own")
        return None
    return _Where(int(parts[0]), int(parts[1]), off, on)


def _measure(where: _Where, arguments: argparse.Namespace, update: Callable[[str], None]) -> Point:
    from verify.bench.serve_load import Load, run
    from verify.evals.endpoint import Endpoint, EndpointError, mean_acceptance

    load = Load(
        where.concurrency,
        arguments.requests or 4 * where.concurrency,
        arguments.input_words,
        arguments.output_tokens,
    )
    endpoints = {
        "off": Endpoint(where.off, arguments.model),
        "on": Endpoint(where.on, arguments.model),
    }
    runs: list[ServeRun] = []
    try:
        for endpoint in endpoints.values():
            endpoint.choose_model()
        before = {side: endpoint.drafts() for side, endpoint in endpoints.items()}
        for seed in range(arguments.seeds):
            # off on, on off, off on, …: neither side is always the first.
            for side in ("off", "on") if seed % 2 == 0 else ("on", "off"):
                title = f"c{where.concurrency} k{where.drafts}, seed {seed} {side}"
                update(f"{title}: {len(runs)}/{2 * arguments.seeds} runs")
                runs.append(run(endpoints[side], load, side, seed, len(runs)))
        acceptance = {
            side: mean_acceptance(before[side], endpoint.drafts())
            for side, endpoint in endpoints.items()
        }
    except (EndpointError, ValueError) as error:
        raise UsageError(str(error)) from error
    return _point(where, runs, arguments, acceptance)


def _point(
    where: _Where,
    runs: list[ServeRun],
    arguments: argparse.Namespace,
    acceptance: dict[str, float | None] | None = None,
) -> Point:
    comparisons = compare(runs, arguments.confidence)
    judged, reason = verdict(comparisons, runs, arguments.margin)
    acceptance = acceptance or {}
    return Point(
        concurrency=where.concurrency,
        drafts=where.drafts,
        off_source=where.off,
        on_source=where.on,
        runs=runs,
        comparisons=comparisons,
        off_acceptance=acceptance.get("off"),
        on_acceptance=acceptance.get("on"),
        verdict=judged,
        reason=reason,
    )


def _command(arguments: argparse.Namespace) -> str:
    words = ["python", "-m", "verify", "bench", "serve"]
    for name, value in vars(arguments).items():
        if name in ("run", "command", "bench", "json") or value in (None, [], "", False, 0):
            continue
        option = "--" + name.replace("_", "-")
        if name == "point":
            words += [word for item in value for word in (option, item)]
        elif isinstance(value, list):
            words += [option, *map(str, value)]
        else:
            words += [option, str(value)]
    return shlex.join(words)


UNITS = {
    "tpot_p50_ms": "TPOT p50, ms",
    "tpot_p90_ms": "TPOT p90, ms",
    "output_tokens_per_s": "output tokens/s",
}


def _show(console: Console, record: ServeRecord) -> None:
    table = Table(title=record.title, title_justify="left")
    for name in ("point", "metric", "off", "on", "on − off", "interval", "pairs"):
        table.add_column(name, justify="left" if name in ("point", "metric") else "right")
    table.add_column("verdict")
    for p in record.points:
        for i, c in enumerate(p.comparisons):
            table.add_row(
                f"c{p.concurrency} k{p.drafts}" if i == 0 else "",
                UNITS[c.metric],
                f"{c.off:.2f}",
                f"{c.on:.2f}",
                f"{100 * (c.ratio - 1):+.1f} %",
                _interval(c),
                str(c.pairs),
                f"[{COLORS[p.verdict]}]{p.verdict.value}[/]" if i == 0 else "",
            )
    console.print(table)
    for p in record.points:
        console.print(f"c{p.concurrency} k{p.drafts}: {p.reason}", highlight=False, soft_wrap=True)


def _interval(c: Comparison) -> str:
    if c.lower is None or c.upper is None:
        return "one pair"
    return f"{100 * (c.lower - 1):+.1f} to {100 * (c.upper - 1):+.1f} %"
