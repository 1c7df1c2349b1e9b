"""A deployment as far as the specialized decode asks: plain values, no vLLM.

The defaults are a deployment that is served; ``from_vllm`` fills it in from a ``VllmConfig``.
"""

from __future__ import annotations

from dataclasses import dataclass

K3_SHAPES = (7168, 896, 96, 128, 4)
"""hidden size, routed experts, KDA heads, KDA head size, convolution width"""


@dataclass(frozen=True)
class KvTransfer:
    """A KV transfer connector."""

    connector: str
    module_path: str | None
    """set where it does not come with vLLM"""
    role: str


@dataclass(frozen=True)
class Deployment:
    """What a server is configured to do.

    Attributes:
        unknown: names of what could not be read from the configuration: refused, each of them.
    """

    tp: int = 8
    pp: int = 1
    dp: int = 1
    dcp: int = 1
    """decode context parallel ranks"""
    pcp: int = 1
    """prefill context parallel ranks"""
    expert_parallel: bool = False
    eplb: bool = False
    """expert load balancing"""
    dbo: bool = False
    """dual-batch overlap"""
    lora: bool = False
    kv_transfer: KvTransfer | None = None
    routed_expert_capture: bool = False
    sleep_mode: bool = False
    cpu_offload: bool = False
    """weights on the CPU"""
    weight_updates: bool = False
    aiter: bool = True
    aiter_moe: bool = True
    speculative_tokens: int | None = 7
    """None: no speculative decoding"""
    adaptive_verification: bool = False
    dynamic_speculation: bool = False
    conv_state_dtype: str = "bfloat16"
    recurrent_state_dtype: str = "float32"
    replay_ssm: bool = False
    recover_ssm: bool = False
    v2_model_runner: bool = True
    stock_torch_compile: bool = False
    shapes: tuple[int | None, ...] = K3_SHAPES
    attn_res: bool = True
    max_num_seqs: int = 1
    rocm: bool = True
    architecture: str = "gfx950"
    compute_units: int = 256
    attention_backend: str = "ROCM_AITER_MLA"
    kv_cache_dtype: str = "fp8_e4m3"
    mxfp4_bmm: bool = True
    """AITER's MXFP4 batched products"""
    piecewise_graphs_only: bool = False
    """decode steps are captured as PIECEWISE graphs alone"""
    unknown: tuple[str, ...] = ()

    @property
    def q(self) -> int:
        """Rows a request verifies."""
        return 1 + (self.speculative_tokens or 0)
