"""The few vLLM objects that the plugin touches, without vLLM."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from kk3ref.checkpoint.synthetic import SyntheticWeights
from kk3ref.presets import preset
from kk3ref.tp import rank_context

CONFIG = preset("tiny")
SOURCE = SyntheticWeights(CONFIG, seed=5)


def linear(weight: Tensor) -> Any:
    return SimpleNamespace(weight=weight)


def decoder_layer(index: int, rank: int = 0, tp: int = 1, dtype: Any = torch.bfloat16) -> Any:
    """A loaded ``KimiDecoderLayer`` with the synthetic weights of one rank."""
    c = rank_context(SOURCE, index, rank, tp)
    whole = rank_context(SOURCE, index, 0, 1)
    w = {k: c.weights[k] for k in c.weights if k != "experts"}
    floats = {k: v.to(dtype) if v.dtype == torch.bfloat16 else v for k, v in w.items()}
    ids = list(range(CONFIG.num_experts))
    w13, w2 = c.experts.w13(ids), c.experts.w2(ids)
    mlp = SimpleNamespace(
        gate=SimpleNamespace(
            weight=floats["w_gate"], e_score_correction_bias=floats["router_bias"]
        ),
        routed_expert_down_proj=linear(floats["w_ld"]),
        routed_expert_norm=linear(floats["ln_w"]),
        routed_expert_up_proj=linear(whole.w_up.to(dtype)),
        routed_output_transform=SimpleNamespace(row_sharded=False),
        shared_experts=SimpleNamespace(
            gate_up_proj=linear(floats["w_sgu"]), down_proj=linear(floats["w_sd"])
        ),
        routed_scaling_factor=1.0,
        use_latent_moe=True,
        experts=SimpleNamespace(
            routed_experts=SimpleNamespace(
                w13_weight=w13.codes,
                w13_weight_scale=w13.scales,
                w2_weight=w2.codes,
                w2_weight_scale=w2.scales,
                quant_method=SimpleNamespace(
                    mxfp4_backend=SimpleNamespace(name="AITER_MXFP4_BF16"), is_k3_situ_aiter=True
                ),
            )
        ),
    )
    info = CONFIG.layer(index)
    return SimpleNamespace(
        layer_idx=index,
        prev_valid_blocks=info.num_blocks,
        is_block_write_layer=info.writes_block,
        block_write_idx=index // CONFIG.attn_res_block_size,
        self_attention_res_norm=linear(floats["attn_res_norm_w"]),
        self_attention_res_proj=linear(floats["attn_res_q"][None]),
        input_layernorm=linear(floats["input_norm_w"]),
        mlp_res_norm=linear(floats["mlp_res_norm_w"]),
        mlp_res_proj=linear(floats["mlp_res_q"][None]),
        post_attention_layernorm=linear(floats["post_norm_w"]),
        self_attn=_attention(info.attention, index, c, floats),
        mlp=mlp,
        block_sparse_moe=mlp,
    )


def _attention(kind: str, index: int, c: Any, w: dict[str, Tensor]) -> Any:
    prefix = f"model.layers.{index}.self_attn"
    if kind == "mla":
        return SimpleNamespace(
            prefix=prefix, o_proj=linear(w["w_o"]), mla_attn=FakeMla(c.shapes.mla_value_cols)
        )
    return SimpleNamespace(
        prefix=prefix,
        local_num_heads=c.shapes.kda_heads,
        head_dim=CONFIG.kda_head_dim,
        conv_size=CONFIG.short_conv_kernel_size,
        in_proj_qkvgfab=linear(w["w_in"]),
        f_b_proj=linear(w["w_fb"]),
        conv1d=linear(w["conv_w"][:, None]),
        A_log=w["a_log"],
        dt_bias=w["dt_bias"],
        o_norm=linear(w["o_norm_w"]),
        o_proj=linear(w["w_o"]),
        gate_lower_bound=CONFIG.gate_lower_bound,
        kv_cache=[torch.empty(0), torch.empty(0)],
    )


class FakeMla:
    """Stands for MLA up to ``o_proj``: a fixed map of its input; keeps what it was given."""

    def __init__(self, width: int):
        self.width = width
        self.given: list[Tensor] = []

    def forward(self, positions: Tensor, hidden: Tensor, skip_o_proj: bool = False) -> Tensor:
        assert skip_o_proj
        self.given.append(hidden)
        return hidden[:, : self.width].clone()


def kda_metadata(state_index: Tensor, accepted: Tensor, **changes: Any) -> Any:
    """A KDA layer's metadata of a pure speculative step."""
    requests, rows = state_index.shape
    values: dict[str, Any] = {
        "num_prefills": 0,
        "num_decodes": 0,
        "num_spec_decodes": requests,
        "spec_sequence_masks": torch.ones(requests, dtype=torch.bool),
        "uniform_spec_sequence_length": rows,
        "spec_state_indices_tensor": state_index,
        "num_accepted_tokens": accepted,
    }
    return SimpleNamespace(**{**values, **changes})


def vllm_config(additional: dict[str, Any], tp: int = 1, drafts: int = 3, seqs: int = 2) -> Any:
    """A ``VllmConfig`` as far as the plugin reads it."""
    text = CONFIG.to_hf(nested=False)
    return SimpleNamespace(
        additional_config=additional,
        model_config=SimpleNamespace(hf_text_config=SimpleNamespace(**text, to_dict=lambda: text)),
        parallel_config=SimpleNamespace(
            tensor_parallel_size=tp,
            pipeline_parallel_size=1,
            data_parallel_size=1,
            decode_context_parallel_size=1,
            prefill_context_parallel_size=1,
            enable_expert_parallel=False,
        ),
        scheduler_config=SimpleNamespace(max_num_seqs=seqs),
        speculative_config=SimpleNamespace(num_speculative_tokens=drafts),
    )
