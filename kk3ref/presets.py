"""Named configurations: the production model and two scaled ones.

The scaled presets keep every structural feature of the production model: KDA and MLA mixed with
an irregular tail (the last two layers are MLA), several AttnRes blocks with boundaries inside the
model and none on an MLA layer, a dense first layer, a latent MoE with two shared experts, and
MXFP4 dimensions that stay multiples of 32 on every rank at TP 1, 2, 4 and 8.
"""

from __future__ import annotations

from typing import Any

from kk3ref.config import K3Config

# What no preset scales.
_COMMON: dict[str, Any] = {
    "rms_norm_eps": 1e-5,
    "first_k_dense_replace": 1,
    "moe_layer_freq": 1,
    "num_shared_experts": 2,
    "latent_moe_use_norm": True,
    "moe_router_activation_func": "sigmoid",
    "topk_method": "noaux_tc",
    "num_expert_group": 1,
    "topk_group": 1,
    "moe_renormalize": True,
    "routed_scaling_factor": 1.0,
    "hidden_act": "situ",
    "activation_situ_beta": 4.0,
    "activation_situ_linear_beta": 25.0,
    "mla_use_nope": True,
    "mla_use_output_gate": True,
    "short_conv_kernel_size": 4,
    "gate_lower_bound": -5.0,
    "use_full_rank_gate": True,
}


def _schedule(layers: int, full: tuple[int, ...]) -> dict[str, Any]:
    kda = tuple(i for i in range(1, layers + 1) if i not in full)
    return {"num_hidden_layers": layers, "full_attn_layers": full, "kda_layers": kda}


PRESETS: dict[str, K3Config] = {
    "production": K3Config(
        hidden_size=7168,
        vocab_size=163840,
        intermediate_size=33792,
        num_experts=896,
        num_experts_per_token=16,
        moe_intermediate_size=3072,
        routed_expert_hidden_size=3584,
        attn_res_block_size=12,
        max_position_embeddings=1048576,
        num_attention_heads=96,
        q_lora_rank=1536,
        kv_lora_rank=512,
        qk_nope_head_dim=128,
        qk_rope_head_dim=64,
        v_head_dim=128,
        kda_num_heads=96,
        kda_head_dim=128,
        **_schedule(93, (*range(4, 93, 4), 93)),
        **_COMMON,
    ),
    "small": K3Config(
        hidden_size=1024,
        vocab_size=4096,
        intermediate_size=4096,
        num_experts=128,
        num_experts_per_token=8,
        moe_intermediate_size=512,
        routed_expert_hidden_size=512,
        attn_res_block_size=5,
        max_position_embeddings=65536,
        num_attention_heads=16,
        q_lora_rank=256,
        kv_lora_rank=256,
        qk_nope_head_dim=128,
        qk_rope_head_dim=64,
        v_head_dim=128,
        kda_num_heads=16,
        kda_head_dim=128,
        **_schedule(13, (4, 8, 12, 13)),
        **_COMMON,
    ),
    "tiny": K3Config(
        hidden_size=256,
        vocab_size=512,
        intermediate_size=1024,
        num_experts=32,
        num_experts_per_token=4,
        moe_intermediate_size=256,
        routed_expert_hidden_size=128,
        attn_res_block_size=4,
        max_position_embeddings=4096,
        num_attention_heads=8,
        q_lora_rank=64,
        kv_lora_rank=64,
        qk_nope_head_dim=32,
        qk_rope_head_dim=16,
        v_head_dim=32,
        kda_num_heads=8,
        kda_head_dim=32,
        **_schedule(11, (4, 8, 10, 11)),
        **_COMMON,
    ),
}


def preset(name: str) -> K3Config:
    """The preset called ``name``.

    Raises:
        KeyError: names the presets there are.
    """
    try:
        return PRESETS[name]
    except KeyError:
        raise KeyError(f"no preset {name!r}; there are {', '.join(PRESETS)}") from None
