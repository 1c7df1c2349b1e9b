"""Test equipment: vLLM's Kimi-K3 text model on a CPU.

vLLM 0.33.0's own ROCm classes run, with their layer loop, loading and specialized-decode hooks; the
GPU operations below them are written out in PyTorch. ``register`` is a ``vllm.general_plugins``
entry point. Nothing of this is for users: on a GPU vLLM's own model serves.
"""

from __future__ import annotations


def register() -> None:
    """Register the model for ``KimiLinearForCausalLM``."""
    from vllm import ModelRegistry

    ModelRegistry.register_model("KimiLinearForCausalLM", "kk3_rig.model:CpuKimiForCausalLM")
