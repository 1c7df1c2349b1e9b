"""``verify faults``: plant every known fault and show which check sees it; or the A/A control."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.config import ConfigError
from kk3ref.presets import PRESETS, preset
from kk3ref.stages import Layer, LayerOptions
from verify.candidates import BUILT_IN, Candidate, RunOptions
from verify.cli.progress import progress_line
from verify.cli.table import COLORS, make_console
from verify.data import Verdict, worst_verdict
from verify.data.faults import ControlReport, FaultMatrix, FaultReport
from verify.data.store import write_atomic
from verify.environment import environment
from verify.faults.campaign import CHECKS, FalseAlarm, Setting, run_faults, summed
from verify.faults.catalogue import FAULTS
from verify.faults.control import run_control
from verify.faults.kernels import kernel_plants, run_kernel_faults
from verify.inputs import Case
from verify.jobs import default_step, jobs
from verify.layers import LAYERS
from verify.step import UsageError

EXAMPLES = """examples:
  python -m verify faults                         F1–F31 in every layer kind, three seeds
  python -m verify faults --quick                 one seed, until a check sees the fault
  python -m verify faults --fault F17 --fault F18 --kind k2 --seeds 10
  python -m verify faults --control --seeds 200   the reference must never fail
  python -m verify faults --json -o out

exit codes: 0 every fault was seen in every run (control: no false alarm), 1 not so, 2 could not
check
"""
QUICK_KINDS = ("k1", "k2", "m1")
KERNELS = "flydsl"
"""Candidate whose kernels can be built with a fault."""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "faults",
        help="plant known faults and show which check sees them",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument(
        "--fault",
        action="append",
        metavar="ID",
        help="this fault only (F1 … F31, or a kernel's KIND:PLANT), repeatable",
    )
    p.add_argument("--kind", action="append", choices=list(LAYERS), help="layer kind, repeatable")
    p.add_argument(
        "--preset", choices=sorted(PRESETS), default="tiny", help="configuration (default: tiny)"
    )
    p.add_argument("--tp", type=int, default=8, help="tensor-parallel ranks (default: 8)")
    p.add_argument("--seeds", type=int, help="seeds, each one default run (default: 3; quick: 1)")
    p.add_argument("--first-seed", type=int, default=0, help="the first of them (default: 0)")
    p.add_argument(
        "--quick",
        action="store_true",
        help=f"{', '.join(QUICK_KINDS)}, one seed, and no family after the first that sees a fault",
    )
    p.add_argument(
        "--control", action="store_true", help="no fault: count false alarms of the reference"
    )
    p.add_argument(
        "--candidate",
        action="append",
        choices=("contract", "baseline", "rowwise"),
        help="with --control: what runs, repeatable (default: contract and baseline)",
    )
    p.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    p.add_argument("-o", "--out", type=Path, default=Path("out"), help="folder for the record")
    p.add_argument("--json", action="store_true", help="print the record as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify faults``."""
    _check(arguments)
    started = time.perf_counter()
    console = make_console(stderr=arguments.json)
    count = arguments.seeds or (1 if arguments.quick else 3)
    seeds = list(range(arguments.first_seed, arguments.first_seed + count))
    kinds = arguments.kind or list(QUICK_KINDS if arguments.quick else LAYERS)
    faults: list[FaultReport] = []
    kernels: list[FaultReport] = []
    control = None
    with progress_line(console) as update:
        try:
            if arguments.control:
                control = _control(arguments, kinds, seeds, update)
            else:
                faults = _faults(arguments, kinds, seeds, update)
                kernels = _kernel_faults(arguments, kinds, seeds, update)
        except FalseAlarm as alarm:
            console.print(f"[red]{alarm}[/]", soft_wrap=True)
            return Verdict.FAIL.exit_code
    matrix = FaultMatrix(
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=_command(arguments),
        environment=environment(),
        preset=arguments.preset,
        tp=arguments.tp,
        seeds=seeds,
        faults=faults,
        kernel_faults=kernels,
        control=control,
        verdict=_verdict(faults + kernels, control, arguments),
        seconds=time.perf_counter() - started,
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / ("control.json" if control else "faults.json")
    write_atomic(path, matrix.model_dump_json(indent=2) + "\n")
    if arguments.json:
        print(matrix.model_dump_json(indent=2))
    else:
        _show(console, matrix, path)
    return matrix.verdict.exit_code


def _check(arguments: argparse.Namespace) -> None:
    problems = []
    known = [*FAULTS, *(plant.id for plant in kernel_plants())]
    unknown = [name for name in arguments.fault or () if name not in known]
    if unknown:
        problems.append(f"--fault must be among {', '.join(known)}, got {', '.join(unknown)}")
    for name in ("seeds", "workers"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            problems.append(f"--{name} must be 1 or more, got {value}")
    if arguments.control and (arguments.fault or arguments.quick):
        problems.append("--control plants nothing: give it without --fault and --quick")
    if arguments.candidate and not arguments.control:
        problems.append("--candidate goes with --control")
    try:
        preset(arguments.preset).shard(arguments.tp)
    except ConfigError as error:
        problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))


def _faults(
    arguments: argparse.Namespace,
    kinds: list[str],
    seeds: list[int],
    update: Callable[[str], None],
) -> list[FaultReport]:
    chosen = tuple(name for name in FAULTS if name in (arguments.fault or FAULTS))
    if not chosen:
        return []
    setting = Setting(chosen, arguments.preset, arguments.tp, arguments.quick)
    return run_faults(setting, kinds, seeds, arguments.workers, update)


def _kernel_faults(
    arguments: argparse.Namespace,
    kinds: list[str],
    seeds: list[int],
    update: Callable[[str], None],
) -> list[FaultReport]:
    plants = [plant for plant in kernel_plants() if plant.kind in kinds]
    if arguments.fault:
        plants = [plant for plant in plants if plant.id in arguments.fault]
    if arguments.quick and not arguments.fault:
        # One of each kernel, in one order of events: the kernels' own tests plant all of them.
        plants = list({plant.kind: plant for plant in reversed(plants)}.values())
    if not plants:
        return []
    source = SyntheticWeights(preset(arguments.preset), 0)

    def case_of(kind: str, seed: int) -> Case:
        step = default_step(seed)
        plain = jobs(LAYERS[kind], source.config, arguments.tp, LayerOptions(), step, ["normal"])
        return next(iter(plain)).case(source, arguments.tp, seed, arguments.preset)

    def make(layer: Layer, options: RunOptions) -> Candidate:
        return BUILT_IN[KERNELS](layer, options)

    ok, reason = make(LAYERS[plants[0].kind].make(LayerOptions()), RunOptions()).available()
    if not ok:
        return [summed(plant.id, plant.description, reason, []) for plant in plants]
    # One seed: these defects are of ordering and addressing, not of values.
    return run_kernel_faults(plants, make, case_of, seeds[:1], update, arguments.quick)


def _control(
    arguments: argparse.Namespace,
    kinds: list[str],
    seeds: list[int],
    update: Callable[[str], None],
) -> ControlReport:
    candidates = arguments.candidate or ["contract", "baseline"]
    return run_control(
        candidates, kinds, arguments.preset, arguments.tp, seeds, arguments.workers, update
    )


def _verdict(
    faults: list[FaultReport], control: ControlReport | None, arguments: argparse.Namespace
) -> Verdict:
    if control is not None:
        return Verdict.FAIL if control.false_alarms else Verdict.PASS
    # A fault none of the chosen layer kinds can show is no failure of the checks.
    ran = [f.verdict for f in faults if f.plants or f.fault not in FAULTS or not arguments.kind]
    return worst_verdict(ran)


def _command(arguments: argparse.Namespace) -> str:
    words = ["python", "-m", "verify", "faults"]
    words += [w for name in arguments.fault or () for w in ("--fault", name)]
    words += [w for kind in arguments.kind or () for w in ("--kind", kind)]
    words += ["--preset", arguments.preset, "--tp", str(arguments.tp)]
    if arguments.seeds:
        words += ["--seeds", str(arguments.seeds)]
    if arguments.first_seed:
        words += ["--first-seed", str(arguments.first_seed)]
    words += [w for name in arguments.candidate or () for w in ("--candidate", name)]
    words += [f"--{name}" for name in ("quick", "control") if getattr(arguments, name)]
    return shlex.join(words)


def _show(console: Console, matrix: FaultMatrix, path: Path) -> None:
    if matrix.control is not None:
        _show_control(console, matrix.control)
    else:
        _show_matrix(console, matrix.faults + matrix.kernel_faults)
        if not matrix.kernel_faults:
            console.print("kernel faults: none")
    color = COLORS[matrix.verdict]
    console.print(
        f"{matrix.seconds:.0f} s   verdict: [bold {color}]{matrix.verdict.value}[/]   "
        f"record: {path}",
        soft_wrap=True,
    )


def _show_matrix(console: Console, faults: list[FaultReport]) -> None:
    """Fault × check: the share of runs in which a check of that name failed."""
    used = [c for c in CHECKS if any(c in p.checks for fault in faults for p in fault.plants)]
    table = Table(title="share of runs in which a check failed", title_justify="left")
    table.add_column("fault", no_wrap=True)
    table.add_column("planted", overflow="fold")
    table.add_column("in", overflow="fold")
    for name in used:
        table.add_column(name.replace("_", "\n"), justify="right", no_wrap=True)
    table.add_column("rate", justify="right", no_wrap=True)
    table.add_column("cheapest check", overflow="fold")
    for fault in faults:
        for i, plant in enumerate(dict.fromkeys(p.plant for p in fault.plants)):
            mine = [p for p in fault.plants if p.plant == plant]
            runs, detected = sum(p.runs for p in mine), sum(p.detected for p in mine)
            shares = {c: sum(p.checks.get(c, 0.0) * p.runs for p in mine) / runs for c in used}
            color = "green" if detected == runs else "red"
            table.add_row(
                fault.fault if i == 0 else "",
                plant,
                " ".join(p.kind for p in mine),
                *(f"{shares[c]:.2f}".replace("1.00", "1") if shares[c] else "" for c in used),
                f"[{color}]{detected}/{runs}[/]",
                mine[0].cheapest or "[red]none[/]",
            )
        if not fault.plants:
            why = "no chosen layer kind can show it"
            table.add_row(fault.fault, why if fault.fault in FAULTS else fault.reveals)
    console.print(table)
    for fault in faults:
        for plant_report in fault.plants:
            if plant_report.missed_seeds:
                seeds = ", ".join(map(str, plant_report.missed_seeds))
                console.print(
                    f"[red]{fault.fault} in {plant_report.kind} was not seen[/] with seeds {seeds}"
                )


def _show_control(console: Console, control: ControlReport) -> None:
    table = Table(title="A/A control", title_justify="left", show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in (
        ("candidates", ", ".join(control.candidates)),
        ("seeds", str(control.seeds)),
        ("cases", f"{control.cases:,}"),
        ("launches", f"{control.launches:,}"),
        ("checks", f"{control.checks:,}"),
        ("elements compared", f"{control.elements:,}"),
        ("false alarms", str(control.false_alarms)),
        (
            "upper limit of the rate",
            f"{control.upper:.2e} of cases, one-sided {control.confidence:.0%}",
        ),
        ("largest error / bound", f"{control.largest:.3f} ({control.largest_at})"),
    ):
        table.add_row(name, value)
    console.print(table)
    for failure in control.failures[:20]:
        console.print(failure, markup=False, highlight=False, soft_wrap=True)
