"""The published checkpoint: every tensor's name, shape, storage dtype and split axis.

Names and shapes are those of the Kimi-K3 checkpoint without its ``language_model.`` prefix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch

from kk3ref.config import K3Config, LayerInfo
from kk3ref.formats import GROUP

PREFIX = "language_model."
"""what a multimodal checkpoint puts before the text model's names"""
FORMAT = "mxfp4-pack-quantized"
"""compressed-tensors' name of the routed experts' format"""

Role = Literal[
    "projection", "norm", "query", "conv", "a_log", "dt_bias", "bias", "embed", "codes", "scales"
]
BF16, FP32, BYTES = torch.bfloat16, torch.float32, torch.uint8


@dataclass(frozen=True)
class Spec:
    """One tensor of a checkpoint."""

    shape: tuple[int, ...]
    """as published"""
    role: Role = "projection"
    """what the tensor is for"""
    axis: int | None = None
    """axis that tensor parallelism splits, None for a replicated tensor"""
    fan_in: int = 0
    """inputs of a projection, packed or not"""
    dtypes: tuple[torch.dtype, ...] = (BF16,)
    """storage dtypes that are accepted; the first one is written"""
    padded: bool = False
    """whether storage may be longer along the first axis; the rest is ignored"""

    @property
    def dtype(self) -> torch.dtype:
        """Storage dtype that is written."""
        return self.dtypes[0]

    @property
    def nbytes(self) -> int:
        """Bytes of storage when written."""
        return torch.Size(self.shape).numel() * self.dtype.itemsize


def layer_name(index: int, name: str) -> str:
    """Full name of a layer's tensor."""
    return f"model.layers.{index}.{name}"


def expert_name(index: int, expert: int, which: str, part: str) -> str:
    """Full name of ``weight_packed`` or ``weight_scale`` of an expert's w1, w2 or w3."""
    return layer_name(index, f"block_sparse_moe.experts.{expert}.{which}.{part}")


def _linear(rows: int, cols: int, axis: int | None = None) -> Spec:
    return Spec((rows, cols), axis=axis, fan_in=cols)


def _norm(size: int, *dtypes: torch.dtype) -> Spec:
    return Spec((size,), "norm", dtypes=dtypes or (BF16,))


def _kda(c: K3Config) -> dict[str, Spec]:
    inner, head, hidden = c.kda_channels, c.kda_head_dim, c.hidden_size
    taps = c.short_conv_kernel_size
    specs = {f"{n}_proj.weight": _linear(inner, hidden, 0) for n in "qkvg"}
    specs |= {f"{n}_conv1d.weight": Spec((inner, 1, taps), "conv", 0, taps, (FP32,)) for n in "qkv"}
    return specs | {
        "f_a_proj.weight": _linear(head, hidden),
        "f_b_proj.weight": _linear(inner, head, 0),
        "b_proj.weight": _linear(c.kda_num_heads, hidden, 0),
        # Published with 128 entries for 96 heads: the rest is padding of the storage.
        "A_log": Spec((c.kda_num_heads,), "a_log", 0, 0, (FP32,), padded=True),
        "dt_bias": Spec((inner,), "dt_bias", 0, 0, (FP32,)),
        "o_norm.weight": _norm(head, BF16, FP32),
        "o_proj.weight": _linear(hidden, inner, 1),
    }


def _mla(c: K3Config) -> dict[str, Spec]:
    hidden, heads = c.hidden_size, c.num_attention_heads
    return {
        "q_a_proj.weight": _linear(c.q_lora_rank, hidden),
        "q_a_layernorm.weight": _norm(c.q_lora_rank),
        "q_b_proj.weight": _linear(heads * c.qk_head_dim, c.q_lora_rank, 0),
        "kv_a_proj_with_mqa.weight": _linear(c.kv_cache_dim, hidden),
        "kv_a_layernorm.weight": _norm(c.kv_lora_rank),
        "kv_b_proj.weight": _linear(heads * (c.qk_nope_head_dim + c.v_head_dim), c.kv_lora_rank, 0),
        "g_proj.weight": _linear(heads * c.v_head_dim, hidden, 0),
        "o_proj.weight": _linear(hidden, heads * c.v_head_dim, 1),
    }


def _moe(c: K3Config) -> dict[str, Spec]:
    hidden, latent, shared = c.hidden_size, c.routed_expert_hidden_size, c.shared_intermediate_size
    return {
        "gate.weight": _linear(c.num_experts, hidden),
        "gate.e_score_correction_bias": Spec((c.num_experts,), "bias", None, 0, (FP32,)),
        "routed_expert_down_proj.weight": _linear(latent, hidden),
        "routed_expert_norm.weight": _norm(latent),
        "routed_expert_up_proj.weight": _linear(hidden, latent, 0),
        "shared_experts.gate_proj.weight": _linear(shared, hidden, 0),
        "shared_experts.up_proj.weight": _linear(shared, hidden, 0),
        "shared_experts.down_proj.weight": _linear(hidden, shared, 1),
    }


def _dense(c: K3Config) -> dict[str, Spec]:
    return {
        "gate_proj.weight": _linear(c.intermediate_size, c.hidden_size, 0),
        "up_proj.weight": _linear(c.intermediate_size, c.hidden_size, 0),
        "down_proj.weight": _linear(c.hidden_size, c.intermediate_size, 1),
    }


def expert_specs(c: K3Config) -> dict[str, Spec]:
    """Tensors of one expert by ``w1.weight_packed`` … ``w3.weight_scale``: gate, down, up."""
    inner, latent = c.moe_intermediate_size, c.routed_expert_hidden_size
    specs = {}
    for which, rows, cols, axis in (
        ("w1", inner, latent, 0),
        ("w2", latent, inner, 1),
        ("w3", inner, latent, 0),
    ):
        specs[f"{which}.weight_packed"] = Spec((rows, cols // 2), "codes", axis, cols, (BYTES,))
        specs[f"{which}.weight_scale"] = Spec((rows, cols // GROUP), "scales", axis, cols, (BYTES,))
    return specs


def layer_specs(c: K3Config, layer: LayerInfo) -> dict[str, Spec]:
    """Tensors of one layer but the routed experts, by name inside the layer."""
    hidden = c.hidden_size
    attention = _kda(c) if layer.attention == "kda" else _mla(c)
    specs = {f"self_attn.{name}": spec for name, spec in attention.items()}
    if layer.mlp == "moe":
        specs |= {f"block_sparse_moe.{name}": spec for name, spec in _moe(c).items()}
    else:
        specs |= {f"mlp.{name}": spec for name, spec in _dense(c).items()}
    for read in ("self_attention_res", "mlp_res"):
        specs[f"{read}_norm.weight"] = _norm(hidden)
        specs[f"{read}_proj.weight"] = Spec((1, hidden), "query", None, hidden)
    for name in ("input_layernorm", "post_attention_layernorm"):
        specs[f"{name}.weight"] = _norm(hidden)
    return specs


def model_specs(c: K3Config) -> dict[str, Spec]:
    """Tensors outside the layers, by full name."""
    hidden = c.hidden_size
    return {
        "model.embed_tokens.weight": Spec((c.vocab_size, hidden), "embed", 0),
        "model.output_attn_res_norm.weight": _norm(hidden),
        "model.output_attn_res_proj.weight": Spec((1, hidden), "query", None, hidden),
        "model.norm.weight": _norm(hidden),
        "lm_head.weight": _linear(c.vocab_size, hidden, 0),
    }


def all_specs(c: K3Config) -> Iterator[tuple[str, Spec]]:
    """Every tensor of a checkpoint by full name, layer by layer."""
    yield from model_specs(c).items()
    experts = expert_specs(c)
    for layer in c.layers:
        for name, spec in layer_specs(c, layer).items():
            yield layer_name(layer.index, name), spec
        if layer.mlp == "moe":
            for e in range(c.num_experts):
                for name, spec in experts.items():
                    yield layer_name(layer.index, f"block_sparse_moe.experts.{e}.{name}"), spec
