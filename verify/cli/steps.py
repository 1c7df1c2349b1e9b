"""``verify steps``: many decode steps, error growth over steps and layers beside the baseline's."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from kk3ref.config import K3Config
from kk3ref.layers.k1 import K1
from kk3ref.layers.k2 import K2
from kk3ref.layers.m1 import m1_layer
from kk3ref.model.blocks import DENSE_POST
from kk3ref.presets import PRESETS
from kk3ref.stages import LayerOptions
from verify.candidates import BUILT_IN, Candidate, CandidateError, load
from verify.cli import layer
from verify.cli.arguments import numbers
from verify.cli.checks import save_model, show_checks, show_verdict
from verify.cli.progress import progress_line
from verify.cli.table import make_console
from verify.data import CandidateInfo
from verify.device import device_of
from verify.step import MAX_ROWS, UsageError
from verify.steps import KINDS, StepsPlan, run_steps
from verify.steps.files import write_csv, write_plot
from verify.steps.record import StepsRecord

EXAMPLES = """examples:
  python -m verify steps                                  512 steps of the tiny model, A/A control
  python -m verify steps --candidate compiled --steps 64
  python -m verify steps --candidate my_kernel.py:make --kind k1 --layers 1,4-6
  python -m verify steps --requests 4 --drafts 1 --tp 8 --json
  python -m verify steps --candidate triton --device cuda --kind k1 --kind m1 --kind k2
  python -m verify steps --preset production --candidate vllm --kind k1 --layers 1 --tp 8 --steps 12

one request's errors are compared at equal age with those of the baseline, which lives through the
same tokens and accepted counts; the bound and what it rests on: docs/depth.md

exit codes: 0 pass, 1 a check failed, 2 something could not be checked
"""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "steps",
        help="many decode steps: error growth over steps and layers",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("--steps", type=int, default=512, help="decode steps (default: 512)")
    p.add_argument("--requests", type=int, default=2, help="requests a step (default: 2)")
    p.add_argument("--drafts", type=int, default=3, help="speculative tokens (default: 3)")
    p.add_argument("--seed", type=int, default=0, help="seed of the traffic (default: 0)")
    p.add_argument("--layers", help="decoder layers the candidate runs, e.g. 0,4-6 (default: all)")
    p.add_argument(
        "--kind",
        action="append",
        choices=KINDS,
        help="fused layer the candidate runs, repeatable; the contract runs the others "
        "(default: all)",
    )
    model = p.add_argument_group("model")
    model.add_argument("--preset", choices=sorted(PRESETS), help="configuration (default: tiny)")
    model.add_argument("--config", type=Path, help="Hugging Face config.json")
    model.add_argument("--checkpoint", type=Path, help="folder with config.json and safetensors")
    model.add_argument("--tp", type=int, default=1, help="tensor-parallel ranks (default: 1)")
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
    run.add_argument(
        "--candidate",
        default="contract",
        help=f"{', '.join(BUILT_IN)} or path/to/file.py:factory (default: contract)",
    )
    run.add_argument(
        "--device", default="cpu", help="cpu or cuda: where the candidate runs (default: cpu)"
    )
    run.add_argument("--schedule", default="forward", help="simulated kernels: see verify layer")
    run.add_argument(
        "--mfma-order", choices=("sequential", "pairwise", "fused"), default="sequential"
    )
    run.add_argument("--sanitize", action="store_true", help="simulated kernels: report races")
    run.add_argument("--out", type=Path, default=Path("out"), help="folder for record, CSV and PNG")
    run.add_argument("--json", action="store_true", help="print the record as JSON")
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify steps``."""
    chosen = [n for n in ("preset", "config", "checkpoint") if getattr(arguments, n) is not None]
    if not chosen:
        arguments.preset = "tiny"
    source, name = layer.resolve_source(arguments)
    layers = _check(arguments, source.config)
    options = layer.resolve_options(arguments)
    candidates, info = _candidates(arguments, source.config, options)
    console = make_console(stderr=arguments.json)
    command = _command(arguments)
    plan = StepsPlan(
        source=source,
        preset=name,
        candidates=candidates,
        info=info,
        command=command,
        steps=arguments.steps,
        requests=arguments.requests,
        drafts=arguments.drafts,
        tp=arguments.tp,
        seed=arguments.seed,
        layers=layers,
        options=options,
        device=device_of(arguments.device),
    )
    with progress_line(console) as update:
        try:
            outcome = run_steps(plan, update)
        except CandidateError as error:
            raise UsageError(str(error)) from error
    label = Path(arguments.candidate.split(":")[0]).stem
    stem = f"steps-{Path(name).stem}-{label}-{arguments.seed}"
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_csv(outcome.errors, arguments.out / f"{stem}.csv")
    record = outcome.record
    title = f"{name} · TP{plan.tp} · {plan.steps} steps · candidate {info.name}"
    drawn = write_plot(record.growth, title, arguments.out / f"{stem}.png")
    files = {"csv": f"{stem}.csv", "plot": f"{stem}.png" if drawn else ""}
    record = record.model_copy(update=files)
    path = save_model(record, arguments.out, stem)
    if arguments.json:
        print(record.model_dump_json(indent=2))
    else:
        _show(console, record, title)
        where = [str(arguments.out / file) for file in files.values() if file]
        console.print(f"errors: {', '.join(where)}", soft_wrap=True)
        show_verdict(console, record.verdict, path, command)
    return record.verdict.exit_code


def _show(console: Console, record: StepsRecord, title: str) -> None:
    table = Table(title="error growth (relative L2)", title_justify="left")
    for name in ("view", "value", "layer"):
        table.add_column(name, no_wrap=True)
    last = max((g.ages[0] for g in record.growth), default=1)
    ranges = [(1 << n, (2 << n) - 1) for n in range(last.bit_length())]
    for first, end in ranges:
        table.add_column(f"age {first}" if first == end else f"{first}–{end}", justify="right")
    table.add_column("× baseline", justify="right", no_wrap=True)
    cells = {(g.view, g.what, g.layer, g.ages[0]): g for g in record.growth}
    for view, what, index in dict.fromkeys((g.view, g.what, g.layer) for g in record.growth):
        found = [cells.get((view, what, index, first)) for first, _ in ranges]
        ratio = max(g.ratio for g in found if g)
        shown = [f"{g.candidate:.1e}" if g else "" for g in found]
        table.add_row(view, what, str(index), *shown, f"{ratio:.2f}")
    console.print(table)
    show_checks(console, title, record.checks)
    for note in record.notes:
        console.print(f"note: {note}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"hardware (gfx950): {record.hardware.value}; {record.seconds:.1f} s")


def _check(arguments: argparse.Namespace, config: K3Config) -> frozenset[int] | None:
    problems = []
    for name, least in (("steps", 1), ("requests", 1), ("drafts", 0)):
        if getattr(arguments, name) < least:
            problems.append(f"--{name} must be at least {least}, got {getattr(arguments, name)}")
    rows = arguments.requests * (arguments.drafts + 1)
    if not problems and rows > MAX_ROWS:
        problems.append(f"requests·(drafts + 1) must be at most {MAX_ROWS} rows, got {rows}")
    layers: frozenset[int] | None = None
    if arguments.layers is not None:
        try:
            layers = frozenset(numbers(arguments.layers))
        except ValueError:
            problems.append(f"--layers must be like 0,4-6, got {arguments.layers!r}")
        else:
            wrong = sorted(i for i in layers if not 0 <= i < config.num_hidden_layers)
            if wrong or not layers:
                last = config.num_hidden_layers - 1
                problems.append(f"--layers must be in 0…{last}, got {arguments.layers!r}")
    if problems:
        raise UsageError("\n".join(problems))
    return layers


def _candidates(
    arguments: argparse.Namespace, config: K3Config, options: LayerOptions
) -> tuple[dict[str, Candidate], CandidateInfo]:
    """One a fused layer: every one, or those of ``--kind``."""
    layers = {"k1": K1, "m1": m1_layer(options), "k2": K2, "dense-post": DENSE_POST}
    simulated = layer.resolve_run_options(arguments)
    found: dict[str, Candidate] = {}
    problems = []
    info = None
    for kind in arguments.kind or KINDS:
        try:
            found[kind], info = load(arguments.candidate, layers[kind], simulated)
        except UsageError as error:
            problems.append(f"{kind}: {error}")
    if problems:
        hint = "--kind names the fused layers the candidate runs; the contract runs the others"
        raise UsageError("\n".join([*problems, *([hint] if found else [])]))
    assert info is not None
    return found, info


def _command(arguments: argparse.Namespace) -> str:
    words = ["python", "-m", "verify", "steps"]
    for name in ("preset", "config", "checkpoint", "layers"):
        if getattr(arguments, name) is not None:
            words += [f"--{name}", str(getattr(arguments, name))]
    for name in ("steps", "requests", "drafts", "tp", "seed", "candidate"):
        words += [f"--{name}", str(getattr(arguments, name))]
    defaults = {
        "weights_seed": 0,
        "conv_layout": "dim-len",
        "kv_dtype": "fp8_e4m3fn",
        "kv_scale": 1.0,
        "absorb": "bf16",
        "dcp": 1,
        "device": "cpu",
        "schedule": "forward",
        "mfma_order": "sequential",
    }
    for name, default in defaults.items():
        if getattr(arguments, name) != default:
            words += [f"--{name.replace('_', '-')}", str(getattr(arguments, name))]
    for kind in arguments.kind or ():
        words += ["--kind", kind]
    return shlex.join([*words, *(["--sanitize"] if arguments.sanitize else [])])
