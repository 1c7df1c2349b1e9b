"""``verify layer``: run a candidate beside the reference and judge every stage."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from kk3ref.checkpoint import Checkpoint, CheckpointError, Source, SyntheticWeights
from kk3ref.config import ConfigError, K3Config
from kk3ref.presets import PRESETS, preset
from kk3ref.stages import LayerOptions
from verify.candidates import (
    BUILT_IN,
    NO_PLANT,
    Candidate,
    CandidateError,
    NotServed,
    RunOptions,
    chosen,
    load,
)
from verify.cli.processes import add_share, group_of, placement_of, under_torchrun
from verify.cli.progress import progress_line
from verify.cli.table import make_console, show_failures, show_record, show_summary
from verify.data import CandidateInfo, Record, Verdict, worst_verdict
from verify.data.store import save
from verify.inputs import FAMILIES, Family
from verify.jobs import Job, applying, jobs
from verify.layers import LAYERS, LayerChoice
from verify.placement import Placement
from verify.processes import attend
from verify.run import verify_case
from verify.step import Step, UsageError

EXAMPLES = """examples:
  python -m verify layer k1                               our kernel, production shapes
  python -m verify layer k1 --candidate contract          the A/A control
  python -m verify layer all --preset tiny --tp 8         every layer kind and input family
  python -m verify layer k2 --rows 8 --tp 8 --candidate compiled
  python -m verify layer k1 --checkpoint DIR --layer 5    weights from a checkpoint
  python -m verify layer k2 --candidate vllm --rows 8     vLLM's production kernel, simulated
  python -m verify layer k1 --candidate vllm --schedule random:7 --sanitize
  python -m verify layer k1 --candidate triton --device cuda
  torchrun --nproc-per-node 8 -m verify layer k2 --device cuda --tp 8     one process a GPU
  python -m verify layer m1 --preset small --kv-dtype bf16 --dcp 8
  python -m verify layer kda --preset tiny --candidate my_kernel.py:make --stage recurrence
  python -m verify layer k1 --no-sequence                 one launch, nothing after it
  python -m verify layer k1 --preset tiny --requests 2 --drafts 3 --accepted 1,4 --json

exit codes: 0 pass, 1 a check failed, 2 something could not be checked
"""
FEW = 4
"""Cases of which the first is shown in full; of more there is a summary only."""


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "layer",
        help="verify one fused layer, stage by stage",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("layer", choices=[*LAYERS, "all"], help="layer kind, or all of them")
    add_options(p)
    p.set_defaults(run=run_command)


def add_options(p: argparse.ArgumentParser) -> None:
    """What to run, and how: shared by every command that runs a layer."""
    model = p.add_argument_group("model")
    model.add_argument(
        "--preset", choices=sorted(PRESETS), help="configuration (default: production)"
    )
    model.add_argument("--config", type=Path, help="Hugging Face config.json, in place of a preset")
    model.add_argument("--checkpoint", type=Path, help="folder with config.json and safetensors")
    model.add_argument("--layer", dest="index", type=int, help="0-based decoder layer")
    model.add_argument("--tp", type=int, default=8, help="tensor-parallel ranks (default: 8)")
    model.add_argument("--weights-seed", type=int, default=0, help="seed of synthetic weights")
    step = p.add_argument_group("step")
    step.add_argument("--rows", type=int, help="rows, requests·(drafts + 1) (default: 8)")
    step.add_argument("--drafts", type=int, help="speculative tokens a request (default: 3)")
    step.add_argument("--requests", type=int, help="requests")
    step.add_argument(
        "--accepted", help="accepted rows of the previous step: one count, or one a request"
    )
    step.add_argument("--padded", type=int, help="how many of the requests are padding")
    step.add_argument("--seed", type=int, default=0, help="seed of the inputs (default: 0)")
    step.add_argument(
        "--family",
        action="append",
        choices=[*FAMILIES, "all"],
        help="input family, repeatable (default: all; at production size normal and storage)",
    )
    step.add_argument(
        "--no-sequence",
        action="store_true",
        help="one launch only; by default others follow on the same memory",
    )
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
        help=f"{', '.join(BUILT_IN)} or path/to/file.py:factory (default: flydsl for the kinds it "
        "has kernels for, contract for the others)",
    )
    run.add_argument(
        "--schedule",
        default="forward",
        help="simulated kernels: forward, reverse, or random:SEED (default: forward)",
    )
    run.add_argument(
        "--mfma-order",
        choices=("sequential", "pairwise", "fused"),
        default="sequential",
        help="simulated kernels: model of a matrix unit's summation order",
    )
    run.add_argument(
        "--sanitize", action="store_true", help="simulated kernels: report races and wrong scopes"
    )
    run.add_argument(
        "--plant", default=NO_PLANT, help="kernels that can be built with a fault: which (a test)"
    )
    run.add_argument(
        "--device",
        default="cpu",
        help="cpu or cuda: where the candidate runs; judged on the CPU (default: cpu)",
    )
    add_share(run)
    run.add_argument("--stage", action="append", help="judge this stage only, repeatable")
    run.add_argument("--out", type=Path, default=Path("out"), help="folder for records")
    run.add_argument("--json", action="store_true", help="print the records as JSON")


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify layer``, in each of torchrun's processes where it started them."""
    with group_of(arguments) as ranks:
        return run_placed(arguments, placement_of(arguments, ranks))


def run_placed(arguments: argparse.Namespace, place: Placement) -> int:
    """Run it where memory is placed."""
    source, name = _source(arguments)
    options = _options(arguments)
    planned = list(_jobs(arguments, source.config, options))
    console = make_console(stderr=arguments.json)
    console.quiet = place.follower
    simulated = _run_options(arguments)
    candidates = {
        job.kind: load(chosen(arguments.candidate, job.kind), job.layer, simulated)
        for job in planned
    }
    records: list[tuple[Record, Path]] = []
    with progress_line(console) as update:
        for number, job in enumerate(planned, 1):
            title = f"{job.kind} layer {job.index}, {job.family} ({number}/{len(planned)})"
            candidate, info = candidates[job.kind]
            try:
                if place.follower:
                    case = job.case(source, arguments.tp, arguments.seed, name)
                    attend(case, candidate, place, job.sequence)
                    continue
                record, path = _run(
                    arguments, job, source, name, candidate, info, title, update, place
                )
            except NotServed as refusal:
                if arguments.family or arguments.layer == "all" or not FAMILIES[job.family].storage:
                    raise UsageError(str(refusal)) from refusal
                # A storage the candidate is not made for is no part of what it claims.
                console.print(f"{job.family}: left out, not served by {info.name}: {refusal}")
                continue
            except CandidateError as error:
                raise UsageError(str(error)) from error
            records.append((record, path))
            if not arguments.json:
                if len(planned) == 1 or (number == 1 and len(planned) <= FEW):
                    show_record(console, record)
                show_failures(console, record)
    if place.follower:
        return 0
    verdict = worst_verdict(record.verdict for record, _ in records)
    if arguments.json:
        print(json.dumps([record.model_dump(mode="json") for record, _ in records], indent=2))
    else:
        if len(records) > 1:
            show_summary(console, [record for record, _ in records])
        _show_paths(console, [path for _, path in records], verdict)
    return verdict.exit_code


def _show_paths(console: Console, paths: list[Path], verdict: Verdict) -> None:
    where = paths[0] if len(paths) == 1 else paths[0].parent
    color = {"pass": "green", "fail": "red"}.get(verdict.value, "yellow")
    what = "record" if len(paths) == 1 else f"{len(paths)} records"
    console.print(f"verdict: [bold {color}]{verdict.value}[/]   {what}: {where}", soft_wrap=True)


def _run(
    arguments: argparse.Namespace,
    job: Job,
    source: Source,
    name: str,
    candidate: Candidate,
    info: CandidateInfo,
    title: str,
    update: Callable[[str], None],
    place: Placement,
) -> tuple[Record, Path]:
    update(f"{title}: inputs")
    only = frozenset(arguments.stage) if arguments.stage else None
    outcome = verify_case(
        job.case(source, arguments.tp, arguments.seed, name),
        candidate,
        info,
        under_torchrun(_repro(arguments, job), place.ranks),
        lambda text: update(f"{title}: {text}"),
        only,
        job.sequence,
        place,
    )
    return outcome.record, save(outcome, arguments.out)


def _jobs(arguments: argparse.Namespace, config: K3Config, options: LayerOptions) -> Iterator[Job]:
    kinds = list(LAYERS) if arguments.layer == "all" else [arguments.layer]
    stages: set[str] = set()
    for kind in kinds:
        choice = LAYERS[kind]
        if arguments.index is not None:
            if arguments.layer == "all" and arguments.index not in choice.indices(config):
                continue
            choice.check(config, arguments.index)
        families = _families(arguments, choice, options)
        index = arguments.index
        named = arguments.family and "all" not in arguments.family
        if index is None and named and arguments.layer != "all":
            index = choice.default_indices(config)[0]
        for job in jobs(
            choice,
            config,
            arguments.tp,
            options,
            lambda choice, family: _step(arguments, choice.drafts, family),
            families,
            index,
            not arguments.no_sequence,
        ):
            stages.update(s.name for s in job.layer.stages)
            yield job
    unknown = sorted(set(arguments.stage or ()) - stages)
    if unknown:
        raise UsageError(f"--stage must be among {sorted(stages)}, got {unknown}")


def _families(
    arguments: argparse.Namespace, choice: LayerChoice, options: LayerOptions
) -> list[str] | None:
    """The families asked for; None for the default ones."""
    if not arguments.family:
        return None
    asked = list(FAMILIES) if "all" in arguments.family else list(dict.fromkeys(arguments.family))
    chosen = applying(choice, options, asked)
    useless = [f for f in asked if f not in chosen]
    if useless and arguments.layer != "all" and "all" not in arguments.family:
        raise UsageError(f"--family {', '.join(useless)} changes nothing for {choice.name}")
    return chosen


def _step(arguments: argparse.Namespace, drafts: int | None, wanted: Family) -> Step:
    given = (arguments.rows, arguments.drafts, arguments.requests)
    if drafts is not None:
        if arguments.drafts not in (None, drafts):
            raise UsageError(f"--drafts must be {drafts} for {arguments.layer}")
    elif all(value is None for value in given):
        drafts = wanted.drafts
    else:
        drafts = arguments.drafts
    accepted = None
    if arguments.accepted:
        try:
            accepted = tuple(int(n) for n in str(arguments.accepted).split(","))
        except ValueError:
            raise UsageError(
                f"--accepted must be whole numbers separated by commas, got {arguments.accepted!r}"
            ) from None
    step = Step.resolve(
        arguments.rows, drafts, arguments.requests, accepted, arguments.padded or 0, arguments.seed
    )
    if arguments.padded is None and wanted.padded and step.requests > wanted.padded:
        step = Step.resolve(
            step.rows, step.drafts, step.requests, step.accepted, wanted.padded, arguments.seed
        )
    return step


def _source(arguments: argparse.Namespace) -> tuple[Source, str]:
    chosen = [n for n in ("preset", "config", "checkpoint") if getattr(arguments, n) is not None]
    if len(chosen) > 1:
        options = ", ".join(f"--{n}" for n in chosen)
        raise UsageError(f"give one of --preset, --config, --checkpoint, got {options}")
    try:
        if arguments.checkpoint:
            checkpoint = Checkpoint.open(arguments.checkpoint)
            checkpoint.config.shard(arguments.tp)
            return checkpoint, str(arguments.checkpoint)
        if arguments.config:
            config, name = K3Config.from_hf(arguments.config), str(arguments.config)
        else:
            name = arguments.preset or "production"
            config = preset(name)
        config.shard(arguments.tp)
    except (ConfigError, CheckpointError) as error:
        raise UsageError(str(error)) from error
    return SyntheticWeights(config, arguments.weights_seed), name


def _options(arguments: argparse.Namespace) -> LayerOptions:
    if arguments.dcp not in (1, arguments.tp):
        raise UsageError(f"--dcp must be 1 or --tp ({arguments.tp}), got {arguments.dcp}")
    if not arguments.kv_scale > 0:
        raise UsageError(f"--kv-scale must be positive, got {arguments.kv_scale}")
    return LayerOptions(
        conv_dim_first=arguments.conv_layout == "dim-len",
        kv_dtype=arguments.kv_dtype,
        kv_scale=arguments.kv_scale,
        absorb_format=arguments.absorb,
        dcp=arguments.dcp,
    )


def _run_options(arguments: argparse.Namespace) -> RunOptions:
    order, _, seed = arguments.schedule.partition(":")
    if order not in ("forward", "reverse", "random") or (seed and not seed.isdecimal()):
        raise UsageError(
            f"--schedule must be forward, reverse or random:SEED, got {arguments.schedule!r}"
        )
    return RunOptions(
        order,
        int(seed or 0),
        arguments.mfma_order,
        arguments.sanitize,
        plant=getattr(arguments, "plant", NO_PLANT),
    )


def _repro(arguments: argparse.Namespace, job: Job) -> str:
    """The command that repeats one job exactly."""
    words = ["python", "-m", "verify", "layer", job.kind]
    for option in ("preset", "config", "checkpoint"):
        value = getattr(arguments, option)
        if value is not None:
            words += [f"--{option}", str(value)]
    step = job.step
    words += ["--layer", str(job.index), "--tp", str(arguments.tp)]
    words += ["--rows", str(step.rows), "--drafts", str(step.drafts)]
    words += ["--accepted", ",".join(map(str, step.accepted)), "--padded", str(step.padded)]
    words += ["--seed", str(arguments.seed), "--family", job.family]
    words += ["--candidate", chosen(arguments.candidate, job.kind)]
    defaults = {
        "weights_seed": 0,
        "conv_layout": "dim-len",
        "kv_dtype": "fp8_e4m3fn",
        "kv_scale": 1.0,
        "absorb": "bf16",
        "dcp": 1,
        "schedule": "forward",
        "mfma_order": "sequential",
        "plant": NO_PLANT,
        "device": "cpu",
    }
    for option, default in defaults.items():
        value = getattr(arguments, option)
        if value != default:
            words += [f"--{option.replace('_', '-')}", str(value)]
    if arguments.sanitize:
        words.append("--sanitize")
    if arguments.no_sequence:
        words.append("--no-sequence")
    for stage in arguments.stage or ():
        words += ["--stage", stage]
    return shlex.join(words)


# What other commands resolve their runs with.
resolve_source, resolve_options, resolve_run_options = _source, _options, _run_options
resolve_jobs, repro_command = _jobs, _repro
