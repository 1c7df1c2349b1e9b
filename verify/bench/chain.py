"""The unfused chain a deployment would otherwise run: kept libraries, torch, inductor's fusions.

K1 and the KDA decode use flash-linear-attention's ``fused_recurrent_kda`` and gated norm, the
dense products torch's ``linear``, the routed experts torch's grouped product of bf16 experts
(Hopper has no MXFP4 product, and no kept library has one that decodes MXFP4 here), and everything
in between one ``torch.compile`` of plain torch code a piece. Nothing is communicated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear, silu

from verify.bench.steps import Bench, normal

Work = Callable[[], object]


def chain(kind: str, bench: Bench, dense_experts: tuple[Tensor, Tensor] | None = None) -> Work:
    """The chain of a layer kind on one step's memory.

    Args:
        dense_experts: bf16 ``[E, l, 2·i]`` and ``[E, i, l]``, for ``k2``.
    """
    if kind == "k1":
        return _k1(bench)
    if kind == "kda-decode":
        return _kda(bench, bench.inputs["proj"], bench.inputs["g1"])
    if kind == "m1":
        return _m1(bench)
    assert dense_experts is not None
    return _k2(bench, dense_experts)


def dense_experts(bench: Bench) -> tuple[Tensor, Tensor]:
    """Random bf16 experts of a rank, for the grouped product."""
    c, half = bench.context.config, bench.context.shapes.expert_intermediate
    e, latent = c.num_experts, c.routed_expert_hidden_size
    up = normal(e, latent, 2 * half, scale=latent**-0.5)
    return up, normal(e, half, latent, scale=half**-0.5)


@torch.compile(dynamic=False)
def read(
    prefix: Tensor, delta: Tensor, blocks: Tensor, norm: Tensor, query: Tensor, out: Tensor
) -> tuple[Tensor, Tensor]:
    """The attention-residual read: the new prefix, and the normed mix."""
    p = (prefix.float() + delta.float()).bfloat16()
    v = torch.cat([blocks, p[:, None]], 1).float()
    scale = torch.rsqrt(v.square().mean(-1) + 1e-5)
    a = torch.softmax((v * (norm.float() * query.float())).sum(-1) * scale, 1)
    mixed = (a[..., None] * v).sum(1)
    normed = mixed * torch.rsqrt(mixed.square().mean(-1, keepdim=True) + 1e-5) * out.float()
    return p, normed.bfloat16()


@torch.compile(dynamic=False)
def _conv(
    proj: Tensor, state: Tensor, weight: Tensor, index: Tensor, accepted: Tensor, inner: int
) -> tuple[Tensor, Tensor, Tensor]:
    requests, length = index.shape
    slot = index[:, 0].long()
    old = state[slot]  # [R, 2 + L, C]
    entries = accepted.long()[:, None] - 1 + torch.arange(3, device=index.device)
    history = old.gather(1, entries[..., None].expand(-1, -1, old.shape[2]))
    x = proj[:, : 3 * inner].reshape(requests, length, -1)
    window = torch.cat([history, x], 1)
    state[slot] = torch.cat([history[:, 1:], x], 1)
    taps = [weight[:, j] * window[:, j : j + length].float() for j in range(4)]
    o = silu(torch.stack(taps).sum(0)).bfloat16().reshape(requests * length, -1)
    return (
        o[:, :inner].contiguous(),
        o[:, inner : 2 * inner].contiguous(),
        o[:, 2 * inner :].contiguous(),
    )


def _kda(bench: Bench, proj: Tensor, g1: Tensor) -> Work:
    from fla.modules.norm.fused_norm_gate import rms_norm_gated
    from fla.ops.kda.fused_recurrent import fused_recurrent_kda_fwd

    c, i, b = bench.context, bench.inputs, bench.buffers
    heads, d, inner = c.shapes.kda_heads, c.config.kda_head_dim, c.shapes.kda_channels
    index, accepted = i["state_index"], i["num_accepted"]
    requests, length = index.shape
    rows = requests * length
    starts = torch.arange(0, rows + 1, length, device="cuda")

    def run() -> Tensor:
        q, k, v = _conv(proj, b["conv_state_after"], c.conv_w, index, accepted, inner)
        beta = proj[:, 4 * inner + d : 4 * inner + d + heads].contiguous()
        shape = (1, rows, heads, d)
        o, _ = fused_recurrent_kda_fwd(
            q.view(shape),
            k.view(shape),
            v.view(shape),
            g1.view(shape),
            beta[None],
            c.a_log,
            c.dt_bias,
            initial_state=b["recurrent_state_after"],
            state_v_first=True,
            cu_seqlens=starts,
            ssm_state_indices=index,
            num_accepted_tokens=accepted,
            use_qk_l2norm_in_kernel=True,
            use_gate_in_kernel=True,
            use_beta_sigmoid_in_kernel=True,
            lower_bound=c.config.gate_lower_bound,
        )
        gate = proj[:, 3 * inner : 4 * inner].reshape(-1, d)
        normed: Tensor = rms_norm_gated(
            o.reshape(-1, d), gate, c.o_norm_w, None, activation="sigmoid", eps=c.eps
        )
        return normed

    return run


def _k1(bench: Bench) -> Work:
    c, i = bench.context, bench.inputs
    inner, d = c.shapes.kda_channels, c.config.kda_head_dim
    proj = torch.empty(
        i["prefix"].shape[0], c.shapes.in_proj_rows_padded, dtype=torch.bfloat16, device="cuda"
    )
    g1 = proj.new_empty(proj.shape[0], inner)
    tail = _kda(bench, proj, g1)

    def run() -> object:
        _, x = read(
            i["prefix"], i["delta"], i["blocks"], c.attn_res_norm_w, c.attn_res_q, c.input_norm_w
        )
        torch.mm(x, c.w_in.T, out=proj)
        torch.mm(proj[:, 4 * inner : 4 * inner + d], c.w_fb.T, out=g1)
        return tail()

    return run


@torch.compile(dynamic=False)
def route(logits: Tensor, bias: Tensor, k: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Picks, weights, and what a grouped product needs: order, ends, source rows."""
    s = torch.sigmoid(logits)
    ids = torch.topk(s + bias, k, dim=-1).indices
    weights = s.gather(1, ids)
    weights = weights / weights.sum(-1, keepdim=True)
    flat = ids.flatten()
    order = flat.argsort(stable=True)
    counts = torch.zeros(logits.shape[1], dtype=torch.int32, device=logits.device)
    counts = counts.index_add(0, flat, torch.ones_like(flat, dtype=torch.int32))
    return ids, weights, order, counts.cumsum(0).to(torch.int32), order // k


@torch.compile(dynamic=False)
def situ(gu: Tensor, beta: float, linear_beta: float) -> Tensor:
    """SiTU of gate and up rows."""
    g, u = gu.float().chunk(2, -1)
    gated = beta * torch.tanh(g / beta) * torch.sigmoid(g)
    return (gated * (linear_beta * torch.tanh(u / linear_beta))).bfloat16()


@torch.compile(dynamic=False)
def _fold(y: Tensor, order: Tensor, weights: Tensor, ln_w: Tensor) -> Tensor:
    rows, k = weights.shape
    unsorted = torch.empty_like(y)
    unsorted[order] = y
    lat = (unsorted.reshape(rows, k, -1).float() * weights[..., None]).sum(1)
    return (lat * torch.rsqrt(lat.square().mean(-1, keepdim=True) + 1e-5) * ln_w.float()).bfloat16()


@torch.compile(dynamic=False)
def weighted(y: Tensor, order: Tensor, weights: Tensor) -> Tensor:
    """A rank's partial: its experts' outputs back in pick order, weighted, summed a row."""
    rows, k = weights.shape
    unsorted = torch.empty_like(y)
    unsorted[order] = y
    return (unsorted.reshape(rows, k, -1).float() * weights[..., None]).sum(1).bfloat16()


@torch.compile(dynamic=False)
def normed(partial: Tensor, ln_w: Tensor) -> Tensor:
    """RMS norm of the summed latent row."""
    lat = partial.float()
    return (lat * torch.rsqrt(lat.square().mean(-1, keepdim=True) + 1e-5) * ln_w.float()).bfloat16()


def _k2(bench: Bench, experts: tuple[Tensor, Tensor]) -> Work:
    c, i = bench.context, bench.inputs
    s, config = c.shapes, c.config
    rows = i["core"].shape[0]
    betas = config.activation_situ_beta, config.activation_situ_linear_beta
    w_x = torch.cat([c.w_gate[: s.router_rows], c.w_ld[: s.latent_rows], c.w_sgu])
    # What the other ranks would send.
    logits = normal(rows, config.num_experts, dtype=torch.float32)
    latent = normal(rows, config.routed_expert_hidden_size)

    def run() -> object:
        attn = linear(i["core"], c.w_o)
        _, x = read(i["prefix"], attn, i["blocks"], c.mlp_res_norm_w, c.mlp_res_q, c.post_norm_w)
        y = linear(x, w_x)
        _, weights, order, ends, source = route(logits, c.router_bias, config.num_experts_per_token)
        gu = torch._grouped_mm(latent[source], experts[0], offs=ends)
        down = torch._grouped_mm(situ(gu, *betas), experts[1], offs=ends)
        ln = _fold(down, order, weights, c.ln_w)
        sh = situ(y[:, s.router_rows + s.latent_rows :], *betas)
        sd = linear(sh, c.w_sd)
        sd[:, : s.up_rows] += linear(ln, c.w_up)
        return sd

    return run


@torch.compile(dynamic=False)
def _norms(proj: Tensor, q_w: Tensor, kv_w: Tensor, q: int, kv: int) -> tuple[Tensor, Tensor]:
    a, b = proj[:, :q].float(), proj[:, q : q + kv].float()
    a = a * torch.rsqrt(a.square().mean(-1, keepdim=True) + 1e-5) * q_w.float()
    b = b * torch.rsqrt(b.square().mean(-1, keepdim=True) + 1e-5) * kv_w.float()
    return a.bfloat16(), b.bfloat16()


@torch.compile(dynamic=False)
def _attend(
    q: Tensor, cache: Tensor, table: Tensor, context: Tensor, scale: float, kv: int
) -> Tensor:
    requests, length = table.shape[0], q.shape[0] // table.shape[0]
    heads = q.shape[1]
    rows = cache.view(torch.float8_e4m3fn)[table.long()].flatten(1, 2).bfloat16()
    wide = q.reshape(requests, length * heads, -1)
    scores = (wide @ rows.transpose(1, 2)).float() * scale
    last = context[:, None] + torch.arange(length, device=q.device).repeat_interleave(heads)
    seen = torch.arange(rows.shape[1], device=q.device) <= last[..., None]
    a = torch.softmax(scores.masked_fill(~seen, -torch.inf), -1).bfloat16()
    return (a @ rows[..., :kv]).reshape(q.shape[0], heads, kv)


@torch.compile(dynamic=False)
def _gate(o: Tensor, w_uv: Tensor, gate: Tensor) -> Tensor:
    attn = torch.einsum("shc,hvc->shv", o, w_uv)
    return (attn.float().flatten(1) * torch.sigmoid(gate.float())).bfloat16()


def _m1(bench: Bench) -> Work:
    c, i, b = bench.context, bench.inputs, bench.buffers
    config = c.config
    q_rank, kv, pe = config.q_lora_rank, config.kv_lora_rank, config.qk_rope_head_dim
    heads, nope = c.shapes.mla_heads, config.qk_nope_head_dim
    table, context, cache = i["block_table"], i["context_len"], b["kv_cache_after"]
    rows = i["prefix"].shape[0]
    length = rows // table.shape[0]
    at = context[:, None].long() + torch.arange(length, device="cuda")
    page = table.long().gather(1, at // cache.shape[1])
    place = (page.flatten(), (at % cache.shape[1]).flatten())

    def run() -> object:
        _, x = read(
            i["prefix"], i["delta"], i["blocks"], c.attn_res_norm_w, c.attn_res_q, c.input_norm_w
        )
        proj = linear(x, c.w_a)
        q_c, latent = _norms(proj, c.q_norm_w, c.kv_norm_w, q_rank, kv)
        row = torch.cat([latent, proj[:, q_rank + kv : q_rank + kv + pe]], 1)
        cache.index_put_(place, row.to(torch.float8_e4m3fn).view(torch.uint8))
        q = linear(q_c, c.w_qb).view(rows, heads, nope + pe)
        q_lat = torch.einsum("shn,hnc->shc", q[..., :nope], c.w_uk)
        query = torch.cat([q_lat, q[..., nope:]], -1).to(torch.float8_e4m3fn).bfloat16()
        o = _attend(query, cache, table, context, config.qk_head_dim**-0.5, kv)
        return _gate(o, c.w_uv, proj[:, q_rank + kv + pe :])

    return run


def compiled(kind: str, bench: Bench) -> Work:
    """Every stage of the contract reference through ``torch.compile``, one after the other."""
    from kk3ref.stages import Scope
    from verify.candidates.reference import CompiledCandidate
    from verify.layers import LAYERS

    layer = LAYERS[kind].make(bench.context.options)
    candidate = CompiledCandidate(layer)
    tp = bench.context.tp

    def run() -> object:
        values: dict[str, Any] = dict(bench.inputs)
        for s in layer.stages:
            given = {n: values[n] for n in s.inputs}
            if s.scope is Scope.COLLECTIVE:
                given = {n: [t] * tp for n, t in given.items()}
            function = candidate.stage(s.name)
            assert function is not None
            values.update(function(bench.context, given))
        return values

    return run
