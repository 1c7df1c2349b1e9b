"""Arguments that name a deployment, for ``certify`` and ``gate``."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from kk3fast.certificate import Deployed
from kk3fast.serve.versions import VERSIONED, installed_versions
from kk3ref.presets import PRESETS
from verify.certify.deployment import Deployment, deployed_of, read_deployed
from verify.cli import layer
from verify.cli.arguments import numbers
from verify.cli.progress import progress_line
from verify.step import MAX_ROWS, UsageError


def add_deployment(p: argparse.ArgumentParser) -> None:
    """The arguments; without ``--deployed`` the builds are compiled here."""
    group = p.add_argument_group("deployment")
    group.add_argument(
        "--deployed", type=Path, help="what would be launched, as gate --describe wrote it"
    )
    group.add_argument("--preset", choices=sorted(PRESETS), help="model (default: production)")
    group.add_argument("--config", type=Path, help="model: Hugging Face config.json")
    group.add_argument("--checkpoint", type=Path, help="model: folder with config.json")
    group.add_argument(
        "--kernels", choices=("flydsl", "vllm"), default="flydsl", help="whose kernels"
    )
    group.add_argument("--tp", type=int, default=8, help="tensor-parallel ranks (default: 8)")
    group.add_argument("--q", type=int, default=4, help="rows a request verifies (default: 4)")
    group.add_argument("--widths", help="rows of the served steps, e.g. 4,8 (default: all of q)")
    group.add_argument(
        "--version",
        action="append",
        default=[],
        metavar="NAME=VERSION",
        help="of the vllm or aiter that will serve, repeatable (default: those installed here; "
        "python -m kk3fast.serve.versions prints a server's)",
    )
    group.set_defaults(weights_seed=0)


def deployed_here(arguments: argparse.Namespace, console: Console) -> Deployed:
    """The deployment of a command line.

    Raises:
        UsageError: lists every reason.
    """
    if arguments.deployed is not None:
        return read_deployed(arguments.deployed)
    deployment = deployment_of(arguments)
    with progress_line(console) as update:
        return deployed_of(deployment, update)


def deployment_of(arguments: argparse.Namespace) -> Deployment:
    """The deployment, not compiled.

    Raises:
        UsageError: lists every reason.
    """
    if not any(getattr(arguments, n) for n in ("preset", "config", "checkpoint")):
        arguments.preset = "production"
    source, _ = layer.resolve_source(arguments)
    q, problems = arguments.q, []
    if not 1 <= q <= MAX_ROWS:
        problems.append(f"--q must be 1 to {MAX_ROWS}, got {q}")
    widths = list(range(q, MAX_ROWS + 1, q)) if q > 0 else []
    if arguments.widths is not None:
        try:
            widths = numbers(arguments.widths)
        except ValueError:
            problems.append(f"--widths must be like 4,8, got {arguments.widths!r}")
    wrong = [w for w in widths if not 1 <= w <= MAX_ROWS or (q > 0 and w % q)]
    if wrong:
        problems.append(f"--widths must be multiples of q up to {MAX_ROWS}, got {wrong}")
    versions = installed_versions()
    for text in arguments.version:
        name, _, version = text.partition("=")
        if name not in VERSIONED or not version:
            named = " or ".join(VERSIONED)
            problems.append(f"--version must be NAME=VERSION, NAME {named}, got {text!r}")
        versions[name] = version
    if problems:
        raise UsageError("\n".join(problems))
    every = tuple(sorted(set(widths)))
    return Deployment(source.config, arguments.kernels, arguments.tp, q, every, versions)
