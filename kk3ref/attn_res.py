"""Attention Residuals (AttnRes): the residual stream as a prefix sum plus a bank of blocks.

Maths: Kimi-K3's Attention Residuals. A read mixes the valid blocks and the prefix with softmax
weights from a learned query over their RMS-normalised values; the mix itself is of the plain
values, and is normalised once more for the sublayer that follows.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kk3ref.precision import Precision, Value


def update_prefix(p: Precision, prefix: Tensor, delta: Tensor | None) -> Value:
    """Add the pending delta to the prefix sum.

    Args:
        prefix: ``[S, H]`` bf16.
        delta: ``[S, H]`` bf16, or None where nothing is pending.

    Returns:
        ``bf16(prefix + delta)`` ``[S, H]``; the prefix itself without a delta.
    """
    if delta is None:
        return p.store(p.load(prefix), torch.bfloat16)
    return p.round(p.load(prefix) + p.load(delta), "attn_res.prefix", torch.bfloat16)


def mix(
    p: Precision,
    prefix: Value,
    blocks: Value,
    norm_weight: Tensor,
    query: Tensor,
    eps: float,
) -> Value:
    """The softmax-weighted sum of the valid blocks and the prefix, unnormalised.

    Args:
        prefix: ``[S, H]`` bf16, already updated.
        blocks: ``[S, n, H]`` bf16, the valid blocks only (n may be 0).
        norm_weight, query: ``[H]`` bf16, the read's norm weight and its 1×H projection.
        eps: epsilon of the sources' RMS.

    Returns:
        ``[S, H]`` in the arithmetic dtype.
    """
    sources = p.load(torch.cat([blocks, prefix[:, None]], 1))
    if sources.shape[1] == 1:
        return sources[:, 0]
    scale = p.rms_scale(sources, eps, "attn_res.square_sum")[..., 0]
    weight = p.load(norm_weight) * p.load(query)
    logits = p.sum(sources * weight, -1, "attn_res.logit_sum") * scale
    a = p.softmax(logits, 1, "attn_res.softmax_sum")
    return p.sum(a[..., None] * sources, 1, "attn_res.mix_sum")


def read(
    p: Precision,
    prefix: Value,
    blocks: Value,
    norm_weight: Tensor,
    query: Tensor,
    out_weight: Tensor,
    eps: float,
    out_eps: float,
) -> Value:
    """One AttnRes read with its output norm: the input of an attention or MLP sublayer.

    Args:
        prefix, blocks, norm_weight, query, eps: see :func:`mix`.
        out_weight: ``[H]`` bf16, the sublayer's input norm.
        out_eps: epsilon of the output norm.

    Returns:
        ``bf16(mixed · rsqrt(mean(mixed²) + out_eps) · out_weight)`` ``[S, H]``.
    """
    mixed = mix(p, prefix, blocks, norm_weight, query, eps)
    normed = mixed * p.rms_scale(mixed, out_eps, "attn_res.out_square_sum") * p.load(out_weight)
    return p.round(normed, "attn_res.x", torch.bfloat16)
