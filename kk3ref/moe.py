"""Latent mixture of experts: router, MXFP4 experts in a latent space, shared experts, tail.

Maths: Kimi-K3's latent MoE. Tokens are routed by the sigmoid of their logits plus a selection bias
and weighted by the unbiased scores. The experts work on a down-projected, MXFP4-quantised row;
their weighted outputs are folded in pick order with a bf16 rounding at every step, summed over the
ranks, normed and projected up again. Shared experts (:mod:`kk3ref.mlp`) see the row itself.

Symbols: ``S`` rows, ``E`` experts, ``k`` picks a row, ``l`` the latent width, ``i`` the rank's
part of an expert's intermediate width, ``H`` the hidden size, ``o = H/TP`` the hidden columns a
rank owns. The bf16 fold and the sum over ranks have an order that is part of the contract.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor

from kk3ref import mlp
from kk3ref.formats import MXFP4
from kk3ref.precision import Precision, Value

# Dense operands of the experts decoded at once (one expert may exceed it). Blocks above 32 MiB are
# mapped and zeroed afresh by the system at every allocation, which doubles the time.
_CHUNK_BYTES = 12 << 20


class Experts(Protocol):
    """One rank's routed experts, asked only for those that are picked."""

    def w13(self, ids: list[int]) -> MXFP4:
        """``[len(ids), 2·i, l]``: gate rows, then up rows."""
        ...

    def w2(self, ids: list[int]) -> MXFP4:
        """``[len(ids), l, i]``."""
        ...


# -- routing -----------------------------------------------------------------------------------


def router(p: Precision, x: Value, w_gate: Tensor) -> Value:
    """``W_gate x``: x ``[S, H]`` bf16, W_gate ``[E, H]`` bf16 → logits ``[S, E]`` fp32."""
    return p.linear(x, w_gate, "moe.logit_sum")


def route(p: Precision, logits: Value, bias: Tensor, k: int) -> Value:
    """The ``k`` experts of the largest ``sigmoid(logit) + bias``, in descending order.

    Args:
        logits: ``[S, E]`` fp32; a NaN ranks last.
        bias: ``[E]`` fp32, used for the selection only.

    Returns:
        ids ``[S, k]`` int32; a tie goes to the lower id.
    """
    return p.top_k(torch.sigmoid(p.load(logits)) + p.load(bias), k, "moe.route")


def route_weights(p: Precision, logits: Value, ids: Tensor, scale: float = 1.0) -> Value:
    """The picks' unbiased scores over their sum, the sum taken in pick order.

    Args:
        logits: ``[S, E]`` fp32; ids: ``[S, k]`` int.
        scale: ``routed_scaling_factor``.

    Returns:
        weights ``[S, k]`` fp32.
    """
    scores = torch.sigmoid(p.load(logits)).gather(1, ids.long())
    total = scores[:, :1]
    for j in range(1, ids.shape[1]):
        total = total + scores[:, j : j + 1]
    weights = scores / total
    return weights if scale == 1.0 else weights * scale


# -- routed experts ----------------------------------------------------------------------------


def latent_down(p: Precision, x: Value, w_ld: Tensor) -> Value:
    """``bf16(W_ld x)``: x ``[S, H]`` bf16, W_ld ``[l, H]`` bf16 → ``[S, l]`` bf16."""
    return mlp.project(p, x, w_ld, "moe.lat")


def quantize_latent(p: Precision, lat: Value) -> tuple[Value, Value]:
    """MXFP4 of the latent row: ``[S, l]`` bf16 → codes ``[S, l/2]``, scales ``[S, l/32]`` uint8."""
    return p.quantize_mxfp4(p.load(lat), "moe.lat_quant")


def experts_up(
    p: Precision,
    lat_codes: Tensor,
    lat_scales: Tensor,
    ids: Tensor,
    experts: Experts,
    beta: float,
    linear_beta: float,
) -> tuple[Value, Value]:
    """Every pick's hidden row: ``mxfp4(SiTU(W1 lat_q, W3 lat_q))``.

    Products of MXFP4 values are exact in the arithmetic dtype, so only their accumulation and
    SiTU round before the quantisation. Blocks of 32 lie along the rank's own part of the
    intermediate width.

    Args:
        lat_codes, lat_scales: ``[S, l/2]``, ``[S, l/32]`` uint8.
        ids: ``[S, k]`` int.
        beta, linear_beta: see :func:`kk3ref.mlp.situ`.

    Returns:
        codes ``[S, k, i/2]`` and scales ``[S, k, i/32]`` uint8.
    """
    rows, k = ids.shape
    lat = p.load(MXFP4(lat_codes, lat_scales).dequantize(p.dtype))
    source = torch.arange(rows, device=ids.device).repeat_interleave(k)
    gu = _picked_linear(p, lat, source, ids, experts.w13, "moe.expert_gu_sum")
    half = gu.shape[-1] // 2
    h = mlp.situ(gu[:, :half], gu[:, half:], beta, linear_beta)
    return p.quantize_mxfp4(h.reshape(rows, k, half), "moe.h_quant")


def experts_down(
    p: Precision,
    h_codes: Tensor,
    h_scales: Tensor,
    ids: Tensor,
    pick_weights: Value,
    experts: Experts,
) -> Value:
    """The rank's partial of the latent output: ``W2 h_q`` of every pick, weighted and folded.

    Args:
        h_codes, h_scales: ``[S, k, i/2]``, ``[S, k, i/32]`` uint8.
        ids: ``[S, k]`` int; pick_weights: ``[S, k]`` fp32.

    Returns:
        ``[S, l]`` bf16, see :func:`fold`.
    """
    rows, k = ids.shape
    h = p.load(MXFP4(h_codes, h_scales).dequantize(p.dtype)).flatten(0, 1)
    source = torch.arange(rows * k, device=ids.device)
    y = _picked_linear(p, h, source, ids, experts.w2, "moe.expert_down_sum")
    return fold(p, y.reshape(rows, k, -1), pick_weights)


def fold(p: Precision, y: Value, pick_weights: Value) -> Value:
    """``acc ← bf16(acc + bf16(weight·y))`` over the picks, from zero and in pick order.

    The order and the rounding of every step are part of the contract.

    Args:
        y: ``[S, k, l]`` fp32; pick_weights: ``[S, k]`` fp32.

    Returns:
        ``[S, l]`` bf16.
    """
    y, weights = p.load(y), p.load(pick_weights)
    acc: Value = torch.zeros((), dtype=p.dtype)
    for j in range(y.shape[1]):
        term = p.round(weights[:, j, None] * y[:, j], "moe.weighted", torch.bfloat16)
        acc = p.round(p.load(acc) + p.load(term), "moe.fold", torch.bfloat16)
    return acc


def _picked_linear(
    p: Precision,
    x: Value,
    source: Tensor,
    ids: Tensor,
    weight: Callable[[list[int]], MXFP4],
    point: str,
) -> Value:
    """``W_e x`` for every pick, each picked expert decoded once.

    Picks are grouped by expert; a chunk of experts is decoded and multiplied by its rows, which
    are padded to the same number an expert.

    Args:
        x: ``[rows, n]`` loaded; source: ``[picks]``, the row of x a pick multiplies.
        ids: the picks' experts in any shape of ``picks`` elements.

    Returns:
        ``[picks, m]`` in the arithmetic dtype.
    """
    experts, counts = ids.flatten().unique(return_counts=True)
    grouped = ids.flatten().argsort(stable=True)  # picks, an expert's adjacent
    first = counts.cumsum(0) - counts
    by_count = counts.argsort(stable=True)  # experts of one chunk then need little padding
    out_width, in_width = weight(experts[:1].tolist()).shape[1:]
    outputs, picks = [], []
    for chunk in _chunks(counts[by_count].tolist(), out_width, in_width, p.dtype.itemsize):
        index = by_count[chunk]
        count = counts[index, None]
        place = torch.arange(int(count.max()), device=ids.device)
        pick = grouped[first[index, None] + place.minimum(count - 1)]  # pads repeat a pick
        w = p.load(weight(experts[index].tolist()).dequantize(p.dtype))
        y = p.einsum("esk,enk->esn", x[source[pick]], w, point)
        real = (place < count).flatten().nonzero()[:, 0]
        outputs.append(y.flatten(0, 1)[real])
        picks.append(pick.flatten()[real])
    return torch.cat(outputs)[torch.cat(picks).argsort()]


def _chunks(counts: Sequence[int], out_width: int, in_width: int, itemsize: int) -> list[slice]:
    """Slices of experts, by ascending rows an expert, whose dense operands stay bounded."""
    chunks, start = [], 0
    for i, count in enumerate(counts):
        elements = out_width * in_width + count * (out_width + in_width)
        if i > start and (i + 1 - start) * elements * itemsize > _CHUNK_BYTES:
            chunks.append(slice(start, i))
            start = i
    return [*chunks, slice(start, len(counts))]


# -- tail --------------------------------------------------------------------------------------


def latent_norm(p: Precision, lat_sum: Value, weight: Tensor, eps: float) -> Value:
    """``bf16(lat · rsqrt(mean(lat²) + eps) · w)``: ``[S, l]`` bf16, w ``[l]`` bf16 → ``[S, l]``."""
    lat = p.load(lat_sum)
    normed = lat * p.rms_scale(lat, eps, "moe.ln_square_sum") * p.load(weight)
    return p.round(normed, "moe.ln", torch.bfloat16)


def up_add(p: Precision, ln: Value, sd: Value, w_up: Tensor, first: int) -> Value:
    """The rank's partial of the output: ``sd``, with ``bf16(sd + W_up ln)`` on its own columns.

    ``W_up ln`` is not rounded before the sum.

    Args:
        ln: ``[S, l]`` bf16; sd: ``[S, H]`` bf16, the shared experts' partial.
        w_up: ``[o, l]`` bf16, the rows of the rank's own columns.
        first: the rank's first own column.

    Returns:
        ``[S, H]`` bf16.
    """
    last = first + w_up.shape[0]
    sd = p.load(sd)
    up = p.linear(ln, w_up, "moe.up_sum")
    own = p.round(sd[:, first:last] + up, "moe.final", torch.bfloat16)
    before, after = (p.store(part, torch.bfloat16) for part in (sd[:, :first], sd[:, last:]))
    return torch.cat([before, own, after], 1)


def all_reduce(p: Precision, partials: Sequence[Value], point: str) -> Value:
    """``bf16`` of the ranks' bf16 partials ``[S, n]`` summed in rank order."""
    return p.round(p.rank_sum(partials, f"{point}_rank_sum"), point, torch.bfloat16)
