"""K1: AttnRes read → in_proj → f_b → convolution → recurrence → gated norm; no communication."""

from __future__ import annotations

import torch
from torch import Tensor

from kk3ref import attn_res, kda
from kk3ref.precision import Precision, Value
from kk3ref.stages import Kind, Layer, RankContext, Role, Scope, Tap, stage

FP32 = torch.float32


@stage(Tap("prefix_after", kind=Kind.EXACT, role=Role.OUTPUT), scope=Scope.REPLICATED)
def prefix_update(p: Precision, c: RankContext, prefix: Tensor, delta: Tensor) -> Value:
    """``bf16(prefix + delta)``."""
    return attn_res.update_prefix(p, prefix, delta)


@stage(
    Tap("blocks_after", kind=Kind.EXACT, role=Role.STATE),
    scope=Scope.REPLICATED,
)
def block_write(p: Precision, c: RankContext, prefix_after: Value, blocks: Tensor) -> Value:
    """The block bank; a block-write layer stores the updated prefix as its block."""
    bank = p.load(blocks)
    if c.layer.block_index is not None:
        index = torch.tensor([c.layer.block_index], device=blocks.device)
        bank = bank.index_copy(1, index, p.load(prefix_after)[:, None])
    return p.store(bank, blocks.dtype)


@stage(Tap("x"), scope=Scope.REPLICATED)
def attn_read(p: Precision, c: RankContext, prefix_after: Value, blocks: Tensor) -> Value:
    """The attention's input: the AttnRes read of the valid blocks and the prefix, normed."""
    valid = blocks[:, : c.layer.num_blocks]
    return attn_res.read(
        p, prefix_after, valid, c.attn_res_norm_w, c.attn_res_q, c.input_norm_w, c.eps, c.eps
    )


@stage(Tap("proj"))
def in_proj(p: Precision, c: RankContext, x: Value) -> Value:
    """The fused input projection q|k|v|g|f_a|beta with its padding rows."""
    return kda.in_proj(p, x, c.w_in)


def _part(c: RankContext, proj: Value, name: str) -> Value:
    gate = c.config.use_full_rank_gate
    return kda.split_projection(proj, c.shapes.kda_heads, c.config.kda_head_dim, gate)[name]


@stage(Tap("g1"))
def f_b(p: Precision, c: RankContext, proj: Value) -> Value:
    """The decay's low-rank up projection."""
    return kda.f_b(p, _part(c, proj, "f_a"), c.w_fb)


@stage(Tap("conv"), Tap("conv_state_after", kind=Kind.EXACT, role=Role.STATE))
def conv(
    p: Precision,
    c: RankContext,
    proj: Value,
    conv_state: Tensor,
    state_index: Tensor,
    num_accepted: Tensor,
) -> tuple[Value, Value]:
    """The short convolution and the move of its window past the accepted rows."""
    return kda.spec_conv(
        p,
        _part(c, proj, "qkv"),
        c.conv_w,
        conv_state,
        state_index,
        num_accepted,
        c.options.conv_dim_first,
    )


@stage(Tap("q", FP32), Tap("k", FP32))
def qk_norm(p: Precision, c: RankContext, conv: Value) -> tuple[Value, Value]:
    """L2-normalised query and key."""
    return kda.qk_norm(p, conv, c.shapes.kda_heads, c.config.kda_head_dim)


@stage(Tap("decay", FP32), Tap("beta", FP32))
def gates(p: Precision, c: RankContext, g1: Value, proj: Value) -> tuple[Value, Value]:
    """The per-channel decay and the per-head write strength."""
    return kda.gates(p, g1, _part(c, proj, "b"), c.a_log, c.dt_bias, c.config.gate_lower_bound)


@stage(Tap("o", free_padding=True), Tap("recurrent_state_after", FP32, role=Role.STATE))
def recurrence(
    p: Precision,
    c: RankContext,
    q: Value,
    k: Value,
    conv: Value,
    decay: Value,
    beta: Value,
    recurrent_state: Tensor,
    state_index: Tensor,
    num_accepted: Tensor,
) -> tuple[Value, Value]:
    """The delta rule over the step's rows; one state a row is written."""
    return kda.recurrence(p, q, k, conv, decay, beta, recurrent_state, state_index, num_accepted)


@stage(Tap("core", role=Role.OUTPUT, free_padding=True))
def gated_norm(p: Precision, c: RankContext, o: Value, proj: Value) -> Value:
    """The output norm times the sigmoid gate."""
    return kda.gated_norm(p, o, _part(c, proj, "g"), c.o_norm_w, c.eps)


ATTENTION = (in_proj, f_b, conv, qk_norm, gates, recurrence, gated_norm)
K1 = Layer("k1", (prefix_update, block_write, attn_read, *ATTENTION))
KDA_DECODE = Layer("kda-decode", (conv, qk_norm, gates, recurrence, gated_norm))
