"""``verify doctor --serve``: would this ``vllm serve`` run the fused layers, and why not."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from kk3fast.serve.check import VLLM, decide
from kk3fast.serve.command import CommandError, ServeCommand, as_vllm_config, parse_command
from kk3fast.serve.settings import AUTO, SPECIALIZED, Refused, Settings, read_settings

GROUP, NAME = "vllm.general_plugins", "kk3"
_VALUE = "kk3fast.serve.plugin:register"
_PARTS = ("flydsl", "ziglang", "prometheus_client", "cryptography")
_LOAD = "from kk3fast.serve.plugin import register; register()"
_DRY_RUN_S = 300

Finding = dict[str, Any]


def diagnose_serve(words: Sequence[str]) -> tuple[list[Finding], int]:
    """Every finding about serving, and the exit code: 0 as asked, 1 refused, 2 not checked.

    Args:
        words: a ``vllm serve`` command line, or nothing for what is installed alone.
    """
    environment = dict(os.environ)
    findings = [_vllm(), *_parts()]
    if not words:
        findings += _plugin(environment)
        return findings, 0 if all(f["ok"] for f in findings if f["needed"]) else 2
    try:
        command = parse_command(words)
    except CommandError as error:
        return [*findings, _finding("command", False, str(error), True)], 2
    environment |= command.environment
    findings += _plugin(environment)
    try:
        settings = read_settings(command.additional, environment)
    except Refused as error:
        return [*findings, *_refusals(error)], 1
    findings.append(_finding("asked for", True, _asked(settings), True))
    if settings.backend == AUTO:
        return findings, 0
    if not settings.gated:
        findings.append(_finding("gate", False, _UNGATED, False))
        return findings, 0
    return _gated(findings, command, settings, environment)


_UNGATED = (
    "latency_specialized runs without a certificate; give kk3_certificate and kk3_policy, or set "
    "KK3_REQUIRE_CERTIFICATE=1. Without the plugin only deployment control can close this"
)


def _gated(
    findings: list[Finding],
    command: ServeCommand,
    settings: Settings,
    environment: Mapping[str, str],
) -> tuple[list[Finding], int]:
    plugin_runs = all(f["ok"] for f in findings if f["what"].startswith("plugin"))
    code = 0 if plugin_runs else 1
    if not plugin_runs:
        findings.append(_finding("without the plugin", False, _fails(settings), True))
    try:
        served = decide(as_vllm_config(command), settings, partial=True)
    except CommandError as error:
        return [*findings, _finding("model", False, str(error), True)], 2
    except Refused as error:
        return [*findings, *_refusals(error)], 1
    detail = f"opens {served.opens}; widths {list(served.widths)}, {len(served.builds)} builds"
    findings.append(_finding("certificate", True, detail, True))
    if find_spec("vllm") is None:
        detail = "vLLM is not installed here: what only it knows is not checked"
        findings.append(_finding("vLLM's own check", False, detail, False))
        return findings, code
    problem = _dry_run(command, environment)
    detail = problem or "its configuration is accepted"
    findings.append(_finding("vLLM's own check", problem is None, detail, True))
    return findings, 1 if problem else code


def _fails(settings: Settings) -> str:
    if settings.backend == SPECIALIZED:
        return "vLLM would run its kernels WITHOUT the gate: it does not know of the certificate"
    return "vLLM refuses the value kk3 in every worker: the server does not start"


def _asked(settings: Settings) -> str:
    if settings.backend == AUTO:
        return "auto: vLLM's decode, nothing is replaced"
    kernels = "" if settings.backend == SPECIALIZED else f", kernels {settings.kernels}"
    return f"{settings.backend}{kernels}, certificate {settings.certificate or 'none'}"


def _refusals(error: Refused) -> list[Finding]:
    return [_finding(f"refused: {code}", False, why, True) for code, why in error.reasons]


def _vllm() -> Finding:
    try:
        version = importlib.metadata.version("vllm")
    except importlib.metadata.PackageNotFoundError:
        return _finding("vLLM", False, f"not installed; {VLLM}x is supported", False)
    known = version.startswith(VLLM)
    detail = version if known else f"{version}; {VLLM}x is supported"
    return _finding("vLLM", known, detail, True)


def _parts() -> list[Finding]:
    found = []
    for name in _PARTS:
        there = find_spec(name) is not None
        detail = "installed" if there else "not installed; in the extra [serve]"
        found.append(_finding(name, there, detail, True))
    return found


def _plugin(environment: Mapping[str, str]) -> list[Finding]:
    """Whether vLLM would find, choose and load the plugin."""
    entries = importlib.metadata.entry_points(group=GROUP, name=NAME)
    values = sorted({entry.value for entry in entries})
    declared = values == [_VALUE]
    detail = _VALUE if declared else f"entry points {NAME} of {GROUP}: {values or 'none'}"
    if not values:
        detail += "; install kk3 (not only its source) where vLLM runs"
    chosen = environment.get("VLLM_PLUGINS")
    allowed = chosen is None or NAME in chosen.split(",")
    said = "not set: every plugin is loaded" if chosen is None else f"VLLM_PLUGINS={chosen}"
    done = subprocess.run(
        [sys.executable, "-c", _LOAD],
        capture_output=True,
        text=True,
        timeout=_DRY_RUN_S,
        env=dict(environment),
    )
    loads = done.returncode == 0
    last = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
    return [
        _finding("plugin declared", declared, detail, True),
        _finding("plugin chosen", allowed, said if allowed else f"{said} leaves it out", True),
        _finding("plugin loads", loads, "it registers" if loads else last, True),
    ]


def _dry_run(command: ServeCommand, environment: Mapping[str, str]) -> str | None:
    """What vLLM's own verification of the command line says; None if nothing."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "kk3fast.serve.dry_run", *command.arguments],
            capture_output=True,
            text=True,
            timeout=_DRY_RUN_S,
            env=dict(environment),
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {_DRY_RUN_S} s"
    try:
        said = json.loads(done.stdout.strip().splitlines()[-1])
        return None if said["ok"] else str(said["error"])
    except (IndexError, ValueError, KeyError, TypeError):
        return (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]


def _finding(what: str, ok: bool, detail: str, needed: bool) -> Finding:
    return {"what": what, "ok": ok, "detail": detail, "needed": needed}
