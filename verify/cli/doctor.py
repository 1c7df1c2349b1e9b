"""``verify doctor``: what this machine can run, and why not the rest."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import shutil
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from kk3ref.stages import LayerOptions
from verify.candidates import BUILT_IN, RunOptions
from verify.environment import kk3_version
from verify.layers import LAYERS

EXAMPLES = """examples:
  python -m verify doctor
  python -m verify doctor --json
  python -m verify doctor --serve
  python -m verify doctor --json --serve vllm serve MODEL -tp 8 --additional-config '{"decode_…'

exit codes: 0 the main command can run here, 2 it cannot; with --serve and a command line:
0 it would serve as asked, 1 it would be refused (every reason is shown), 2 could not check
"""
_PACKAGES = {
    "core": ("torch", "numpy", "safetensors", "pandas", "pydantic", "rich", "scipy"),
    "sim": ("flydsl", "ziglang", "llvmlite"),
    "dev": ("pytest", "hypothesis", "ml_dtypes", "compressed-tensors", "fla-core", "jsonschema"),
}
_NEEDED_GIB = 6


def add_parser(commands: Any) -> None:
    """Register the subcommand."""
    p = commands.add_parser(
        "doctor",
        help="what this machine can run",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("--json", action="store_true", help="print as JSON")
    p.add_argument(
        "--serve",
        nargs=argparse.REMAINDER,
        metavar="COMMAND",
        help="look at serving: what is installed, and what a `vllm serve …` would do; comes last",
    )
    p.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run ``verify doctor``."""
    if arguments.serve is not None:
        from verify.cli.doctor_serve import diagnose_serve

        findings, code = diagnose_serve(arguments.serve)
    else:
        findings = diagnose()
        code = 0 if all(f["ok"] for f in findings if f["needed"]) else 2
    if arguments.json:
        print(json.dumps({"ok": code == 0, "findings": findings}, indent=2))
        return code
    table = Table(title=f"kk3 {kk3_version()}", title_justify="left")
    for name in ("what", "state", "detail"):
        table.add_column(name)
    for f in findings:
        color = "green" if f["ok"] else ("red" if f["needed"] else "yellow")
        state = "yes" if f["ok"] else "no"
        table.add_row(f["what"], f"[{color}]{state}[/]", f["detail"])
    Console().print(table)
    return code


def diagnose() -> list[dict[str, Any]]:
    """Every finding: ``what``, ``ok``, ``detail``, and whether the main command needs it."""
    findings = [
        _finding("Python", True, platform.python_version(), True),
        _memory(),
        _finding("C++ compiler", *_compiler(), False),
        _finding("GPU", torch.cuda.is_available(), _gpu(), False),
        _finding("gfx950 (MI355X)", *_gfx950(), False),
    ]
    for extra, names in _PACKAGES.items():
        for name in names:
            findings.append(_package(name, extra))
    layer = LAYERS["k1"].make(LayerOptions())  # what every candidate has
    for name, make in BUILT_IN.items():
        ok, reason = make(layer, RunOptions()).available()
        findings.append(_finding(f"candidate {name}", ok, reason, name == "contract"))
    return findings


def _finding(what: str, ok: bool, detail: str, needed: bool) -> dict[str, Any]:
    return {"what": what, "ok": ok, "detail": detail, "needed": needed}


def _memory() -> dict[str, Any]:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    detail = f"{total:.1f} GiB; production shapes want {_NEEDED_GIB}"
    return _finding("memory", total >= _NEEDED_GIB, detail, False)


def _compiler() -> tuple[bool, str]:
    found = next(filter(shutil.which, ("g++", "clang++", "c++")), None)
    return found is not None, found or "none; the compiled candidate needs one on a CPU"


def _gpu() -> str:
    if not torch.cuda.is_available():
        return "none; everything runs on the CPU"
    return torch.cuda.get_device_name(0)


def _gfx950() -> tuple[bool, str]:
    if torch.version.hip is None or not torch.cuda.is_available():
        return False, "none; hardware verdicts stay not_checked"
    arch = torch.cuda.get_device_properties(0).gcnArchName
    return arch.startswith("gfx950"), arch


def _package(name: str, extra: str) -> dict[str, Any]:
    try:
        return _finding(name, True, importlib.metadata.version(name), extra == "core")
    except importlib.metadata.PackageNotFoundError:
        detail = "not installed" + ("" if extra == "core" else f"; in the extra [{extra}]")
        return _finding(name, False, detail, extra == "core")
