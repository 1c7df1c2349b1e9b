"""What stands around MLA's attention: projections, norms, W_UK and W_UV, the output gate."""

from __future__ import annotations

import torch
from torch import Tensor

from kk3ref.formats import MXFP4, quantize_mxfp4
from kk3ref.precision import Precision, Value


def split_projection(proj: Value, q_lora: int, kv_lora: int, pe: int) -> dict[str, Value]:
    """Name the parts of the fused projection.

    Args:
        proj: ``[S, rows]``, rows ``q_c | kv_c | k_pe | gate``.
        q_lora, kv_lora, pe: widths of the first three.

    Returns:
        ``q_c [S, q_lora]``, ``kv_c [S, kv_lora]``, ``k_pe [S, pe]`` and ``gate [S, h·v]``.
    """
    a, b, c = q_lora, q_lora + kv_lora, q_lora + kv_lora + pe
    return {"q_c": proj[:, :a], "kv_c": proj[:, a:b], "k_pe": proj[:, b:c], "gate": proj[:, c:]}


def project(p: Precision, x: Value, w_a: Tensor) -> Value:
    """``bf16(W_a x)``: x ``[S, H]`` bf16, W_a ``[rows, H]`` bf16 → ``[S, rows]``."""
    return p.round(p.linear(x, w_a, "mla.a_sum"), "mla.proj_a", torch.bfloat16)


def norm(p: Precision, x: Value, weight: Tensor, eps: float, name: str) -> Value:
    """``bf16(x · rsqrt(mean(x²) + eps) · w)``.

    Args:
        x: ``[S, n]`` bf16; weight: ``[n]`` bf16.
        name: ``q`` or ``kv``, for the names of the points.
    """
    x = p.load(x)
    normed = x * p.rms_scale(x, eps, f"mla.{name}_square_sum") * p.load(weight)
    return p.round(normed, f"mla.{name}_norm", torch.bfloat16)


def q_b(p: Precision, q_c: Value, w_qb: Tensor, heads: int) -> Value:
    """``bf16(W_qb q_c)`` by heads.

    Args:
        q_c: ``[S, q_lora]`` bf16, normed; w_qb: ``[h·(nope+pe), q_lora]`` bf16.

    Returns:
        ``[S, h, nope+pe]`` bf16, a head's columns ``nope | pe``.
    """
    q = p.round(p.linear(q_c, w_qb, "mla.q_b_sum"), "mla.q", torch.bfloat16)
    return q.reshape(q_c.shape[0], heads, w_qb.shape[0] // heads)


def absorb_query(p: Precision, q_nope: Value, w_uk: Tensor) -> Value:
    """``bf16(q_nope · W_UK)``: q_nope ``[S, h, nope]``, W_UK ``[h, nope, c]`` → ``[S, h, c]``."""
    q_lat = p.einsum("shn,hnc->shc", p.load(q_nope), p.load(w_uk), "mla.absorb_sum")
    return p.round(q_lat, "mla.q_lat", torch.bfloat16)


def absorb_query_mxfp4(p: Precision, codes: Tensor, scales: Tensor, w_uk: Tensor | MXFP4) -> Value:
    """:func:`absorb_query` with both operands in MXFP4 along the contracted axis ``nope``.

    Args:
        codes: ``[S, h, nope/2]``, scales: ``[S, h, nope/32]`` uint8, the quantised ``q_nope``.
        w_uk: ``[h, nope, c]`` bf16, quantised here, or already MXFP4 ``[h, c, nope]``.
    """
    weight = mxfp4_weight(w_uk.transpose(1, 2) if isinstance(w_uk, Tensor) else w_uk)
    q_nope = p.load(MXFP4(codes, scales).dequantize(p.dtype))
    q_lat = p.einsum("shn,hcn->shc", q_nope, p.load(weight.dequantize(p.dtype)), "mla.absorb_sum")
    return p.round(q_lat, "mla.q_lat", torch.bfloat16)


def join_query(p: Precision, q_lat: Value, q_pe: Value) -> Value:
    """The absorbed query ``[q_lat | q_pe]``: ``[S, h, c]``, ``[S, h, pe]`` → ``[S, h, c+pe]``."""
    return torch.cat([p.load(q_lat), p.load(q_pe)], -1)


def v_up(p: Precision, o_lat: Value, w_uv: Tensor) -> Value:
    """``bf16(W_UV o_lat)``: o_lat ``[S, h, c]``, W_UV ``[h, v, c]`` → ``[S, h, v]``."""
    attn = p.einsum("shc,hvc->shv", p.load(o_lat), p.load(w_uv), "mla.v_up_sum")
    return p.round(attn, "mla.attn", torch.bfloat16)


def v_up_mxfp4(p: Precision, codes: Tensor, scales: Tensor, w_uv: Tensor | MXFP4) -> Value:
    """:func:`v_up` with both operands in MXFP4 along the contracted axis ``c``.

    Args:
        codes: ``[S, h, c/2]``, scales: ``[S, h, c/32]`` uint8, the quantised ``o_lat``.
        w_uv: ``[h, v, c]``, bf16 (quantised here) or MXFP4.
    """
    weight = p.load(mxfp4_weight(w_uv).dequantize(p.dtype))
    o_lat = p.load(MXFP4(codes, scales).dequantize(p.dtype))
    attn = p.einsum("shc,hvc->shv", o_lat, weight, "mla.v_up_sum")
    return p.round(attn, "mla.attn", torch.bfloat16)


def mxfp4_weight(weight: Tensor | MXFP4) -> MXFP4:
    """A weight in MXFP4 along its last axis, by Kimi-K3's block rule; MXFP4 passes as it is.

    Checkpoints hold W_UK and W_UV in bf16: a deployment quantises them when it loads them. Which
    rule it uses is not published; this is the rule of the activations.
    """
    return quantize_mxfp4(weight) if isinstance(weight, Tensor) else weight


def output_gate(p: Precision, attn: Value, gate: Value) -> Value:
    """``core = bf16(attn · sigmoid(gate))``: ``[S, h, v]`` and ``[S, h·v]`` bf16 → ``[S, h·v]``."""
    gate = p.load(gate)
    gated = p.load(attn).reshape(gate.shape) * torch.sigmoid(gate)
    return p.round(gated, "mla.core", torch.bfloat16)
