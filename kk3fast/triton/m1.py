"""M1: one rank's launches of an MLA layer's attention, from the prefix to ``core``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from kk3fast.triton import launches
from kk3fast.triton.launches import Built, Parts
from kk3fast.triton.mla import (
    absorb_kernel,
    attend_kernel,
    merge_kernel,
    mla_norm_kernel,
    v_up_kernel,
)
from kk3fast.triton.target import NEXT_POWER, Target, launch
from kk3fast.triton.tuning import M1Tiles
from kk3ref.stages import RankContext

Named = Mapping[str, Tensor]


class M1:
    """AttnRes read, projections, cache write, attention, W_UV and gate, in eight launches.

    Args:
        context: the rank's weights, on the device.
        target: see :func:`kk3fast.triton.target.target_of`.

    Raises:
        ValueError: lists every option or shape that the kernels do not have.
    """

    def __init__(self, context: RankContext, target: Target, tiles: M1Tiles | None = None):
        self.c, self.target = context, target
        self.tiles = tiles or M1Tiles()
        self.built: Built = []
        problems = unsupported(context)
        if problems:
            raise ValueError("; ".join(problems))
        self._parts: dict[tuple[int, int], tuple[Tensor, Tensor]] = {}

    def taps(self, rows: int) -> dict[str, Tensor]:
        """Unwritten tensors for every inner tap of a step of ``rows`` rows."""
        c, s = self.c.config, self.c.shapes
        like = self.c.w_a.new_empty
        heads, kv, pe = s.mla_heads, c.kv_lora_rank, c.qk_rope_head_dim
        query = torch.uint8 if self.c.options.query_dtype != "bf16" else torch.bfloat16
        return {
            "x": like(rows, c.hidden_size),
            "proj_a": like(rows, s.mla_a_rows),
            "q_c_normed": like(rows, c.q_lora_rank),
            "kv_normed": like(rows, kv),
            "q": like(rows, heads, c.qk_head_dim),
            "q_lat": like(rows, heads, kv),
            "query": like(rows, heads, kv + pe, dtype=query),
            "o_lat": like(rows, heads, kv),
            "attn": like(rows, heads, c.v_head_dim),
        }

    def __call__(self, inputs: Named, buffers: Named, taps: Named | None = None) -> Named:
        """Run; ``buffers`` holds the outputs and the cache, which is updated in place."""
        c, tiles = self.c, self.tiles
        rows = inputs["prefix"].shape[0]
        t = dict(self.taps(rows) if taps is None else taps) | dict(buffers)
        heads, nope = c.shapes.mla_heads, c.config.qk_nope_head_dim
        kv, pe, v = c.config.kv_lora_rank, c.config.qk_rope_head_dim, c.config.v_head_dim
        q_rank, width = c.config.q_lora_rank, c.shapes.mla_a_rows
        options = c.options
        fp8, q_fp8 = options.kv_dtype != "bf16", options.query_dtype != "bf16"
        table, context_len, cache = (
            inputs["block_table"],
            inputs["context_len"],
            t["kv_cache_after"],
        )
        requests = table.shape[0]
        length = rows // requests
        common: dict[str, Any] = {"target": self.target, "PDL": self.target.pdl}
        self.built = [
            launches.attn_res(
                self.target,
                inputs["prefix"],
                inputs["delta"],
                t["prefix_after"],
                inputs["blocks"],
                c.layer.num_blocks,
                (c.attn_res_norm_w, c.attn_res_q, c.input_norm_w),
                t["x"],
                c.eps,
                -1,
                tiles.attn_warps,
            ),
            launches.linear(self.target, t["x"], c.w_a, Parts((t["proj_a"],)), tiles.qkv_a),
            launch(
                mla_norm_kernel,
                (2, rows),
                t["proj_a"],
                c.q_norm_w,
                c.kv_norm_w,
                t["q_c_normed"],
                t["kv_normed"],
                cache,
                table,
                context_len,
                cache.stride(0),
                cache.stride(1),
                table.shape[1],
                options.kv_scale,
                PROJ=width,
                Q=q_rank,
                Q_WIDE=NEXT_POWER(q_rank),
                KV=kv,
                PE=pe,
                L=length,
                PAGE=cache.shape[1],
                FP8=fp8,
                SCALED=options.kv_scale != 1.0,
                EPS=c.eps,
                **common,
            ),
            launches.linear(
                self.target, t["q_c_normed"], c.w_qb, Parts((t["q"].view(rows, -1),)), tiles.q_b
            ),
            launch(
                absorb_kernel,
                (kv // min(kv, tiles.columns), heads),
                t["q"],
                c.w_uk,
                t["q_lat"],
                t["query"],
                rows,
                heads,
                options.query_scale,
                NOPE=nope,
                KV=kv,
                PE=pe,
                BC=min(kv, tiles.columns),
                FP8=q_fp8,
                SCALED=options.query_scale != 1.0,
                **common,
            ),
            *self.attention(t["query"], cache, table, context_len, t["o_lat"]),
            launch(
                v_up_kernel,
                (v // min(v, tiles.values), heads),
                t["o_lat"],
                c.w_uv,
                t["proj_a"],
                t["attn"],
                t["core"],
                rows,
                heads,
                KV=kv,
                V=v,
                BV=min(v, tiles.values),
                PROJ=width,
                GATE=q_rank + kv + pe,
                **common,
            ),
        ]
        return t

    def attention(
        self, query: Tensor, cache: Tensor, table: Tensor, context_len: Tensor, o_lat: Tensor
    ) -> Built:
        """The attention alone: two launches, from the stored query to ``o_lat``."""
        c, tiles, options = self.c, self.tiles, self.c.options
        rows, heads = query.shape[:2]
        kv, pe = c.config.kv_lora_rank, c.config.qk_rope_head_dim
        requests = table.shape[0]
        length = rows // requests
        capacity = table.shape[1] * cache.shape[1]
        splits = max(1, min(tiles.splits, -(-capacity // (2 * tiles.keys))))
        fp8, q_fp8 = options.kv_dtype != "bf16", options.query_dtype != "bf16"
        kv_scale = options.kv_scale if fp8 else 1.0
        scale = c.config.qk_head_dim**-0.5 * kv_scale * (options.query_scale if q_fp8 else 1.0)
        key = (splits, rows)
        if key not in self._parts:
            new = o_lat.new_empty
            self._parts[key] = (
                new(splits, rows * heads, kv, dtype=torch.float32),
                new(splits, rows * heads, dtype=torch.float32),
            )
        part_o, part_lse = self._parts[key]
        queries = min(tiles.queries, max(16, NEXT_POWER(length * heads)))
        return [
            launch(
                attend_kernel,
                (splits, -(-length * heads // queries), requests),
                query,
                cache,
                table,
                context_len,
                part_o,
                part_lse,
                cache.stride(0),
                cache.stride(1),
                table.shape[1],
                heads,
                scale,
                kv_scale,
                target=self.target,
                warps=tiles.warps,
                KV=kv,
                PE=pe,
                L=length,
                PAGE=cache.shape[1],
                SPLITS=splits,
                BM=queries,
                BKV=tiles.keys,
                Q_FP8=q_fp8,
                FP8=fp8,
                PTX=self.target.ptx,
                PDL=self.target.pdl,
            ),
            launch(
                merge_kernel,
                (rows * heads,),
                part_o,
                part_lse,
                o_lat,
                target=self.target,
                SPLITS=splits,
                WIDE=NEXT_POWER(splits),
                KV=kv,
                PDL=self.target.pdl,
            ),
        ]


def unsupported(c: RankContext) -> list[str]:
    """Every option or shape of a layer that the kernels do not have."""
    options, problems = c.options, []
    if options.kv_dtype not in ("fp8_e4m3fn", "bf16"):
        problems.append(f"kv_dtype must be fp8_e4m3fn or bf16, got {options.kv_dtype}")
    if options.absorb_format != "bf16":
        problems.append(f"absorb_format must be bf16, got {options.absorb_format}")
    if options.dcp != 1:
        problems.append(f"dcp must be 1, got {options.dcp}")
    widths = {
        "kv_lora_rank": c.config.kv_lora_rank,
        "qk_nope_head_dim": c.config.qk_nope_head_dim,
        "qk_rope_head_dim": c.config.qk_rope_head_dim,
        "v_head_dim": c.config.v_head_dim,
    }
    problems += [
        f"{name} must be a power of two of at least 16, got {width}"
        for name, width in widths.items()
        if width < 16 or width & (width - 1)
    ]
    return problems
