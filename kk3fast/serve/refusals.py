"""Why a deployment cannot be served, whatever its certificate says."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from typing import Any

from kk3fast.runtime import unsupported
from kk3fast.runtime.from_vllm import deployment_of
from kk3fast.serve.deployment import MAX_ROWS, verified_rows
from kk3fast.serve.settings import FLYDSL, SIMULATED, SPECIALIZED, Settings

Reasons = list[tuple[str, str]]
_ONE = {
    "pipeline_parallel_size": "pipeline parallelism",
    "data_parallel_size": "data parallelism",
    "decode_context_parallel_size": "decode context parallelism",
    "prefill_context_parallel_size": "prefill context parallelism",
}
# Field of VllmConfig, then of that part: what it switches on.
_OFF = {
    ("parallel_config", "enable_expert_parallel"): "expert parallelism",
    ("parallel_config", "enable_eplb"): "expert load balancing",
    ("parallel_config", "use_ubatching"): "dual-batch overlap",
    ("model_config", "enable_sleep_mode"): "sleep mode",
    ("aux_output_config", "enable_return_routed_experts"): "capture of routed experts",
    ("speculative_config", "enable_adaptive_verification"): "adaptive verification",
    ("cache_config", "use_replayssm"): "ReplaySSM",
    ("cache_config", "use_kda_recoverssm"): "RecoverSSM",
}
_ABSENT = {
    "lora_config": "LoRA",
    "kv_transfer_config": "KV transfer",
    "weight_transfer_config": "weight updates",
}


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
    """What the simulator needs; vLLM's numba asks for another llvmlite, and may have won."""
    try:
        found = importlib.metadata.version("llvmlite")
    except importlib.metadata.PackageNotFoundError:
        found = "none"
    if found.split(".")[:2] not in (["0", "50"], ["0", "51"]):
        yield "simulator.llvmlite", f"the simulator needs llvmlite>=0.50,<0.52, got {found}"


def _everywhere(config: Any) -> Iterator[tuple[str, str]]:
    """What the fused layers' host side does not serve on any machine.

    A part or field that a configuration does not have is at its default.
    """
    q = verified_rows(config)
    if config.speculative_config is None:
        yield "speculation.none", "speculative decoding must be on: only its steps are served"
    if q > MAX_ROWS:
        yield "speculation.tokens", f"at most {MAX_ROWS - 1} speculative tokens, got {q - 1}"
    for name, what in _ONE.items():
        size = getattr(config.parallel_config, name, 1)
        if size != 1:
            yield f"parallel.{name.removesuffix('_size')}", f"{what} must be 1, got {size}"
    for (part, name), what in _OFF.items():
        if getattr(getattr(config, part, None), name, False) is True:
            yield f"{part.removesuffix('_config')}.{name}", f"{what} must be off"
    for name, what in _ABSENT.items():
        if getattr(config, name, None) is not None:
            yield name.removesuffix("_config"), f"{what} must be off"
    dynamic = getattr(config.speculative_config, "uses_dynamic_speculative_decoding", None)
    if callable(dynamic) and dynamic():
        yield "speculation.dynamic", "dynamic speculative decoding must be off"
    if getattr(getattr(config, "compilation_config", None), "mode", None) == 1:
        yield "compilation.mode", "STOCK_TORCH_COMPILE would trace the plan; choose another mode"


def _on_hardware(config: Any, settings: Settings, partial: bool) -> Reasons:
    """What real kernels refuse: all that the specialized decode does."""
    if settings.backend == SPECIALIZED:
        return []  # vLLM checks its own, in every worker
    found = unsupported(deployment_of(config))
    return [(r.code, r.sentence) for r in found if not partial or r.code in _ON_A_COMMAND_LINE]


_ON_A_COMMAND_LINE = frozenset(
    [
        "tp",
        "pp",
        "dp",
        "pcp",
        "dcp",
        "ep",
        "speculation",
        "tokens",
        "sequences",
        "shapes",
        "attn_res",
        "platform",
        "gpu",
        "compute_units",
    ]
)
