"""M1's builds and arguments from the reference's named tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import torch
from torch import Tensor

from kk3fast.flydsl.build import KernelBuild
from kk3fast.flydsl.layout import extent
from kk3fast.flydsl.m1.weights import absorb_weights, head_weights
from kk3fast.flydsl.m1a import M1aBuild
from kk3fast.flydsl.m1b import M1bBuild
from kk3fast.flydsl.m1c import M1cBuild
from kk3fast.flydsl.run.layer import Tensors, UnsupportedStep
from kk3fast.flydsl.run.values import Value
from kk3ref.stages import RankContext

Builds = tuple[M1aBuild, M1cBuild, M1bBuild]
RankValues = tuple[dict[str, Value], dict[str, Value], dict[str, Value]]
LATER_SLOTS = 128
"""the launch slots that K2 takes start here"""


def m1_builds(context: RankContext, inputs: Tensors, options: Mapping[str, Any]) -> Builds:
    """The builds that serve a step, in launch order: M1a, M1c, M1b.

    Raises:
        UnsupportedStep: lists every reason.
        BuildError: a parameter does not fit, or an option is of no kernel.
    """
    rows, requests = inputs["prefix"].shape[0], inputs["block_table"].shape[0]
    reasons = _reasons(context, rows, requests)
    if reasons:
        raise UnsupportedStep("M1: " + "; ".join(reasons))
    config, chosen = context.config, context.options
    common: dict[str, Any] = {
        "rows": rows,
        "heads": context.shapes.mla_heads,
        "latent": config.kv_lora_rank,
    }
    stored: dict[str, Any] = {
        "query_rows": rows // requests,
        "pe": config.qk_rope_head_dim,
        "page_size": inputs["kv_cache"].shape[1],
        "fp8_cache": chosen.kv_dtype != "bf16",
        "fp8_query": chosen.query_dtype != "bf16",
        "kv_scale": float(chosen.kv_scale),
        "query_scale": float(chosen.query_scale),
    }
    up: dict[str, Any] = {"value_dim": config.v_head_dim, "mxfp4": chosen.absorb_format == "mxfp4"}
    first = M1aBuild(
        **common,
        **stored,
        **up,
        blocks=context.layer.num_blocks,
        hidden=config.hidden_size,
        q_lora=config.q_lora_rank,
        nope=config.qk_nope_head_dim,
        eps=context.eps,
        out_eps=context.eps,
        norm_eps=context.eps,
        **_options(M1aBuild, options),
    )
    offset = extent(first.scratch())
    attention = M1cBuild(
        **common,
        **stored,
        scale=config.qk_head_dim**-0.5,
        scratch_offset=offset,
        **_options(M1cBuild, options),
    )
    last = M1bBuild(
        **common,
        **up,
        scratch_offset=extent(attention.scratch()),
        **_options(M1bBuild, options),
    )
    return first, attention, last


def _reasons(context: RankContext, rows: int, requests: int) -> list[str]:
    layer, options = context.layer, context.options
    found = []
    if layer.attention != "mla":
        found.append(f"it serves MLA layers, layer {layer.index} is {layer.attention}")
    if layer.block_index is not None:
        found.append(f"it writes no block, layer {layer.index} writes block {layer.block_index}")
    if rows > 8:
        found.append(f"a step must have at most 8 rows, got {rows}")
    if rows % requests:
        found.append(f"requests must have equal rows, got {rows} rows of {requests} requests")
    if options.kv_dtype == "fp8_e4m3fnuz":
        found.append("kv_dtype must be fp8_e4m3fn or bf16 on gfx950, got fp8_e4m3fnuz")
    if options.dcp != 1:
        found.append(f"dcp must be 1, got {options.dcp}")
    if attention_slot(context) >= LATER_SLOTS:
        found.append(f"layers and MLA layers must be at most {LATER_SLOTS} together")
    return found


def _options(kind: type[KernelBuild], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a kernel has; one that none has goes to M1a, which refuses it."""
    kinds: tuple[type[KernelBuild], ...] = (M1aBuild, M1cBuild, M1bBuild)
    known = {k: {f.name for f in fields(k)} for k in kinds}
    found = {}
    for name, value in options.items():
        if name == "plant" and value != "none":
            owner = next((k for k in kinds if value in k.PLANTS), M1aBuild)
            if owner is kind:
                found[name] = value
        elif name in known[kind] or (
            kind is M1aBuild and not any(name in n for n in known.values())
        ):
            found[name] = value
    return found


def first_slot(context: RankContext) -> int:
    """Launch slot of M1a: the layer's index, as K1's is."""
    return context.layer.index


def attention_slot(context: RankContext) -> int:
    """Launch slot of M1c, and of M1b, which has no hand-off: behind all layers, MLA layers only."""
    layers = context.config.layers
    before = [x for x in layers if x.attention == "mla" and x.index < context.layer.index]
    return len(layers) + len(before)


def m1_values(
    context: RankContext, inputs: Tensors, buffers: Tensors, builds: Builds
) -> RankValues:
    """A rank's arguments of M1a, M1c and M1b by name.

    ``query``, ``gate`` and ``o_lat`` pass from launch to launch and are allocated here; everything
    else is the caller's. W_UK and W_UV are brought into the kernels' order here too.

    Raises:
        UnsupportedStep: the cache's strides do not fit.
    """
    first = builds[0]
    prefix, cache = buffers["prefix_after"], buffers["kv_cache_after"]
    if cache.stride()[1:] != (first.width, 1) or cache.stride(0) * cache.element_size() % 16:
        raise UnsupportedStep(
            "M1: pages of the latent cache must be contiguous inside and 16 bytes apart or a "
            f"multiple, got strides {cache.stride()} of {cache.element_size()} bytes"
        )
    prefix.copy_(inputs["prefix"])  # updated in place
    rows, heads, mxfp4 = first.rows, first.heads, first.mxfp4

    def empty(*shape: int, dtype: torch.dtype = torch.bfloat16) -> Tensor:
        return torch.empty(shape, dtype=dtype, device=prefix.device)

    query = empty(
        rows, heads, first.width, dtype=torch.uint8 if first.fp8_query else torch.bfloat16
    )
    gate, o_lat = empty(rows, first.value_cols), empty(rows, heads, first.latent)
    weights = context.weights
    w_uk = absorb_weights(weights["w_uk"], mxfp4)
    w_uv = head_weights(weights["w_uv"], mxfp4)
    blocks, table = inputs["blocks"], inputs["block_table"]
    paged: dict[str, Value] = {
        "kv_cache": cache,
        "page_stride": cache.stride(0),
        "block_table": table,
        "max_pages": table.shape[1],
        "table_stride": table.stride(0),
        "context_len": inputs["context_len"],
    }
    return (
        {
            "prefix": prefix,
            "delta": inputs["delta"],
            "blocks": blocks,
            "block_row_stride": blocks.stride(0),
            "block_stride": blocks.stride(1),
            "attn_norm": weights["attn_res_norm_w"],
            "attn_query": weights["attn_res_q"],
            "input_norm": weights["input_norm_w"],
            "w_a": weights["w_a"],
            "q_norm": weights["q_norm_w"],
            "kv_norm": weights["kv_norm_w"],
            "w_qb": weights["w_qb"],
            "w_uk": w_uk.values,
            "w_uk_scales": w_uk.scales,
            **paged,
            "query": query,
            "gate": gate,
        },
        {"query": query, **paged, "o_lat": o_lat},
        {
            "o_lat": o_lat,
            "w_uv": w_uv.values,
            "w_uv_scales": w_uv.scales,
            "gate": gate,
            "core": buffers["core"],
        },
    )
