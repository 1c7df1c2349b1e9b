"""Whether the fused KDA decode may serve a layer in production."""

from __future__ import annotations

import torch

HEADS = (12, 24, 48, 96)
"""local heads at TP 8, 4, 2 and 1"""
HEAD_DIM = 128
CONV_WIDTH = 4
ARCHITECTURES = ("gfx942", "gfx950")


def is_fused_kda_decode_supported(
    *,
    num_heads: int,
    head_dim: int,
    conv_width: int,
    num_spec: int,
    input_dtype: torch.dtype,
    conv_state_dtype: torch.dtype,
    recurrent_state_dtype: torch.dtype,
    conv_state_dim_first: bool,
    architecture: str,
) -> tuple[bool, str]:
    """Whether a layer is one that the decode is defined for, and every reason why not.

    Args:
        num_heads: of the rank.
        num_spec: speculative tokens.
        conv_state_dim_first: ``[slots, dim, len]`` rather than ``[slots, len, dim]``.
        architecture: of the GPU, as ``gfx950``; features after a colon do not matter.
    """
    bf16, fp32 = torch.bfloat16, torch.float32
    reasons = []
    if num_heads not in HEADS:
        reasons.append(f"local heads must be one of {HEADS}, got {num_heads}")
    if head_dim != HEAD_DIM:
        reasons.append(f"head_dim must be {HEAD_DIM}, got {head_dim}")
    if conv_width != CONV_WIDTH:
        reasons.append(f"conv width must be {CONV_WIDTH}, got {conv_width}")
    if num_spec != 0:
        reasons.append(f"speculative tokens must be 0, got {num_spec}")
    if input_dtype != bf16:
        reasons.append(f"input must be {bf16}, got {input_dtype}")
    if conv_state_dtype != bf16:
        reasons.append(f"conv state must be {bf16}, got {conv_state_dtype}")
    if recurrent_state_dtype != fp32:
        reasons.append(f"recurrent state must be {fp32}, got {recurrent_state_dtype}")
    if conv_state_dim_first:
        reasons.append("conv state must be [slots, len, dim], got [slots, dim, len]")
    if architecture.split(":")[0] not in ARCHITECTURES:
        reasons.append(f"the GPU must be one of {ARCHITECTURES}, got {architecture!r}")
    return not reasons, "; ".join(reasons)
