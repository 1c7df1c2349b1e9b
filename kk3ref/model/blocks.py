"""The fused layers a decoder layer is made of, its prefill form, and the model's two ends."""

from __future__ import annotations

import torch
from torch import Tensor

from kk3ref import attn_res, kda
from kk3ref.config import LayerInfo
from kk3ref.layers import k1, k2
from kk3ref.layers.m1 import m1_layer
from kk3ref.precision import Precision, Value
from kk3ref.stages import Layer, LayerOptions, RankContext, Tap, stage

# -- KDA over a whole prompt ---------------------------------------------------------------------


def _part(c: RankContext, proj: Value, name: str) -> Value:
    gate = c.config.use_full_rank_gate
    return kda.split_projection(proj, c.shapes.kda_heads, c.config.kda_head_dim, gate)[name]


@stage(Tap("conv"), Tap("conv_window"))
def prefill_conv(p: Precision, c: RankContext, proj: Value) -> tuple[Value, Value]:
    """The short convolution from an empty history, and its last inputs."""
    return kda.prefill_conv(p, _part(c, proj, "qkv"), c.conv_w)


@stage(Tap("o"), Tap("last_state", torch.float32))
def prefill_recurrence(
    p: Precision, c: RankContext, q: Value, k: Value, conv: Value, g1: Value, proj: Value
) -> tuple[Value, Value]:
    """The delta rule in chunks, from a zero state."""
    heads, dim = c.shapes.kda_heads, c.config.kda_head_dim
    v = conv[:, 2 * heads * dim :].reshape(-1, heads, dim)
    decay = kda.log_decay(p, g1, c.a_log, c.dt_bias, c.config.gate_lower_bound)
    beta = torch.sigmoid(p.load(_part(c, proj, "b")))
    empty = torch.zeros(heads, dim, dim, dtype=p.dtype)
    return kda.chunked_prefill(p, q, k, v, decay, beta, empty)


K1_PREFILL = Layer(
    "k1-prefill",
    (
        *(k1.prefix_update, k1.block_write, k1.attn_read, k1.in_proj, k1.f_b),
        *(prefill_conv, k1.qk_norm, prefill_recurrence, k1.gated_norm),
    ),
)
DENSE_POST = Layer("dense-post", (*k2.POST_ATTENTION, *k2.DENSE_MLP.stages))


def decoder_layer(info: LayerInfo, options: LayerOptions, prefill: bool) -> tuple[Layer, Layer]:
    """The two fused layers of a decoder layer: up to the attention core, and from it.

    An MLA prefill is a step of one request, so M1 serves both.

    Raises:
        ValueError: an MLA layer would write a block, which M1 does not.
    """
    post = k2.K2 if info.mlp == "moe" else DENSE_POST
    if info.attention == "kda":
        return (K1_PREFILL if prefill else k1.K1), post
    if info.writes_block:
        raise ValueError(f"an MLA layer must not be a block-write layer, layer {info.index} is")
    return m1_layer(options), post


# -- the model's ends ----------------------------------------------------------------------------


def embed(p: Precision, tokens: Tensor, weight: Tensor) -> Value:
    """Token embeddings: the first prefix. tokens ``[S]`` int → ``[S, H]`` bf16."""
    return p.store(weight[tokens.long()], torch.bfloat16)


def output_read(
    p: Precision,
    prefix: Value,
    delta: Value,
    blocks: Value,
    norm_weight: Tensor,
    query: Tensor,
    eps: float,
) -> Value:
    """The last AttnRes read: the pending delta is added, all blocks are mixed, nothing is normed.

    What the norm reads is a stored bf16 row; the specification leaves that rounding open.

    Args:
        prefix, delta: ``[S, H]`` bf16; blocks: ``[S, n, H]`` bf16, all of the model's.
        norm_weight, query: ``[H]`` bf16, ``output_attn_res_norm`` and ``output_attn_res_proj``.

    Returns:
        ``bf16(mixed)`` ``[S, H]``.
    """
    updated = attn_res.update_prefix(p, prefix, delta)
    mixed = attn_res.mix(p, updated, blocks, norm_weight, query, eps)
    return p.round(mixed, "model.output_mix", torch.bfloat16)


def final_norm(p: Precision, x: Value, weight: Tensor, eps: float) -> Value:
    """``bf16(x · rsqrt(mean(x²) + eps) · w)``: ``[S, H]`` bf16 → ``[S, H]`` bf16."""
    x = p.load(x)
    normed = x * p.rms_scale(x, eps, "model.norm_square_sum") * p.load(weight)
    return p.round(normed, "model.norm", torch.bfloat16)


def head(p: Precision, x: Value, weight: Tensor) -> Value:
    """Logits ``[S, vocab]`` of ``[S, H]`` bf16, in the arithmetic dtype.

    They are not rounded to bf16: the specification does not say, and a rounding would only make
    ties between tokens.
    """
    return p.linear(x, weight, "model.logit_sum")
