"""The kernels' arguments by name, as views of a loaded layer's parameters and caches.

The names are those of the builds' argument tables (``K1Build.arguments``, ``K2Build.arguments``).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from kk3fast.serve.modules import LoadedExperts

Values = dict[str, Tensor | int]


def k1_values(
    weights: dict[str, Any],
    metadata: Any,
    caches: tuple[Tensor, Tensor],
    prefix: Tensor,
    delta: Tensor,
    blocks: Tensor,
    core: Tensor,
) -> Values:
    """K1's arguments; ``prefix``, ``blocks`` and the caches are updated in place.

    Args:
        weights: of :func:`kk3fast.serve.modules.layer_weights`.
        metadata: the step's metadata of the layer.
        caches: conv ``[slots, dim, len]`` (a view) and recurrent ``[slots, h, d, d]``.
        prefix, delta: ``[S, H]`` bf16; blocks: ``[S, blocks, H]`` bf16; core: ``[S, h·d]`` bf16,
            written.
    """
    conv, state = caches
    index = metadata.spec_state_indices_tensor
    return {
        "prefix": prefix,
        "delta": delta,
        "blocks": blocks,
        "block_row_stride": blocks.stride(0),
        "block_stride": blocks.stride(1),
        "attn_norm": weights["attn_res_norm_w"],
        "attn_query": weights["attn_res_q"],
        "input_norm": weights["input_norm_w"],
        **{n: weights[n] for n in ("w_in", "w_fb", "conv_w", "a_log", "dt_bias")},
        "conv_state": conv,
        "conv_slot_stride": conv.stride(0),
        "conv_channel_stride": conv.stride(1),
        "conv_entry_stride": conv.stride(2),
        "o_norm": weights["o_norm_w"],
        "state": state,
        "state_slot_stride": state.stride(0),
        "state_index": index,
        "state_index_stride": index.stride(0),
        "accepted": metadata.num_accepted_tokens,
        "core": core,
    }


def k2_values(
    weights: dict[str, Any], core: Tensor, prefix: Tensor, blocks: Tensor, out: Tensor
) -> Values:
    """K2's arguments; ``prefix`` is updated in place (written, where it restarts).

    Args:
        core: ``[S, …]`` bf16; prefix: ``[S, H]``; out: ``[S, H]``, written.
    """
    experts: LoadedExperts = weights["experts"]
    names = ("w_o", "w_gate", "router_bias", "w_ld", "w_sgu", "w_sd", "w_up")
    return {
        "prefix": prefix,
        "core": core,
        "blocks": blocks,
        "block_row_stride": blocks.stride(0),
        "block_stride": blocks.stride(1),
        "mlp_norm": weights["mlp_res_norm_w"],
        "mlp_query": weights["mlp_res_q"],
        "post_norm": weights["post_norm_w"],
        **{n: weights[n] for n in names},
        "w13": experts.w13_codes.view(torch.uint8),
        "w13_scales": experts.w13_scales.view(torch.uint8),
        "w2": experts.w2_codes.view(torch.uint8),
        "w2_scales": experts.w2_scales.view(torch.uint8),
        "latent_norm": weights["ln_w"],
        "out": out,
    }
