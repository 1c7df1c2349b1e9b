"""Weights as the fused KDA decode reads them, made once when a layer is loaded."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

WIDTH = 4


class MirrorError(ValueError):
    """Weights do not fit; lists every reason."""


@dataclass(frozen=True)
class Mirrors:
    """What a layer keeps besides its own weights.

    Attributes:
        conv_w: ``[3, 4, channels]`` fp32: q, k and v, width before channel.
        norm_w: ``[head_dim]`` fp32.
    """

    conv_w: Tensor
    norm_w: Tensor


def make_mirrors(conv_w: Tensor, norm_w: Tensor) -> Mirrors:
    """Mirror a layer's conv weight and output norm weight.

    Args:
        conv_w: ``[3·channels, 4]``, channels q | k | v.
        norm_w: ``[head_dim]`` bf16 or fp32.

    Raises:
        MirrorError: lists every reason.
    """
    reasons = []
    if conv_w.dim() != 2 or conv_w.shape[1] != WIDTH or conv_w.shape[0] % 3:
        reasons.append(f"conv weight must be [3·channels, {WIDTH}], got {list(conv_w.shape)}")
    if norm_w.dim() != 1:
        reasons.append(f"norm weight must be [head_dim], got {list(norm_w.shape)}")
    for name, weight in (("conv", conv_w), ("norm", norm_w)):
        if weight.dtype not in (torch.float32, torch.bfloat16):
            reasons.append(f"{name} weight must be fp32 or bf16, got {weight.dtype}")
    if reasons:
        raise MirrorError("; ".join(reasons))
    parts = conv_w.float().unflatten(0, (3, -1))
    return Mirrors(parts.transpose(1, 2).contiguous(), norm_w.float().contiguous())
