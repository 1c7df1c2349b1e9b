"""What the stand-ins of the kernels do not serve."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from kk3fast_serve_fakes import vllm_config

from kk3fast.serve import simulated_process
from kk3fast.serve.refusals import deployment_reasons
from kk3fast.serve.settings import CONTRACT, FLYDSL, KK3, SIMULATED, SPECIALIZED, Settings

SETTINGS = Settings(KK3, kernels=CONTRACT)
REFUSED: list[tuple[str, str, str, Any]] = [
    ("pp", "parallel_config", "pipeline_parallel_size", 2),
    ("dp", "parallel_config", "data_parallel_size", 2),
    ("dcp", "parallel_config", "decode_context_parallel_size", 8),
    ("pcp", "parallel_config", "prefill_context_parallel_size", 2),
    ("ep", "parallel_config", "enable_expert_parallel", True),
    ("eplb", "parallel_config", "enable_eplb", True),
    ("dbo", "parallel_config", "use_ubatching", True),
    ("sleep", "model_config", "enable_sleep_mode", True),
    ("capture", "aux_output_config", "", None),
    ("replay_ssm", "cache_config", "use_replayssm", True),
    ("recover_ssm", "cache_config", "use_kda_recoverssm", True),
    ("tokens", "speculative_config", "num_speculative_tokens", 8),
    (
        "adaptive",
        "speculative_config",
        "enable_adaptive_verification",
        True,
    ),
    (
        "dynamic",
        "speculative_config",
        "uses_dynamic_speculative_decoding",
        lambda: True,
    ),
    ("compile", "compilation_config", "mode", SimpleNamespace(name="STOCK_TORCH_COMPILE")),
    ("lora", "lora_config", "", None),
    ("kv_transfer", "kv_transfer_config", "", None),
    ("updates", "weight_transfer_config", "", None),
]


def change(config: Any, part: str, field: str, value: Any) -> None:
    if not hasattr(config, part):
        setattr(config, part, SimpleNamespace(enable_return_routed_experts=True))
    if field:
        setattr(getattr(config, part), field, value)


@pytest.mark.parametrize("case", REFUSED, ids=[case[0] for case in REFUSED])
def test_each_alone(case: tuple[str, str, str, Any]) -> None:
    code, *rest = case
    config = vllm_config({})
    change(config, *rest)
    assert [found for found, _ in deployment_reasons(config, SETTINGS)] == [code]


def test_no_speculation() -> None:
    config = vllm_config({})
    config.speculative_config = None
    found = deployment_reasons(config, SETTINGS)
    assert [code for code, _ in found] == ["speculation"]


def test_a_simulator_process_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated_process, "start_problems", lambda: ("no torch", "no llvmlite"))
    settings = Settings(KK3, kernels=SIMULATED)
    found = deployment_reasons(vllm_config({}), settings)
    assert found == [("simulator", "no torch"), ("simulator", "no llvmlite")]
    assert deployment_reasons(vllm_config({}), SETTINGS) == []  # the contract needs none


def test_real_kernels_refuse_what_the_specialized_decode_does() -> None:
    real = Settings(KK3, kernels=FLYDSL)
    found = [code for code, _ in deployment_reasons(vllm_config({}), real)]
    assert {"unknown", "tp", "platform", "shapes"} <= set(found)
    partial = [code for code, _ in deployment_reasons(vllm_config({}), real, partial=True)]
    assert {"tp", "platform", "shapes"} == set(partial)  # a command line says no more
    theirs = Settings(SPECIALIZED)
    assert deployment_reasons(vllm_config({}), theirs) == []  # vLLM checks its own


def test_none_and_all_at_once() -> None:
    config = vllm_config({}, tp=2)
    assert deployment_reasons(config, SETTINGS) == []
    for _, part, field, value in REFUSED:
        change(config, part, field, value)
    found = [code for code, _ in deployment_reasons(config, SETTINGS)]
    assert sorted(found) == sorted(case[0] for case in REFUSED)
