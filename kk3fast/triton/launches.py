"""One function a kernel: shapes and strides are read off the tensors, constants off the tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from kk3fast.triton.attn_res import attn_res_kernel
from kk3fast.triton.kda import kda_kernel
from kk3fast.triton.linear import linear_kernel
from kk3fast.triton.peers import Peers
from kk3fast.triton.target import NEXT_POWER, Target, launch
from kk3fast.triton.tuning import LinearTiles
from kk3ref.stages import RankContext

Built = list[Any]
"""Compiled kernels in launch order (None each under the interpreter)."""


def attn_res(
    target: Target,
    prefix: Tensor,
    delta: Tensor | None,
    prefix_after: Tensor | None,
    blocks: Tensor,
    valid: int,
    weights: tuple[Tensor, Tensor, Tensor],
    x: Tensor,
    eps: float,
    write: int = -1,
    warps: int = 8,
) -> Any:
    """AttnRes read of ``prefix [S, H]`` (plus ``delta``) and the first ``valid`` blocks.

    Args:
        blocks: ``[S, n, H]``, rows dense; block ``write`` is written if it is not negative.
        weights: norm weight, query, output norm weight ``[H]`` bf16.
        x: ``[S, H]`` bf16, the result.
    """
    rows, hidden = prefix.shape
    if blocks.stride()[1:] != (hidden, 1) and blocks.numel():
        raise ValueError(f"blocks must be dense in a row, got strides {blocks.stride()}")
    return launch(
        attn_res_kernel,
        (rows,),
        prefix,
        prefix if delta is None else delta,
        prefix if prefix_after is None else prefix_after,
        blocks if blocks.numel() else prefix,
        *weights,
        x,
        blocks.stride(0),
        target=target,
        warps=warps,
        HIDDEN=hidden,
        N=valid,
        NP=NEXT_POWER(max(1, valid)),
        WRITE=write,
        HAS_DELTA=delta is not None,
        EPS=eps,
        WIDE=NEXT_POWER(hidden),
        PDL=target.pdl,
    )


@dataclass(frozen=True)
class Parts:
    """Tensors that share a product: the first ``n`` rows of the matrix go to the first, ….

    Attributes:
        outs: ``[S, n_i]`` each, one to three; all bf16 but the first, which may be fp32.
        push: how many of them are sent to all ranks, into slots ``slot``, ``slot + 1``.
    """

    outs: tuple[Tensor, ...]
    push: int = 0
    slot: str = ""


def linear(
    target: Target,
    x: Tensor,
    w: Tensor,
    parts: Parts,
    tiles: LinearTiles,
    peers: Peers | None = None,
    x_stride: int | None = None,
) -> Any:
    """``W x``: x ``[S, K]`` bf16, W ``[N, K]`` bf16 dense."""
    outs = parts.outs
    n, k = w.shape
    widths = [out.shape[1] for out in outs]
    if sum(widths) != n or not w.is_contiguous():
        raise ValueError(f"W must be dense with {sum(widths)} rows, got {tuple(w.shape)}")
    second = widths[1] if len(outs) > 1 else 0
    if any(width % 2 for width in widths[: parts.push]):
        raise ValueError(f"parts that are sent must have even widths, got {widths}")
    # fp32 results keep few columns in a matrix unit's accumulator.
    fit = tiles.fit(k)
    if outs[0].dtype == torch.float32:
        fit = replace(fit, bk=min(fit.bk, max(16, k // 4)))
    slots = peers.slots_from(parts.slot, parts.push) if peers and parts.push else [(0, 0, 0)] * 2
    return launch(
        linear_kernel,
        (-(-n // fit.bn),),
        x,
        w,
        outs[0],
        outs[1] if len(outs) > 1 else outs[0],
        outs[2] if len(outs) > 2 else outs[0],
        x.shape[0],
        peers.epoch if peers else outs[0],
        peers.table if peers else outs[0],
        peers.rank if peers else 0,
        target=target,
        warps=fit.warps,
        stages=fit.stages,
        N=n,
        N_FIRST=widths[0],
        N_SECOND=second,
        FIRST_STRIDE=outs[0].stride(0),
        SECOND_STRIDE=outs[1].stride(0) if len(outs) > 1 else 0,
        K=k,
        X_STRIDE=x.stride(0) if x_stride is None else x_stride,
        BN=fit.bn,
        BK=fit.bk,
        EVEN=k % fit.bk == 0,
        FP32_FIRST=outs[0].dtype == torch.float32,
        PUSH=parts.push if peers else 0,
        SLOT_FIRST=slots[0][0],
        OFFSET_FIRST=slots[0][1],
        WORDS_FIRST=slots[0][2],
        OFFSET_SECOND=slots[-1][1],
        WORDS_SECOND=slots[-1][2],
        PARITY_WORDS=peers.layout.words if peers else 0,
        TP=peers.tp if peers else 1,
        PREFETCH=fit.prefetch if target.pdl else 0,
        PDL=target.pdl,
    )


def kda(
    target: Target,
    c: RankContext,
    taps: dict[str, Tensor],
    proj: Tensor,
    state_index: Tensor,
    num_accepted: Tensor,
    arrived: Tensor,
    split: int,
    warps: int,
    g1: Tensor | None = None,
) -> Any:
    """Convolution to gated norm; ``taps`` has every output by name, the pools updated in place.

    Args:
        proj: ``[S, rows]`` bf16; g1: ``[S, h·d]``, or None to compute it into ``taps["g1"]``.
        arrived: ``[R, h]`` int32, zero; zero again afterwards.
    """
    heads, d = c.shapes.kda_heads, c.config.kda_head_dim
    if c.config.short_conv_kernel_size != 4:
        raise ValueError(f"the convolution must be 4 wide, got {c.config.short_conv_kernel_size}")
    requests, rows = state_index.shape
    conv = taps["conv_state_after"]
    channel, entry = (1, 2) if c.options.conv_dim_first else (2, 1)
    state = taps["recurrent_state_after"]
    return launch(
        kda_kernel,
        (split, heads, requests),
        proj,
        taps["g1"] if g1 is None else g1,
        c.w_fb if g1 is None else proj,
        c.conv_w,
        c.a_log,
        c.dt_bias,
        c.o_norm_w,
        conv,
        state,
        state_index,
        num_accepted,
        *(taps[n] for n in ("conv", "q", "k", "decay", "beta", "o", "core")),
        arrived,
        conv.stride(0),
        conv.stride(channel),
        conv.stride(entry),
        state.stride(0),
        heads,
        c.config.gate_lower_bound or 0.0,
        target=target,
        warps=warps,
        L=rows,
        LP=NEXT_POWER(rows),
        D=d,
        INNER=heads * d,
        PROJ=proj.shape[1],
        TAPS=4,
        SPLIT=split,
        F_B=g1 is None,
        BOUNDED=c.config.gate_lower_bound is not None,
        EPS=c.eps,
        PDL=target.pdl,
    )
