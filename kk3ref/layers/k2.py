"""K2: everything after the attention core: o_proj → AttnRes read → latent MoE.

Also ``MOE``, the MoE alone on a given input, and ``DENSE_MLP``, the MLP of the layers that have no
experts. ``blocks`` is the block bank after the attention read: on a block-write layer it already
holds the layer's own block.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kk3ref import attn_res, mlp, moe
from kk3ref.precision import Precision, Value
from kk3ref.stages import Kind, Layer, RankContext, Role, Scope, Tap, stage

FP32 = torch.float32
UINT8 = torch.uint8


def _situ_betas(c: RankContext) -> tuple[float, float]:
    return c.config.activation_situ_beta, c.config.activation_situ_linear_beta


# -- from the attention core to the MLP's input --------------------------------------------------


@stage(Tap("o_partial"))
def o_proj(p: Precision, c: RankContext, core: Value) -> Value:
    """The rank's partial of the attention output."""
    return mlp.project(p, core, c.w_o, "moe.o_partial")


@stage(Tap("attn_out", kind=Kind.EXACT), scope=Scope.COLLECTIVE)
def attn_all_reduce(p: Precision, c: RankContext, o_partial: list[Value]) -> Value:
    """The attention output: the partials summed in rank order."""
    return moe.all_reduce(p, o_partial, "moe.attn_out")


@stage(Tap("prefix_after", kind=Kind.EXACT, role=Role.OUTPUT), scope=Scope.REPLICATED)
def prefix_update(p: Precision, c: RankContext, prefix: Value, attn_out: Value) -> Value:
    """``bf16(prefix + attn_out)``; on a block-write layer the prefix restarts at ``attn_out``."""
    if c.layer.writes_block:
        return attn_res.update_prefix(p, attn_out, None)
    return attn_res.update_prefix(p, prefix, attn_out)


@stage(Tap("x"), scope=Scope.REPLICATED)
def mlp_read(p: Precision, c: RankContext, prefix_after: Value, blocks: Value) -> Value:
    """The MLP's input: the AttnRes read, which sees a block that the layer itself wrote."""
    valid = blocks[:, : c.layer.num_blocks + c.layer.writes_block]
    return attn_res.read(
        p, prefix_after, valid, c.mlp_res_norm_w, c.mlp_res_q, c.post_norm_w, c.eps, c.eps
    )


# -- routed experts ------------------------------------------------------------------------------


@stage(Tap("logits", FP32), scope=Scope.REPLICATED)
def router(p: Precision, c: RankContext, x: Value) -> Value:
    """Router logits; nothing is rounded below fp32."""
    return moe.router(p, x, c.w_gate)


@stage(Tap("ids", torch.int32, Kind.PICKS), scope=Scope.REPLICATED)
def route(p: Precision, c: RankContext, logits: Value) -> Value:
    """The picked experts in pick order."""
    return moe.route(p, logits, c.router_bias, c.config.num_experts_per_token)


@stage(Tap("pick_weights", FP32), scope=Scope.REPLICATED)
def route_weights(p: Precision, c: RankContext, logits: Value, ids: Tensor) -> Value:
    """The picks' weights."""
    return moe.route_weights(p, logits, ids, c.config.routed_scaling_factor)


@stage(Tap("lat"), scope=Scope.REPLICATED)
def latent_down(p: Precision, c: RankContext, x: Value) -> Value:
    """The latent row of the routed experts."""
    return moe.latent_down(p, x, c.w_ld)


@stage(
    Tap("lat_codes", UINT8, Kind.MX_CODES),
    Tap("lat_scales", UINT8, Kind.MX_SCALES),
    scope=Scope.REPLICATED,
)
def latent_quant(p: Precision, c: RankContext, lat: Value) -> tuple[Value, Value]:
    """The latent row in MXFP4."""
    return moe.quantize_latent(p, lat)


@stage(Tap("h_codes", UINT8, Kind.MX_CODES), Tap("h_scales", UINT8, Kind.MX_SCALES))
def experts_up(
    p: Precision, c: RankContext, lat_codes: Tensor, lat_scales: Tensor, ids: Tensor
) -> tuple[Value, Value]:
    """Every pick's hidden row in MXFP4, on the rank's part of the intermediate width."""
    return moe.experts_up(p, lat_codes, lat_scales, ids, c.experts, *_situ_betas(c))


@stage(Tap("moe_partial"))
def experts_down(
    p: Precision,
    c: RankContext,
    h_codes: Tensor,
    h_scales: Tensor,
    ids: Tensor,
    pick_weights: Value,
) -> Value:
    """The picks' outputs, weighted and folded in pick order."""
    return moe.experts_down(p, h_codes, h_scales, ids, pick_weights, c.experts)


@stage(Tap("lat_sum", kind=Kind.EXACT), scope=Scope.COLLECTIVE)
def latent_all_reduce(p: Precision, c: RankContext, moe_partial: list[Value]) -> Value:
    """The routed experts' output in the latent space: the partials summed in rank order."""
    return moe.all_reduce(p, moe_partial, "moe.lat_reduced")


@stage(Tap("ln"), scope=Scope.REPLICATED)
def latent_norm(p: Precision, c: RankContext, lat_sum: Value) -> Value:
    """The norm before the up projection."""
    return moe.latent_norm(p, lat_sum, c.ln_w, c.eps)


# -- shared experts and tail ---------------------------------------------------------------------


@stage(Tap("gu"))
def shared_up(p: Precision, c: RankContext, x: Value) -> Value:
    """The shared experts' gate and up rows."""
    return mlp.project(p, x, c.w_sgu, "moe.gu")


@stage(Tap("sh"))
def shared_act(p: Precision, c: RankContext, gu: Value) -> Value:
    """The shared experts' hidden row."""
    return mlp.activate(p, gu, *_situ_betas(c), "moe.sh")


@stage(Tap("sd"))
def shared_down(p: Precision, c: RankContext, sh: Value) -> Value:
    """The rank's partial of the shared experts' output."""
    return mlp.project(p, sh, c.w_sd, "moe.sd")


@stage(Tap("final"))
def up_add(p: Precision, c: RankContext, ln: Value, sd: Value) -> Value:
    """The shared partial, with the routed experts' output on the rank's own columns."""
    return moe.up_add(p, ln, sd, c.w_up, c.rank * c.shapes.up_rows)


@stage(Tap("out", kind=Kind.EXACT, role=Role.OUTPUT), scope=Scope.COLLECTIVE)
def final_all_reduce(p: Precision, c: RankContext, final: list[Value]) -> Value:
    """The MoE output: the next layer's pending delta."""
    return moe.all_reduce(p, final, "moe.out")


# -- dense MLP -----------------------------------------------------------------------------------


@stage(Tap("gu"))
def dense_up(p: Precision, c: RankContext, x: Value) -> Value:
    """The dense MLP's gate and up rows."""
    return mlp.project(p, x, c.w_gu, "mlp.gu")


@stage(Tap("act"))
def dense_act(p: Precision, c: RankContext, gu: Value) -> Value:
    """The dense MLP's hidden row."""
    return mlp.activate(p, gu, *_situ_betas(c), "mlp.act")


@stage(Tap("mlp_partial"))
def dense_down(p: Precision, c: RankContext, act: Value) -> Value:
    """The rank's partial of the dense MLP's output."""
    return mlp.project(p, act, c.w_down, "mlp.partial")


@stage(Tap("out", kind=Kind.EXACT, role=Role.OUTPUT), scope=Scope.COLLECTIVE)
def dense_all_reduce(p: Precision, c: RankContext, mlp_partial: list[Value]) -> Value:
    """The dense MLP's output: the next layer's pending delta."""
    return moe.all_reduce(p, mlp_partial, "mlp.out")


POST_ATTENTION = (o_proj, attn_all_reduce, prefix_update, mlp_read)
_MOE_STAGES = (
    router,
    route,
    route_weights,
    latent_down,
    latent_quant,
    experts_up,
    experts_down,
    latent_all_reduce,
    latent_norm,
    shared_up,
    shared_act,
    shared_down,
    up_add,
    final_all_reduce,
)
MOE = Layer("moe", _MOE_STAGES)
K2 = Layer("k2", (*POST_ATTENTION, *MOE.stages))
DENSE_MLP = Layer("dense-mlp", (dense_up, dense_act, dense_down, dense_all_reduce))
