"""Loaded weights and bound caches that the kernels cannot read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from kk3fast.runtime.layers import WHOLE
from kk3fast.runtime.reason import Reason
from kk3ref.config import K3Config

BF16, FP32 = torch.bfloat16, torch.float32
MOE_BACKEND = "AITER_MXFP4_BF16"
EXPERT_TENSORS = ("w13", "w13_scales", "w2", "w2_scales")
Wanted = dict[str, tuple[tuple[int, ...], torch.dtype]]


@dataclass(frozen=True)
class MoeFacts:
    """What a loaded MoE layer says of itself."""

    latent: bool = True
    shared_experts: bool = True
    routed_scaling_factor: float = 1.0
    backend: str = MOE_BACKEND
    situ: bool = True
    """whether AITER lays the experts out for K3's SiTU"""
    up_sharded: bool = True
    """whether the rank holds its own rows of the up projection alone"""


def wanted_weights(config: K3Config, tp: int, kind: str, moe: MoeFacts) -> Wanted:
    """Shape and dtype of each weight that a layer's kernels read.

    Args:
        kind: ``whole`` or ``ffn``, see :func:`kk3fast.runtime.layers.layer_kinds`.
    """
    shapes, hidden = config.shard(tp), config.hidden_size
    latent, experts = config.routed_expert_hidden_size, config.num_experts
    core = shapes.kda_channels if kind == WHOLE else shapes.mla_value_cols
    found: Wanted = {
        "w_gate": ((experts, hidden), BF16),
        "router_bias": ((experts,), FP32),
        "w_ld": ((latent, hidden), BF16),
        "ln_w": ((latent,), BF16),
        "w_sgu": ((2 * shapes.shared_intermediate, hidden), BF16),
        "w_sd": ((hidden, shapes.shared_intermediate), BF16),
        "w_up": ((shapes.up_rows if moe.up_sharded else hidden, latent), BF16),
        "mlp_res_norm_w": ((hidden,), BF16),
        "mlp_res_q": ((hidden,), BF16),
        "post_norm_w": ((hidden,), BF16),
        "w_o": ((hidden, core), BF16),
    }
    if kind == WHOLE:
        width = config.short_conv_kernel_size
        found |= {
            "w_in": ((shapes.in_proj_rows_padded, hidden), BF16),
            "w_fb": ((shapes.kda_channels, config.kda_head_dim), BF16),
            "o_norm_w": ((config.kda_head_dim,), BF16),
            "conv_w": ((3 * shapes.kda_channels, width), FP32),
            "a_log": ((shapes.kda_heads,), FP32),
            "dt_bias": ((shapes.kda_channels,), FP32),
            "input_norm_w": ((hidden,), BF16),
            "attn_res_norm_w": ((hidden,), BF16),
            "attn_res_q": ((hidden,), BF16),
        }
    return found


def weight_reasons(
    config: K3Config,
    tp: int,
    kinds: Mapping[int, str],
    weights: Mapping[int, Mapping[str, Tensor | None]],
    moe: Mapping[int, MoeFacts],
) -> list[Reason]:
    """Every weight of every served layer that the kernels cannot read where it lies.

    Args:
        kinds: served layers.
        weights: a layer's weights by name, the experts' four among them.
        moe: what its MoE says of itself.
    """
    if not kinds:
        return [Reason("layers", "no layer has a latent MoE with AttnRes")]
    reasons = []
    for index, kind in kinds.items():
        facts = moe.get(index, MoeFacts(latent=False))
        reasons += _moe(index, facts)
        if not facts.latent or not facts.shared_experts:
            continue
        given = weights.get(index, {})
        for name, (shape, dtype) in wanted_weights(config, tp, kind, facts).items():
            problem = _problem(given.get(name), shape, dtype)
            if problem:
                reasons.append(Reason("weight", f"layer {index}, {name}: {problem}"))
        for name in EXPERT_TENSORS:
            if given.get(name) is None:
                reasons.append(Reason("weight", f"layer {index}, experts: {name} is missing"))
    return reasons


def cache_reasons(
    caches: Mapping[str, tuple[Tensor, Tensor]], heads: int, head_dim: int
) -> list[Reason]:
    """Every KDA layer's states that K1 cannot use in place.

    Args:
        caches: (conv, recurrent) by layer name; recurrent ``[slots, heads, d, d]``.
        heads, head_dim: a rank's.
    """
    reasons = []
    for name, (conv, recurrent) in caches.items():
        if conv.dtype != BF16:
            reasons.append(Reason("conv_state", f"{name}: must be bfloat16, got {_name(conv)}"))
        if recurrent.dtype != FP32:
            told = f"{name}: must be float32, got {_name(recurrent)}"
            reasons.append(Reason("recurrent_state", told))
        elif recurrent[0].numel() != heads * head_dim**2 or not recurrent[0].is_contiguous():
            told = f"{name}: a slot must be {heads}·{head_dim}² dense values"
            got = f"got {tuple(recurrent.shape)} with strides {recurrent.stride()}"
            reasons.append(Reason("recurrent_state", f"{told}, {got}"))
    return reasons


def _moe(index: int, facts: MoeFacts) -> list[Reason]:
    found = []
    if not facts.latent or not facts.shared_experts:
        found.append(Reason("moe", f"layer {index}: must be a latent MoE with shared experts"))
    if facts.routed_scaling_factor != 1.0:
        factor = facts.routed_scaling_factor
        told = f"layer {index}: routed_scaling_factor must be 1, got {factor:g}"
        found.append(Reason("routed_scaling_factor", told))
    if facts.backend != MOE_BACKEND or not facts.situ:
        got = f"{facts.backend}{'' if facts.situ else ' without SiTU'}"
        told = f"layer {index}: the MoE backend must be {MOE_BACKEND} with K3's SiTU, got {got}"
        found.append(Reason("moe_backend", told))
    return found


def _problem(tensor: Tensor | None, shape: tuple[int, ...], dtype: torch.dtype) -> str:
    if tensor is None:
        return "is missing"
    if tuple(tensor.shape) == shape and tensor.dtype == dtype and tensor.is_contiguous():
        return ""
    want = str(dtype).removeprefix("torch.")
    got = f"{'' if tensor.is_contiguous() else 'strided '}{list(tensor.shape)} {_name(tensor)}"
    return f"must be contiguous {list(shape)} {want}, got {got}"


def _name(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
