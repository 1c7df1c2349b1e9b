"""A :class:`Deployment` from vLLM 0.33's ``VllmConfig``, read by attribute names alone.

What a configuration of another release does not have is named in ``Deployment.unknown`` and so
refused: nothing is taken to be off because it could not be found.
"""

from __future__ import annotations

import os
from typing import Any

from kk3fast.runtime.deployment import Deployment, KvTransfer

_MISSING = object()
_NUMBERS = ("tp", "pp", "dp", "dcp", "pcp", "max_num_seqs")
"""numbers that are named as unknown where they are missing"""


def deployment_of(vllm_config: Any) -> Deployment:
    """What a ``VllmConfig`` says, and what its platform is."""
    r = _Reader(vllm_config)
    tokens = r.get("speculative_config.num_speculative_tokens", None)
    speculative = r.get("speculative_config") is not None
    architecture, units = _machine()
    found = {
        "tp": r.get("parallel_config.tensor_parallel_size"),
        "pp": r.get("parallel_config.pipeline_parallel_size"),
        "dp": r.get("parallel_config.data_parallel_size"),
        "dcp": r.get("parallel_config.decode_context_parallel_size"),
        "pcp": r.get("parallel_config.prefill_context_parallel_size"),
        "expert_parallel": r.flag("parallel_config.enable_expert_parallel"),
        "eplb": r.flag("parallel_config.enable_eplb"),
        "dbo": r.flag("parallel_config.use_ubatching"),
        "lora": r.get("lora_config") is not None,
        "kv_transfer": _kv_transfer(r.get("kv_transfer_config")),
        "routed_expert_capture": r.flag("aux_output_config.enable_return_routed_experts"),
        "sleep_mode": r.flag("model_config.enable_sleep_mode"),
        "cpu_offload": bool(
            (r.get("offload_config.uva.cpu_offload_gb") or 0) > 0
            or (r.get("offload_config.prefetch.offload_group_size") or 0) > 0
        ),
        "weight_updates": r.get("weight_transfer_config") is not None,
        "aiter": _switch("VLLM_ROCM_USE_AITER", False),
        "aiter_moe": _switch("VLLM_ROCM_USE_AITER_MOE", True),
        "speculative_tokens": int(tokens) if speculative and tokens is not None else None,
        "adaptive_verification": speculative
        and r.flag("speculative_config.enable_adaptive_verification"),
        "dynamic_speculation": speculative
        and _called(r.get("speculative_config.uses_dynamic_speculative_decoding")),
        "replay_ssm": r.flag("cache_config.use_replayssm"),
        "recover_ssm": r.flag("cache_config.use_kda_recoverssm"),
        "v2_model_runner": r.flag("use_v2_model_runner"),
        "stock_torch_compile": _name(r.get("compilation_config.mode")) == "STOCK_TORCH_COMPILE",
        "shapes": _shapes(r.get("model_config.hf_text_config")),
        "attn_res": r.get("model_config.hf_text_config.attn_res_block_size", None) is not None,
        "max_num_seqs": r.get("scheduler_config.max_num_seqs"),
        "rocm": architecture is not None,
        "architecture": architecture or "none",
        "compute_units": units,
        "kv_cache_dtype": str(r.get("cache_config.cache_dtype")),
        "attention_backend": _backend(r.get("attention_config.backend", None)),
        "mxfp4_bmm": _switch("VLLM_ROCM_USE_AITER_FP4BMM", False),
        "piecewise_graphs_only": _piecewise(r.get("compilation_config.cudagraph_mode", None)),
    }
    conv, recurrent = _state_dtypes(r)
    found |= {"conv_state_dtype": conv, "recurrent_state_dtype": recurrent}
    known = {name: value for name, value in found.items() if name not in _NUMBERS or value}
    return Deployment(**known, unknown=tuple(r.unknown))


class _Reader:
    """Attributes by path; what is not there is remembered."""

    def __init__(self, config: Any):
        self._config = config
        self.unknown: list[str] = []

    def get(self, path: str, default: Any = _MISSING) -> Any:
        """The value; the default, or None with the path remembered, where there is none."""
        value = self._config
        for name in path.split("."):
            if value is None:
                return None if default is _MISSING else default
            value = getattr(value, name, _MISSING)
            if value is _MISSING:
                if default is not _MISSING:
                    return default
                self.unknown.append(path)
                return None
        return value

    def flag(self, path: str) -> bool:
        """The value as a truth."""
        return bool(self.get(path))


def _kv_transfer(config: Any) -> KvTransfer | None:
    if config is None:
        return None
    module = getattr(config, "kv_connector_module_path", None)
    return KvTransfer(
        str(getattr(config, "kv_connector", None)),
        None if module is None else str(module),
        str(getattr(config, "kv_role", None)),
    )


def _switch(name: str, default: bool) -> bool:
    """A switch of vLLM's environment, as vLLM reads it."""
    value = os.environ.get(name)
    return default if value is None else value.lower() in ("1", "true")


def _called(value: Any) -> bool:
    return bool(value() if callable(value) else value)


def _name(value: Any) -> str:
    return str(getattr(value, "name", value))


def _backend(value: Any) -> str:
    """vLLM picks ROCM_AITER_MLA by itself for this model on ROCm with AITER."""
    return "ROCM_AITER_MLA" if value is None else _name(value)


def _shapes(text: Any) -> tuple[int | None, ...]:
    kda = getattr(text, "linear_attn_config", None) or {}
    return (
        getattr(text, "hidden_size", None),
        getattr(text, "num_experts", None),
        kda.get("num_heads"),
        kda.get("head_dim"),
        kda.get("short_conv_kernel_size"),
    )


def _state_dtypes(r: _Reader) -> tuple[str, str]:
    """Dtypes of the conv and the recurrent state: ``auto`` is the model's, and fp32."""
    conv = str(r.get("cache_config.mamba_cache_dtype"))
    recurrent = str(r.get("cache_config.mamba_ssm_cache_dtype"))
    model = str(r.get("model_config.dtype")).removeprefix("torch.")
    return (model if conv == "auto" else conv), ("float32" if recurrent == "auto" else recurrent)


def _piecewise(mode: Any) -> bool:
    decode = getattr(mode, "decode_mode", None)
    if mode is None or _name(mode) == "NONE" or decode is None:
        return False
    return _name(decode()) != "FULL"


def _machine() -> tuple[str | None, int]:
    """This machine's architecture and compute units; None off ROCm."""
    import torch

    if not torch.version.hip or not torch.cuda.is_available():
        return None, 0
    found = torch.cuda.get_device_properties(torch.cuda.current_device())
    return found.gcnArchName.split(":")[0], found.multi_processor_count
