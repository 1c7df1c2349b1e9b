"""The AttnRes read in PyTorch, with the arguments of vLLM's fused operation."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def attn_res(
    prefix: Tensor,
    delta: Tensor | None,
    blocks: Tensor,
    norm_weight: Tensor,
    query: Tensor,
    out_weight: Tensor | None,
    valid_blocks: int,
    write_block: int,
    eps: float,
    out_eps: float,
    *,
    quant_dtype: Any = None,
) -> Tensor:
    """Add the pending delta, store a block if asked, mix the sources.

    Args:
        prefix: ``[S, H]``, updated in place; delta: ``[S, H]`` or None.
        blocks: ``[S, n, H]``; block ``write_block`` is written unless it is -1.
        norm_weight, query: ``[H]``; out_weight: ``[H]``, None for no output norm.
        quant_dtype: must be None: no activations are quantised here.

    Returns:
        ``[S, H]``.
    """
    if quant_dtype is not None:
        raise NotImplementedError(f"quant_dtype must be None on a CPU, got {quant_dtype}")
    if delta is not None:
        prefix.copy_((prefix.float() + delta.float()).to(prefix.dtype))
    if write_block >= 0:
        blocks[:, write_block] = prefix
    sources = torch.cat([blocks[:, :valid_blocks], prefix[:, None]], 1).float()
    scale = torch.rsqrt(sources.square().mean(-1) + eps)
    logits = (sources * (norm_weight.float() * query.float())).sum(-1) * scale
    mixed = (logits.softmax(-1)[..., None] * sources).sum(1)
    if out_weight is not None:
        mixed = mixed * torch.rsqrt(mixed.square().mean(-1, keepdim=True) + out_eps)
        mixed = mixed * out_weight.float()
    return mixed.to(prefix.dtype)
