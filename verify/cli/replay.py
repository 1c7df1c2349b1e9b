"""``verify replay``: launch a captured step again and again over the same memory."""

from __future__ import annotations

import argparse
import os
import shlex
from copy import copy
from pathlib import Path
from typing import Any

import torch

from verify.candidates import CandidateError
from verify.cli import layer
from verify.cli.checks import save_model, show_checks, show_verdict
from verify.cli.processes import group_of, under_torchrun
from verify.cli.progress import progress_line
from verify.cli.table import make_console
from verify.layers import LAYERS
from verify.plan import PREFIX, Planned, plan_arguments, words_of
from verify.ranks import Ranks
from verify.replay import ReplayPlan, replay
from verify.step import UsageError

EXAMPLES = """examples:
  python -m verify replay k1                                   tiny preset, 300 launches, 1000 calls
  python -m verify replay k2 --candidate compiled --device cuda --preset production
  python -m verify replay k1 --candidate my_kernel.py:make --launches 1000
  python -m verify replay k1 --candidate vllm --rows 2 --drafts 1       a simulated replay
  torchrun --nproc-per-node 8 -m verify replay k2 --candidate triton --device cuda --tp 8
  python -m verify replay m1 --preset small --dcp 8 --json

on a GPU launches are CUDA or HIP graphs; elsewhere a compiled kernel is launched on the simulator
over memory that is kept (“simulated replay”), and PyTorch code is called anew (“eager replay”)

exit codes: 0 pass, 1 a check failed, 2 something could not be checked
"""


COMPILED = ("vllm", "flydsl")
"""built-in candidates that have builds at production shapes only"""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "replay",
        help="repeat one captured step: determinism, changed inputs, padding, batch invariance",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("layer", choices=list(LAYERS), help="layer kind")
    layer.add_options(p)
    group = p.add_argument_group("replay")
    group.add_argument(
        "--launches", type=int, help="launches on the same inputs (default: 300; 6 if simulated)"
    )
    group.add_argument(
        "--calls", type=int, help="back-to-back calls (default: 1000; 6 if simulated)"
    )
    group.add_argument(
        "--idle", type=float, default=1.0, help="seconds of idling before a launch (default: 1)"
    )
    if "--device" not in p._option_string_actions:
        group.add_argument(
            "--device", default="cpu", help="cpu, or a torch device with graphs, e.g. cuda"
        )
    p.set_defaults(run=run_command, candidate="contract")


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify replay``, in each of torchrun's processes where it started them."""
    _check(arguments)
    with group_of(arguments) as ranks:
        return _run(arguments, ranks)


def _run(arguments: argparse.Namespace, ranks: Ranks | None) -> int:
    if all(getattr(arguments, name) is None for name in ("preset", "config", "checkpoint")):
        arguments.preset = "production" if arguments.candidate in COMPILED else "tiny"
    arguments.family = arguments.family or ["normal"]
    first, *others = (_planned(arguments, seed) for seed in range(3))
    console = make_console(stderr=arguments.json)
    console.quiet = ranks is not None and ranks.follower
    command = under_torchrun(_command(arguments, first), ranks)
    _, info = first.candidate()
    with progress_line(console) as update:
        title = f"{first.job.kind} layer {first.job.index}"
        update(f"{title}: inputs")
        plan = ReplayPlan(
            cases=(first.case(), others[0].case(), others[1].case()),
            make=lambda: first.candidate()[0],
            info=info,
            command=command,
            launches=arguments.launches,
            calls=arguments.calls,
            device=arguments.device if ranks is None else str(ranks.device),
            ranks=ranks,
            idle_s=arguments.idle,
        )
        try:
            record = replay(plan, lambda text: update(f"{title}: {text}"))
        except CandidateError as error:
            raise UsageError(str(error)) from error
    if ranks is not None and ranks.follower:
        return 0
    label = Path(arguments.candidate.split(":")[0]).stem
    stem = f"replay-{record.layer}-{record.layer_index}-{record.family}-{label}-{record.seed}"
    path = save_model(record, arguments.out, stem)
    if arguments.json:
        print(record.model_dump_json(indent=2))
    else:
        step = record.step
        heading = (
            f"{record.layer} · layer {record.layer_index} · {record.preset} · TP{record.tp} · "
            f"{step.rows} rows ({step.requests}×{step.drafts + 1}) · candidate {info.name} · "
            f"{record.mode} · {record.launches} launches, {record.calls} calls"
        )
        show_checks(console, heading, record.checks)
        for note in record.notes:
            console.print(f"note: {note}", markup=False, highlight=False, soft_wrap=True)
        console.print(f"hardware (gfx950): {record.hardware.value}; {record.seconds:.1f} s")
        show_verdict(console, record.verdict, path, command)
    return record.verdict.exit_code


def _check(arguments: argparse.Namespace) -> None:
    problems = []
    for name, least in (("launches", 2), ("calls", 4)):
        value = getattr(arguments, name)
        if value is not None and value < least:
            problems.append(f"--{name} must be at least {least}, got {value}")
    if not arguments.idle >= 0:
        problems.append(f"--idle must be 0 or more seconds, got {arguments.idle}")
    if len(arguments.family or ()) > 1 or "all" in (arguments.family or ()):
        problems.append(f"--family must be one family, got {' '.join(arguments.family)}")
    if arguments.stage:
        problems.append("--stage must not be given: a replay compares whole launches")
    try:
        device = torch.device(arguments.device)
    except RuntimeError:
        problems.append(f"--device must be cpu or a torch device, got {arguments.device!r}")
    else:
        if device.type == "cuda":
            if not torch.cuda.is_available():
                problems.append(f"--device {arguments.device} must be there; torch sees no GPU")
            # cuBLAS must not choose its workspace anew in a capture: results could differ in bits.
            os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        elif device.type != "cpu":
            problems.append(f"--device must be cpu or cuda (HIP too), got {arguments.device!r}")
    if problems:
        raise UsageError("\n".join(problems))


def _planned(arguments: argparse.Namespace, more: int) -> Planned:
    given = copy(arguments)
    given.seed += more
    return plan_arguments(given)[0]


def _command(arguments: argparse.Namespace, planned: Planned) -> str:
    words = " ".join((*PREFIX[:3], "replay")) + " " + shlex.join(words_of(planned.command))
    for name in ("launches", "calls"):
        value = getattr(arguments, name)
        words += f" --{name} {value}" if value is not None else ""
    if arguments.idle != 1.0:
        words += f" --idle {arguments.idle:g}"
    if arguments.device != "cpu" and "--device" not in words:
        words += f" --device {arguments.device}"
    return words
