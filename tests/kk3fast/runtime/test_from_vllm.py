"""A VllmConfig's values arrive, and what it lacks is refused."""

from __future__ import annotations

from types import SimpleNamespace as Bag
from typing import Any

import pytest

from kk3fast.runtime import unsupported
from kk3fast.runtime.deployment import K3_SHAPES
from kk3fast.runtime.from_vllm import deployment_of


def config(**changes: Any) -> Any:
    kda = {"num_heads": 96, "head_dim": 128, "short_conv_kernel_size": 4}
    text = Bag(hidden_size=7168, num_experts=896, linear_attn_config=kda, attn_res_block_size=12)
    parallel = Bag(
        tensor_parallel_size=8,
        pipeline_parallel_size=1,
        data_parallel_size=1,
        decode_context_parallel_size=1,
        prefill_context_parallel_size=1,
        enable_expert_parallel=False,
        enable_eplb=False,
        use_ubatching=False,
    )
    spec = Bag(
        num_speculative_tokens=7,
        enable_adaptive_verification=False,
        uses_dynamic_speculative_decoding=lambda: False,
    )
    made = Bag(
        parallel_config=parallel,
        lora_config=None,
        kv_transfer_config=None,
        aux_output_config=Bag(enable_return_routed_experts=False),
        model_config=Bag(enable_sleep_mode=False, hf_text_config=text, dtype="torch.bfloat16"),
        offload_config=Bag(uva=Bag(cpu_offload_gb=0), prefetch=Bag(offload_group_size=0)),
        weight_transfer_config=None,
        speculative_config=spec,
        cache_config=Bag(
            use_replayssm=False,
            use_kda_recoverssm=False,
            cache_dtype="fp8_e4m3",
            mamba_cache_dtype="auto",
            mamba_ssm_cache_dtype="auto",
        ),
        use_v2_model_runner=True,
        compilation_config=Bag(mode=Bag(name="NONE"), cudagraph_mode=None),
        scheduler_config=Bag(max_num_seqs=1),
        attention_config=Bag(backend=None),
    )
    for path, value in changes.items():
        *way, last = path.split("__")
        holder = made
        for name in way:
            holder = getattr(holder, name)
        setattr(holder, last, value)
    return made


def codes(vllm_config: Any) -> set[str]:
    """Without those of this machine, which has no MI355X."""
    machine = {"platform", "gpu", "compute_units"}
    return {reason.code for reason in unsupported(deployment_of(vllm_config))} - machine


@pytest.fixture(autouse=True)
def _aiter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_ROCM_USE_AITER", "1")
    monkeypatch.setenv("VLLM_ROCM_USE_AITER_FP4BMM", "1")


def test_a_served_configuration() -> None:
    assert codes(config()) == set()
    found = deployment_of(config())
    assert (found.q, found.shapes, found.unknown) == (8, K3_SHAPES, ())


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("parallel_config__tensor_parallel_size", 4, "tp"),
        ("parallel_config__pipeline_parallel_size", 2, "pp"),
        ("parallel_config__enable_eplb", True, "eplb"),
        ("parallel_config__use_ubatching", True, "dbo"),
        ("lora_config", Bag(), "lora"),
        ("kv_transfer_config", Bag(kv_connector="Nixl", kv_role="kv_both"), "kv_transfer"),
        ("aux_output_config__enable_return_routed_experts", True, "capture"),
        ("model_config__enable_sleep_mode", True, "sleep"),
        ("offload_config__uva__cpu_offload_gb", 4, "offload"),
        ("offload_config__prefetch__offload_group_size", 1, "offload"),
        ("weight_transfer_config", Bag(), "updates"),
        ("speculative_config__enable_adaptive_verification", True, "adaptive"),
        ("speculative_config__uses_dynamic_speculative_decoding", lambda: True, "dynamic"),
        ("cache_config__use_replayssm", True, "replay_ssm"),
        ("cache_config__mamba_cache_dtype", "float32", "state_dtypes"),
        ("cache_config__mamba_ssm_cache_dtype", "bfloat16", "state_dtypes"),
        ("cache_config__cache_dtype", "auto", "m1.kv_cache"),
        ("use_v2_model_runner", False, "runner"),
        ("compilation_config__mode", Bag(name="STOCK_TORCH_COMPILE"), "compile"),
        ("model_config__hf_text_config__num_experts", 384, "shapes"),
        ("model_config__hf_text_config__attn_res_block_size", None, "attn_res"),
        ("scheduler_config__max_num_seqs", 3, "sequences"),
        ("attention_config__backend", Bag(name="TRITON_MLA"), "m1.backend"),
    ],
)
def test_each_value_arrives(path: str, value: Any, code: str) -> None:
    assert code in codes(config(**{path: value}))


def test_no_speculation_is_one_reason_of_its_own() -> None:
    assert codes(config(speculative_config=None)) == {"speculation", "m1.pair"}


def test_aiter_is_read_as_vllm_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_ROCM_USE_AITER", "0")
    monkeypatch.setenv("VLLM_ROCM_USE_AITER_MOE", "False")
    monkeypatch.delenv("VLLM_ROCM_USE_AITER_FP4BMM")
    assert codes(config()) == {"aiter", "aiter_moe", "m1.bmm"}


def test_what_another_release_does_not_have_is_refused() -> None:
    other = config()
    del other.aux_output_config, other.parallel_config.use_ubatching
    found = deployment_of(other)
    assert set(found.unknown) == {
        "aux_output_config.enable_return_routed_experts",
        "parallel_config.use_ubatching",
    }
    assert codes(other) == {"unknown"}


def test_piecewise_graphs_are_told() -> None:
    mode = Bag(name="PIECEWISE", decode_mode=lambda: Bag(name="PIECEWISE"))
    assert deployment_of(config(compilation_config__cudagraph_mode=mode)).piecewise_graphs_only
