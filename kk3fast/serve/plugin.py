"""The entry point: it only registers, so that loading it cannot fail for want of a part."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from kk3fast.serve.imports import after_import

ARCHITECTURES = ("KimiLinearForCausalLM", "KimiK3ForConditionalGeneration")
CONFIG_MODULE = "vllm.model_executor.models.config"
MODEL_MODULE = "vllm.models.kimi_k3.amd.linear"


def register() -> None:
    """Register the checks and the workers' hooks; vLLM calls it in every process."""
    after_import(CONFIG_MODULE, _gate_configuration)
    after_import(MODEL_MODULE, _gate_workers)
    from kk3fast.serve.state import expose_if_serving

    expose_if_serving()


def _gate_configuration(module: ModuleType) -> None:
    """Put the configuration check in front of the architectures' own."""
    known = getattr(module, "MODELS_CONFIG_MAP", None)
    base = getattr(module, "VerifyAndUpdateConfig", None)
    if known is None or base is None:
        return  # another vLLM: it refuses the value `kk3` itself
    for architecture in ARCHITECTURES:
        known[architecture] = _checked(known.get(architecture, base))


def _checked(before: Any) -> Any:
    """The architecture's configuration class, with ours run after it."""

    class Kk3Gate(before):
        @staticmethod
        def verify_and_update_config(vllm_config: object) -> None:
            before.verify_and_update_config(vllm_config)
            from kk3fast.serve.check import check_configuration

            check_configuration(vllm_config)

    return Kk3Gate


def _gate_workers(module: ModuleType) -> None:
    """Replace the check in the model's ``__init__`` and what builds the executor."""
    from kk3fast.serve.workers import install

    install(module)
