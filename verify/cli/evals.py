"""``verify eval``: the same questions to two servers, or to one twice, with paired statistics."""

from __future__ import annotations

import argparse
import json
import shlex
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from verify.cli.progress import progress_line
from verify.cli.table import COLORS, make_console
from verify.data import Verdict
from verify.data.store import compact, write_atomic
from verify.evals.evidence import make_record
from verify.evals.judge import Mode, Settings
from verify.evals.record import EvalRecord, Side, TaskResult
from verify.evals.samples import Sample, SamplesError, read_logs
from verify.evals.tasks import TaskOptions, resolve
from verify.step import UsageError

if TYPE_CHECKING:
    from verify.evals.client import Client

EXAMPLES = """examples:
  python -m verify eval --same http://localhost:8000/v1 --task gsm8k --out out/control.json
  python -m verify eval --off http://localhost:8000/v1 --on http://localhost:8001/v1 --task suite \\
      --tokenizer moonshotai/Kimi-K3 --control out/control.json --margin 0.01
  python -m verify eval --off URL --on URL --task my_task.yaml --limit 100
  python -m verify eval --off URL --on URL --task kk3_arithmetic --task kk3_needle_multikey
  python -m verify eval --off-samples logs/off --on-samples logs/on      lm-eval --log_samples

An interrupted run goes on where it stopped when the same command is given again.
exit codes: 0 non-inferior on every task (A/A: no drift), 1 on is worse, 2 not shown, or could not
"""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "eval",
        help="accuracy of two servers on the same questions, paired",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sides = p.add_argument_group("sides")
    sides.add_argument("--off", metavar="URL", help="server without the fast path, …/v1")
    sides.add_argument("--on", metavar="URL", help="server with it")
    sides.add_argument("--same", metavar="URL", help="A/A control: one server, asked twice")
    sides.add_argument("--off-samples", type=Path, metavar="PATH", help="lm-eval's logs, off")
    sides.add_argument("--on-samples", type=Path, metavar="PATH", help="lm-eval's logs, on")
    sides.add_argument("--model", default="", help="served name (default: the only one served)")
    sides.add_argument("--concurrency", type=int, default=8, help="requests in flight")
    sides.add_argument("--chat", action="store_true", help="ask for chat completions")
    tasks = p.add_argument_group("tasks")
    tasks.add_argument(
        "--task",
        action="append",
        default=[],
        metavar="NAME",
        help="suite, kk3_arithmetic, kk3_needle_single, kk3_needle_multikey, a .yaml file, an "
        "lm-eval task, or a+b for both pooled; repeatable",
    )
    tasks.add_argument("--tasks-folder", type=Path, help="folder of further task files")
    tasks.add_argument("--limit", type=int, help="first N questions of every task")
    tasks.add_argument("--count", type=int, default=200, help="questions of kk3's own tasks")
    tasks.add_argument("--samples", type=int, help="answers a question, k (AIME: 4)")
    tasks.add_argument("--fewshot", type=int, help="examples (GSM8K: 5)")
    tasks.add_argument("--length", type=int, action="append", help="of needle tasks, repeatable")
    tasks.add_argument("--tokenizer", help="name or folder, for RULER")
    tasks.add_argument("--filter", help="which of a task's filters to score")
    tasks.add_argument(
        "--gen", action="append", default=[], metavar="NAME=VALUE", help="e.g. temperature=0.6"
    )
    tasks.add_argument("--seed", type=int, default=0, help="of sampling and of kk3's own tasks")
    judge = p.add_argument_group("verdict, to be fixed before the run")
    judge.add_argument("--margin", type=float, default=0.01, help="loss that counts as none")
    judge.add_argument("--alpha", type=float, default=0.05, help="two-sided level")
    judge.add_argument("--power", type=float, default=0.8, help="of the detectable difference")
    judge.add_argument("--control", type=Path, help="record of an A/A run on the same questions")
    p.add_argument("--out", type=Path, default=Path("out/eval.json"), help="record")
    p.add_argument("--fresh", action="store_true", help="forget earlier answers of this record")
    p.add_argument("--json", action="store_true", help="print the record as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify eval``."""
    started = time.perf_counter()
    _check(arguments)
    settings = Settings(arguments.margin, arguments.alpha, arguments.power)
    generation = _generation(arguments.gen)
    control = _control(arguments.control)
    console = make_console(stderr=arguments.json)
    mode: Mode = "A/A" if arguments.same else "off/on"
    try:
        if arguments.off_samples:
            sides, samples = _logged(arguments)
        else:
            sides, samples = _asked(arguments, generation, console)
        record = make_record(
            sides, samples, mode, settings, _command(arguments), generation, started, control
        )
    except SamplesError as error:
        raise UsageError(str(error)) from error
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(arguments.out, compact(record.model_dump_json(indent=2)) + "\n")
    if arguments.json:
        print(record.model_dump_json(indent=2))
    else:
        show(console, record)
        console.print(f"verdict: {record.verdict.value}   record: {arguments.out}")
    return record.verdict.exit_code


def _check(arguments: argparse.Namespace) -> None:
    problems = []
    given = [n for n in ("off", "on", "same", "off_samples", "on_samples") if getattr(arguments, n)]
    if given not in (["off", "on"], ["same"], ["off_samples", "on_samples"]):
        shown = ", ".join("--" + n.replace("_", "-") for n in given) or "nothing"
        problems.append(
            f"sides must be --off and --on, --same, or --off-samples and --on-samples, got {shown}"
        )
    if not arguments.task and "off_samples" not in given:
        problems.append("--task must name at least one task, got none")
    for name, least in (("limit", 1), ("count", 1), ("samples", 1), ("concurrency", 1)):
        value = getattr(arguments, name)
        if value is not None and value < least:
            problems.append(f"--{name} must be at least {least}, got {value}")
    for name, low, high in (("margin", 0, 1), ("alpha", 0, 1), ("power", arguments.alpha, 1)):
        value = getattr(arguments, name)
        if not low < value < high:
            problems.append(f"--{name} must be between {low:g} and {high:g}, got {value:g}")
    if arguments.out.is_dir():
        problems.append(f"--out must be a file, got the folder {arguments.out}")
    if problems:
        raise UsageError("\n".join(problems))


def _generation(pairs: list[str]) -> dict[str, str | int | float | bool]:
    found: dict[str, str | int | float | bool] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--gen must be NAME=VALUE, got {pair!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _control(path: Path | None) -> list[TaskResult] | None:
    if path is None:
        return None
    try:
        record = EvalRecord.model_validate_json(path.read_text())
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise UsageError(f"--control {path} must be a record of verify eval: {error}") from error
    if record.mode != "A/A":
        raise UsageError(f"--control {path} must be of an A/A run (--same), got {record.mode}")
    return record.tasks


def _logged(arguments: argparse.Namespace) -> tuple[list[Side], list[list[Sample]]]:
    paths = (arguments.off_samples, arguments.on_samples)
    samples = [read_logs(path, arguments.filter) for path in paths]
    sides = [
        Side(name=name, source=str(path), model=arguments.model)
        for name, path in zip(("off", "on"), paths, strict=True)
    ]
    return sides, samples


def _asked(
    arguments: argparse.Namespace,
    generation: dict[str, str | int | float | bool],
    console: Console,
) -> tuple[list[Side], list[list[Sample]]]:
    if find_spec("lm_eval") is None:
        raise UsageError("verify eval needs lm-eval: pip install 'kk3[eval]'")
    from verify.evals.endpoint import EndpointError
    from verify.evals.run import ask

    options = TaskOptions(
        samples=arguments.samples,
        fewshot=arguments.fewshot,
        lengths=tuple(arguments.length or ()),
        count=arguments.count,
        seed=arguments.seed,
    )
    tasks = resolve(arguments.task, options)
    folder = arguments.tasks_folder
    try:
        clients = _clients(arguments, generation)
        with progress_line(console) as update:
            return ask(
                clients,
                tasks,
                update,
                arguments.limit,
                str(folder) if folder else None,
                arguments.tokenizer,
                arguments.filter,
            )
    except EndpointError as error:
        raise UsageError(str(error)) from error


def _clients(
    arguments: argparse.Namespace, generation: dict[str, str | int | float | bool]
) -> list[Client]:
    from verify.evals.client import Client
    from verify.evals.endpoint import Endpoint, EndpointError
    from verify.evals.journal import Journal

    if arguments.same:
        wanted = (("off", arguments.same), ("off again", arguments.same))
    else:
        wanted = (("off", arguments.off), ("on", arguments.on))
    folder = arguments.out.with_suffix(".answers")
    clients, problems = [], []
    for side, url in wanted:
        endpoint = Endpoint(url, arguments.model)
        try:
            endpoint.choose_model()
        except EndpointError as error:
            problems.append(str(error))
            continue
        journal = Journal(folder / f"{side.replace(' ', '-')}.jsonl", arguments.fresh)
        clients.append(
            Client(
                side,
                endpoint,
                journal,
                arguments.concurrency,
                arguments.chat,
                dict(generation),
                arguments.seed,
            )
        )
    if problems:
        raise UsageError("\n".join(dict.fromkeys(problems)))
    return clients


def _command(arguments: argparse.Namespace) -> str:
    """The command that makes the record again."""
    words = ["python", "-m", "verify", "eval"]
    lists = {"task", "gen", "length"}
    for name, value in vars(arguments).items():
        if name in ("run", "command", "json", "fresh") or value in (None, [], "", False):
            continue
        option = "--" + name.replace("_", "-")
        for item in value if name in lists else [value]:
            words += [option] if item is True else [option, str(item)]
    return shlex.join(words)


def show(console: Console, record: EvalRecord) -> None:
    """The paired table and what is beside it."""
    first, second = (side.name for side in record.sides)
    table = Table(title=record.title, title_justify="left")
    table.add_column("task", no_wrap=True)
    for name in ("n×k", first, second, "difference", "interval", "b", "c", "p", "p Holm"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("detectable", "discordant", "empty", "malformed"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for t in record.tasks:
        low, high = t.interval.lower, t.interval.upper
        detectable = t.detectable_difference
        table.add_row(
            t.task,
            f"{t.questions}×{t.samples}",
            f"{t.off.score:.4f}",
            f"{t.on.score:.4f}",
            f"{100 * t.difference:+.2f}",
            f"{100 * low:+.2f}…{100 * high:+.2f}",
            str(t.b),
            str(t.c),
            f"{t.p:.3g}",
            f"{t.p_holm:.3g}",
            "" if detectable is None else f"{100 * detectable:.2f}",
            f"{100 * t.discordance:.2f} %",
            f"{t.off.empty}/{t.on.empty}",
            f"{t.off.malformed}/{t.on.malformed}",
            _verdict(t.verdict),
        )
    console.print(table)
    for t in record.tasks:
        console.print(f"{t.task}: {t.reason}", highlight=False, soft_wrap=True)
    for check in record.checks:
        if check.verdict is not Verdict.PASS:
            console.print(f"{check.name}: {check.message}", highlight=False, soft_wrap=True)
    for side in record.sides:
        if side.mean_acceptance_length is not None:
            console.print(f"{side.name}: mean acceptance {side.mean_acceptance_length:.2f} tokens")
    console.print("Differences in points. Non-significance is not equivalence.", soft_wrap=True)


def _verdict(verdict: Verdict) -> str:
    return f"[{COLORS[verdict]}]{verdict.value}[/]"
