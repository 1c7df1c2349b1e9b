"""Why a deployment cannot be served, whatever its certificate says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kk3fast.runtime.from_vllm import deployment_of
from kk3fast.runtime.refusals import TP, unsupported
from kk3fast.serve.settings import FLYDSL, SIMULATED, SPECIALIZED, Settings

Reasons = list[tuple[str, str]]
_SETUP = ("pp", "dp", "dcp", "pcp", "ep", "eplb", "dbo", "compile")
_FEATURES = ("lora", "kv_transfer", "capture", "sleep", "updates", "replay_ssm", "recover_ssm")
_STEPS = ("speculation", "tokens", "adaptive", "dynamic")
ANYWHERE = frozenset((*_SETUP, *_FEATURES, *_STEPS))
"""Refusals that hold for the contract and the simulator, too: what their host side does not do."""


def deployment_reasons(vllm_config: Any, settings: Settings, *, partial: bool = False) -> Reasons:
    """Why the deployment cannot be served, as (code, sentence); empty if it can.

    The contract and the simulator run on any machine and at any TP: only what they do not compute
    is refused. Real kernels refuse everything that the specialized decode does besides.

    Args:
        partial: ``vllm_config`` is from a command line: what that does not say is not refused.
    """
    if settings.backend == SPECIALIZED or settings.kernels == FLYDSL:
        return _on_hardware(vllm_config, settings, partial)
    return [*_everywhere(vllm_config), *(_simulator() if settings.kernels == SIMULATED else ())]


def _simulator() -> Iterator[tuple[str, str]]:
    """Why no simulator process starts here."""
    from kk3fast.serve.simulated_process import start_problems

    for problem in start_problems():
        yield "simulator", problem


def _everywhere(config: Any) -> Iterator[tuple[str, str]]:
    """What the fused layers' host side does not serve on any machine."""
    found = deployment_of(config)
    for reason in unsupported(found):
        if reason.code in ANYWHERE:
            yield reason
    if found.dcp == TP:
        yield "dcp", f"decode context parallel ranks must be 1, got {found.dcp}"


def _on_hardware(config: Any, settings: Settings, partial: bool) -> Reasons:
    """What real kernels refuse: all that the specialized decode does."""
    if settings.backend == SPECIALIZED:
        return []  # vLLM checks its own, in every worker
    found = unsupported(deployment_of(config))
    return [(r.code, r.sentence) for r in found if not partial or r.code in _ON_A_COMMAND_LINE]


_SIZES = ("tp", "pp", "dp", "pcp", "dcp", "ep", "speculation", "tokens", "sequences")
_ON_A_COMMAND_LINE = frozenset((*_SIZES, "shapes", "attn_res", "platform", "gpu", "compute_units"))
