"""A loaded decoder layer's weights and caches by the reference's names; nothing is copied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from kk3ref.config import K3Config, LayerInfo, RankShapes
from kk3ref.formats import MXFP4


@dataclass(frozen=True)
class LoadedExperts:
    """A rank's routed experts as the checkpoint packs them, of a loaded layer.

    Attributes:
        w13_codes, w13_scales: uint8 ``[E, 2·i, l/2]`` and ``[E, 2·i, l/32]``, gate rows first.
        w2_codes, w2_scales: uint8 ``[E, l, i/2]`` and ``[E, l, i/32]``.
    """

    w13_codes: Tensor
    w13_scales: Tensor
    w2_codes: Tensor
    w2_scales: Tensor

    def w13(self, ids: int | list[int]) -> MXFP4:
        """``[len(ids), 2·i, l]``; of one id without the first axis."""
        return MXFP4(self.w13_codes[ids], self.w13_scales[ids])

    def w2(self, ids: int | list[int]) -> MXFP4:
        """``[len(ids), l, i]``; of one id without the first axis."""
        return MXFP4(self.w2_codes[ids], self.w2_scales[ids])


def layer_weights(layer: Any, rank: int, shapes: RankShapes) -> dict[str, Any]:
    """What a layer's K1 and K2 stages read, as views of a loaded ``KimiDecoderLayer``.

    Args:
        layer: an MoE decoder layer, KDA or MLA.
        rank: tensor-parallel rank.
        shapes: the rank's sizes.

    Returns:
        tensors by the names of :mod:`kk3ref.checkpoint.shard`, and ``experts``.
    """
    mlp, attention = layer.mlp, layer.self_attn
    up = mlp.routed_expert_up_proj.weight
    if not row_sharded(mlp):
        up = up.narrow(0, rank * shapes.up_rows, shapes.up_rows)
    weights = {
        "attn_res_norm_w": layer.self_attention_res_norm.weight,
        "attn_res_q": layer.self_attention_res_proj.weight.flatten(),
        "input_norm_w": layer.input_layernorm.weight,
        "mlp_res_norm_w": layer.mlp_res_norm.weight,
        "mlp_res_q": layer.mlp_res_proj.weight.flatten(),
        "post_norm_w": layer.post_attention_layernorm.weight,
        "w_o": attention.o_proj.weight,
        "w_gate": mlp.gate.weight,
        "router_bias": mlp.gate.e_score_correction_bias,
        "w_ld": mlp.routed_expert_down_proj.weight,
        "w_sgu": mlp.shared_experts.gate_up_proj.weight,
        "w_sd": mlp.shared_experts.down_proj.weight,
        "ln_w": mlp.routed_expert_norm.weight,
        "w_up": up,
    }
    if hasattr(attention, "in_proj_qkvgfab"):
        weights |= {
            "w_in": attention.in_proj_qkvgfab.weight,
            "w_fb": attention.f_b_proj.weight,
            "conv_w": attention.conv1d.weight.flatten(1),
            "a_log": attention.A_log.flatten(),
            "dt_bias": attention.dt_bias.flatten(),
            "o_norm_w": attention.o_norm.weight,
        }
    detached = {name: tensor.detach() for name, tensor in weights.items()}
    return {**detached, "experts": loaded_experts(mlp)}


def row_sharded(mlp: Any) -> bool:
    """Whether each rank holds only its own rows of the up projection."""
    return bool(getattr(getattr(mlp, "routed_output_transform", None), "row_sharded", False))


def loaded_experts(mlp: Any) -> LoadedExperts:
    """The layer's routed experts."""
    held = getattr(mlp.experts, "routed_experts", mlp.experts)
    names = ("w13_weight", "w13_weight_scale", "w2_weight", "w2_weight_scale")
    return LoadedExperts(*(getattr(held, name).detach() for name in names))


def expected_shapes(
    config: K3Config, layer: LayerInfo, s: RankShapes
) -> Mapping[str, tuple[int, ...]]:
    """The shape of every tensor that :func:`layer_weights` gives, experts apart."""
    h, latent, d = config.hidden_size, config.routed_expert_hidden_size, config.kda_head_dim
    core = s.kda_channels if layer.attention == "kda" else s.mla_value_cols
    shapes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(("attn_res_norm_w", "attn_res_q", "input_norm_w"), (h,)),
        **dict.fromkeys(("mlp_res_norm_w", "mlp_res_q", "post_norm_w"), (h,)),
        "w_o": (h, core),
        "w_gate": (config.num_experts, h),
        "router_bias": (config.num_experts,),
        "w_ld": (latent, h),
        "w_sgu": (2 * s.shared_intermediate, h),
        "w_sd": (h, s.shared_intermediate),
        "ln_w": (latent,),
        "w_up": (s.up_rows, latent),
    }
    if layer.attention == "kda":
        shapes |= {
            "w_in": (s.in_proj_rows_padded, h),
            "w_fb": (s.kda_channels, d),
            "conv_w": (s.conv_channels, config.short_conv_kernel_size),
            "a_log": (s.kda_heads,),
            "dt_bias": (s.kda_channels,),
            "o_norm_w": (d,),
        }
    return shapes


def layer_problems(
    loaded: Any, config: K3Config, layer: LayerInfo, s: RankShapes, rank: int
) -> list[str]:
    """Why a loaded layer cannot be read: what is missing, or of another shape; experts apart."""
    where = f"layer {layer.index}"
    try:
        weights = layer_weights(loaded, rank, s)
    except (AttributeError, RuntimeError) as error:  # a part is missing, or too small to narrow
        return [f"{where}: {error}"]
    problems = []
    for name, shape in expected_shapes(config, layer, s).items():
        found = weights.get(name)
        if found is None or tuple(found.shape) != shape:
            have = "nothing" if found is None else tuple(found.shape)
            problems.append(f"{where}: {name} must be {shape}, got {have}")
    return problems


def packed_expert_problems(
    loaded: Any, config: K3Config, layer: LayerInfo, s: RankShapes
) -> list[str]:
    """Experts that are not packed as the checkpoint has them."""
    experts = loaded_experts(loaded.mlp)
    e, i, latent = config.num_experts, s.expert_intermediate, config.routed_expert_hidden_size
    wanted = {
        "w13_codes": (e, 2 * i, latent // 2),
        "w13_scales": (e, 2 * i, latent // 32),
        "w2_codes": (e, latent, i // 2),
        "w2_scales": (e, latent, i // 32),
    }
    problems = []
    for name, shape in wanted.items():
        found = getattr(experts, name)
        if tuple(found.shape) != shape or found.dtype != torch.uint8:
            problems.append(
                f"layer {layer.index}: experts' {name} must be uint8 {shape}, "
                f"got {str(found.dtype).removeprefix('torch.')} {tuple(found.shape)}"
            )
    return problems
