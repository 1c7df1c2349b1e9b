"""M1: an MLA layer's attention. M1a up to the stored query, M1c attention, M1b W_UV and the gate.

The stages depend on the deployment (fp8 or bf16 cache and query, bf16 or MXFP4 W_UK and W_UV,
decode context parallelism), so the layers are made by functions of :class:`LayerOptions`; the
constants are those of the default options. Run a layer with contexts of the same options.

Step inputs: ``kv_cache`` ``[pages, page_size, c+pe]`` (each rank its own shard with ``dcp > 1``),
``block_table`` ``[R, max_pages]`` int and ``context_len`` ``[R]`` int, rows before the step; see
:mod:`kk3ref.mla.cache`. A prefill of ``T`` rows is a step of one request with ``T`` rows.

``dcp > 1`` needs ``dcp = tp``: the group shares a context's rows, each rank attends its shard for
all heads, and the shards are merged. Shard outputs are rounded to bf16 (as attention kernels give
them), their ``lse`` stays fp32, and the merge is in fp32; its order over ranks is free.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from kk3ref import mla
from kk3ref.layers.k1 import attn_read, prefix_update
from kk3ref.layers.k2 import attn_all_reduce, o_proj
from kk3ref.precision import Precision, Value
from kk3ref.stages import Kind, Layer, LayerOptions, RankContext, Role, Scope, Stage, Tap, stage

FP32 = torch.float32
UINT8 = torch.uint8


def _part(c: RankContext, proj_a: Value, name: str) -> Value:
    cfg = c.config
    widths = cfg.q_lora_rank, cfg.kv_lora_rank, cfg.qk_rope_head_dim
    return mla.split_projection(proj_a, *widths)[name]


def _cache_format(options: LayerOptions) -> mla.StoredFormat:
    return mla.StoredFormat(options.kv_dtype, options.kv_scale)


def _query_format(options: LayerOptions) -> mla.StoredFormat:
    return mla.StoredFormat(options.query_dtype, options.query_scale)


# -- M1a ---------------------------------------------------------------------------------------


@stage(Tap("proj_a"))
def qkv_a(p: Precision, c: RankContext, x: Value) -> Value:
    """The fused projection q_c|kv_c|k_pe|gate; the gate is the rank's own."""
    return mla.project(p, x, c.w_a)


@stage(Tap("q_c_normed"), scope=Scope.REPLICATED)
def q_norm(p: Precision, c: RankContext, proj_a: Value) -> Value:
    """The query latent's norm."""
    return mla.norm(p, _part(c, proj_a, "q_c"), c.q_norm_w, c.eps, "q")


@stage(Tap("kv_normed"), scope=Scope.REPLICATED)
def kv_norm(p: Precision, c: RankContext, proj_a: Value) -> Value:
    """The key-value latent's norm."""
    return mla.norm(p, _part(c, proj_a, "kv_c"), c.kv_norm_w, c.eps, "kv")


@stage(Tap("q"))
def q_b(p: Precision, c: RankContext, q_c_normed: Value) -> Value:
    """The query of the rank's heads ``[S, h, nope+pe]``."""
    return mla.q_b(p, q_c_normed, c.w_qb, c.shapes.mla_heads)


@stage(Tap("q_lat"))
def absorb_q(p: Precision, c: RankContext, q: Value) -> Value:
    """The query through W_UK."""
    return mla.absorb_query(p, q[..., : c.config.qk_nope_head_dim], c.w_uk)


@stage(Tap("q_codes", UINT8, Kind.MX_CODES), Tap("q_scales", UINT8, Kind.MX_SCALES))
def absorb_quant(p: Precision, c: RankContext, q: Value) -> tuple[Value, Value]:
    """The query's nope columns in MXFP4."""
    return p.quantize_mxfp4(p.load(q[..., : c.config.qk_nope_head_dim]), "mla.q_quant")


@stage(Tap("q_lat"))
def _absorb_q(p: Precision, c: RankContext, q_codes: Tensor, q_scales: Tensor) -> Value:
    """The query through W_UK, both in MXFP4."""
    return mla.absorb_query_mxfp4(p, q_codes, q_scales, c.w_uk)


def _query_store(options: LayerOptions) -> Stage:
    form = _query_format(options)

    @stage(Tap("query", form.dtype, Kind.FP8 if form.fp8 else Kind.EXACT))
    def query_store(p: Precision, c: RankContext, q_lat: Value, q: Value) -> Value:
        """The absorbed query ``[q_lat | q_pe]`` as the attention reads it."""
        query = mla.join_query(p, q_lat, q[..., c.config.qk_nope_head_dim :])
        return _query_format(c.options).encode(p, query, "mla.query")

    return query_store


def _cache_write(options: LayerOptions) -> Stage:
    form = _cache_format(options)
    kind = Kind.FP8 if form.fp8 else Kind.EXACT
    scope = Scope.REPLICATED if options.dcp == 1 else Scope.RANK

    @stage(Tap("kv_cache_after", form.dtype, kind, Role.STATE), scope=scope)
    def cache_write(
        p: Precision,
        c: RankContext,
        kv_normed: Value,
        proj_a: Value,
        kv_cache: Tensor,
        block_table: Tensor,
        context_len: Tensor,
    ) -> Value:
        """The latent cache with the step's rows."""
        rows = kv_normed.shape[0] // block_table.shape[0]
        slots = mla.slot_mapping(
            block_table, context_len, rows, kv_cache.shape[1], c.options.dcp, _dcp_rank(c)
        )
        k_pe = _part(c, proj_a, "k_pe")
        return mla.write_cache(p, kv_normed, k_pe, kv_cache, slots, _cache_format(c.options))

    return cache_write


def _dcp_rank(c: RankContext) -> int:
    if c.options.dcp not in (1, c.tp):
        raise ValueError(f"dcp must be 1 or tp ({c.tp}), got {c.options.dcp}")
    return c.rank if c.options.dcp > 1 else 0


# -- M1c ---------------------------------------------------------------------------------------


def _attend(
    p: Precision,
    c: RankContext,
    query: Value,
    kv_cache_after: Value,
    block_table: Tensor,
    context_len: Tensor,
) -> tuple[Value, Value]:
    return mla.attend(
        p,
        query,
        kv_cache_after,
        block_table,
        context_len,
        latent=c.config.kv_lora_rank,
        scale=c.config.qk_head_dim**-0.5,
        query_format=_query_format(c.options),
        cache_format=_cache_format(c.options),
        dcp=c.options.dcp,
        dcp_rank=_dcp_rank(c),
    )


@stage(Tap("o_lat", free_padding=True))
def attend(
    p: Precision,
    c: RankContext,
    query: Value,
    kv_cache_after: Value,
    block_table: Tensor,
    context_len: Tensor,
) -> Value:
    """The attention in the latent space ``[S, h, c]``."""
    o, _ = _attend(p, c, query, kv_cache_after, block_table, context_len)
    return p.round(o, "mla.o_lat", torch.bfloat16)


def _gather_query(options: LayerOptions) -> Stage:
    form = _query_format(options)

    @stage(Tap("queries", form.dtype, Kind.EXACT), scope=Scope.COLLECTIVE)
    def gather_query(p: Precision, c: RankContext, query: list[Value]) -> Value:
        """The queries of all heads, in rank order ``[S, H, c+pe]``; fp8 bytes stay bytes."""
        queries = torch.cat(query, 1)
        return queries if form.fp8 else p.store(p.load(queries), form.dtype)

    return gather_query


@stage(Tap("shard_o", free_padding=True), Tap("shard_lse", FP32, free_padding=True))
def attend_shard(
    p: Precision,
    c: RankContext,
    queries: Value,
    kv_cache_after: Value,
    block_table: Tensor,
    context_len: Tensor,
) -> tuple[Value, Value]:
    """All heads over the rank's rows: ``[S, H, c]`` and natural log-sum-exp ``[S, H]``."""
    o, lse = _attend(p, c, queries, kv_cache_after, block_table, context_len)
    return p.round(o, "mla.shard_o", torch.bfloat16), lse


@stage(Tap("o_lat_all"), scope=Scope.COLLECTIVE)
def merge_shards(
    p: Precision, c: RankContext, shard_o: list[Value], shard_lse: list[Value]
) -> Value:
    """The shards merged by log-sum-exp, all heads ``[S, H, c]``."""
    return p.round(mla.merge(p, shard_o, shard_lse)[0], "mla.o_lat", torch.bfloat16)


@stage(Tap("o_lat", kind=Kind.EXACT))
def own_heads(p: Precision, c: RankContext, o_lat_all: Value) -> Value:
    """The rank's heads of the merged attention."""
    heads = c.shapes.mla_heads
    own = o_lat_all[:, c.rank * heads : (c.rank + 1) * heads]
    return p.store(p.load(own), torch.bfloat16)


# -- M1b ---------------------------------------------------------------------------------------


@stage(Tap("attn", free_padding=True))
def v_up(p: Precision, c: RankContext, o_lat: Value) -> Value:
    """The heads' values through W_UV ``[S, h, v]``."""
    return mla.v_up(p, o_lat, c.w_uv)


@stage(Tap("o_codes", UINT8, Kind.MX_CODES), Tap("o_scales", UINT8, Kind.MX_SCALES))
def v_quant(p: Precision, c: RankContext, o_lat: Value) -> tuple[Value, Value]:
    """The attention's latent output in MXFP4."""
    return p.quantize_mxfp4(p.load(o_lat), "mla.o_quant")


@stage(Tap("attn", free_padding=True))
def _v_up(p: Precision, c: RankContext, o_codes: Tensor, o_scales: Tensor) -> Value:
    """The heads' values through W_UV, both in MXFP4."""
    return mla.v_up_mxfp4(p, o_codes, o_scales, c.w_uv)


@stage(Tap("core", role=Role.OUTPUT, free_padding=True))
def output_gate(p: Precision, c: RankContext, attn: Value, proj_a: Value) -> Value:
    """The sigmoid output gate."""
    return mla.output_gate(p, attn, _part(c, proj_a, "gate"))


# -- layers ------------------------------------------------------------------------------------


def _checked(options: LayerOptions) -> LayerOptions:
    problems = []
    if options.kv_dtype not in mla.KV_DTYPES:
        problems.append(f"kv_dtype must be one of {mla.KV_DTYPES}, got {options.kv_dtype!r}")
    elif options.fp8_query and options.kv_dtype == "bf16":
        problems.append("fp8_query needs an fp8 kv_dtype, got 'bf16'")
    if options.absorb_format not in ("bf16", "mxfp4"):
        problems.append(f"absorb_format must be bf16 or mxfp4, got {options.absorb_format!r}")
    for name in ("kv_scale", "query_scale", "dcp", "page_size"):
        if not getattr(options, name) > 0:
            problems.append(f"{name} must be positive, got {getattr(options, name)}")
    if problems:
        raise ValueError("; ".join(problems))
    return options


def _attention_a(options: LayerOptions) -> tuple[Stage, ...]:
    mxfp4 = options.absorb_format == "mxfp4"
    absorb = (absorb_quant, _absorb_q) if mxfp4 else (absorb_q,)
    tail = (_query_store(options), _cache_write(options))
    return (qkv_a, q_norm, kv_norm, q_b, *absorb, *tail)


def _attention_c(options: LayerOptions) -> tuple[Stage, ...]:
    if options.dcp == 1:
        return (attend,)
    return (_gather_query(options), attend_shard, merge_shards, own_heads)


def _attention_b(options: LayerOptions) -> tuple[Stage, ...]:
    up = (v_quant, _v_up) if options.absorb_format == "mxfp4" else (v_up,)
    return (*up, output_gate)


def _handed_on(stages: tuple[Stage, ...], *names: str) -> tuple[Stage, ...]:
    """The stages with the named taps as results: the next launch reads them from memory."""

    def given(tap: Tap) -> Tap:
        return replace(tap, role=Role.OUTPUT) if tap.name in names else tap

    return tuple(replace(s, outputs=tuple(map(given, s.outputs))) for s in stages)


def m1a_layer(options: LayerOptions) -> Layer:
    """AttnRes read, projections, W_UK, the stored query and the cache.

    Raises:
        ValueError: lists every option that cannot be.
    """
    stages = (prefix_update, attn_read, *_attention_a(_checked(options)))
    return Layer("m1a", _handed_on(stages, "proj_a", "query"))


def m1c_layer(options: LayerOptions) -> Layer:
    """The attention; reads ``query`` and ``kv_cache_after`` of M1a."""
    return Layer("m1c", _handed_on(_attention_c(_checked(options)), "o_lat"))


def m1b_layer(options: LayerOptions) -> Layer:
    """W_UV and the gate; reads ``o_lat`` of M1c and ``proj_a`` of M1a."""
    return Layer("m1b", _attention_b(_checked(options)))


def _attention(options: LayerOptions) -> tuple[Stage, ...]:
    return (*_attention_a(_checked(options)), *_attention_c(options), *_attention_b(options))


def m1_layer(options: LayerOptions) -> Layer:
    """M1a, M1c and M1b: from prefix, delta and blocks to ``core``."""
    return Layer("m1", (prefix_update, attn_read, *_attention(options)))


def mla_layer(options: LayerOptions) -> Layer:
    """The attention alone: from ``x`` to the all-reduced output of the projection."""
    return Layer("mla", (*_attention(options), o_proj, attn_all_reduce))


M1A, M1C, M1B = (make(LayerOptions()) for make in (m1a_layer, m1c_layer, m1b_layer))
M1 = m1_layer(LayerOptions())
MLA = mla_layer(LayerOptions())
