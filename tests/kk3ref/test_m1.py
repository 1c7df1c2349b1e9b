"""M1 and the MLA layer as named stages, on the tiny preset."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from kk3ref import attn_res, mla
from kk3ref.checkpoint.shard import LayerWeights
from kk3ref.checkpoint.synthetic import SyntheticWeights
from kk3ref.layers import m1
from kk3ref.precision import BASELINE, CONTRACT, ORACLE, Precision
from kk3ref.presets import preset
from kk3ref.stages import Kind, LayerOptions, RankContext, Role, Scope, Taps, run_layer

CONFIG = preset("tiny")
SOURCE = SyntheticWeights(CONFIG, seed=5)
LAYER = 7  # MLA
PAGE = 4
CONTEXTS = (6, 0, 21)
ROWS = 3
PAGES_EACH = 6
WIDTH = CONFIG.kv_cache_dim

BF16 = LayerOptions(kv_dtype="bf16", page_size=PAGE)
FN = LayerOptions(kv_scale=0.125, query_scale=0.5, page_size=PAGE)
FNUZ = replace(FN, kv_dtype="fp8_e4m3fnuz")
FP8_CACHE_ONLY = replace(FN, fp8_query=False)
MXFP4 = replace(FN, absorb_format="mxfp4")
ALL = {"bf16": BF16, "fn": FN, "fnuz": FNUZ, "bf16-query": FP8_CACHE_ONLY, "mxfp4": MXFP4}
OPTIONS = pytest.mark.parametrize("options", ALL.values(), ids=ALL.keys())


def normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(torch.bfloat16)


@cache
def contexts(tp: int, options: LayerOptions) -> tuple[RankContext, ...]:
    weights = LayerWeights(SOURCE, LAYER, tp)
    return tuple(
        RankContext(CONFIG, weights.layer, weights.shapes, r, weights.rank(r), options)
        for r in range(tp)
    )


def block_table(padded: bool = False) -> Tensor:
    order = torch.randperm(3 * PAGES_EACH, generator=torch.Generator().manual_seed(2))
    table = (1 + order).reshape(3, PAGES_EACH).to(torch.int32)
    if padded:
        table[1] = mla.NULL_PAGE
    return table


def pools(options: LayerOptions, table: Tensor) -> list[Tensor]:
    """Each rank's latent cache with the requests' contexts in it, random elsewhere, page 0 NaN."""
    stored = mla.StoredFormat(options.kv_dtype, options.kv_scale)
    history = normal(21, 3, max(CONTEXTS), WIDTH)
    result = []
    for rank in range(options.dcp):
        pool = normal(22, 1 + 3 * PAGES_EACH, PAGE, WIDTH)
        pool[0] = math.nan
        cache_ = stored.encode(CONTRACT, CONTRACT.load(pool), "pool")
        for m, length in enumerate(CONTEXTS):
            slots = mla.slot_mapping(
                table[m : m + 1], torch.tensor([0]), length, PAGE, options.dcp, rank
            )
            kv, k_pe = history[m, :length].split(
                [CONFIG.kv_lora_rank, WIDTH - CONFIG.kv_lora_rank], 1
            )
            cache_ = mla.write_cache(CONTRACT, kv, k_pe, cache_, slots, stored)
        result.append(cache_)
    return result


def inputs(tp: int, options: LayerOptions, padded: bool = False) -> list[Taps]:
    rows = 3 * ROWS
    table = block_table(padded)
    lengths = torch.tensor(CONTEXTS, dtype=torch.int32)
    shared = {
        "prefix": normal(11, rows, CONFIG.hidden_size),
        "delta": normal(12, rows, CONFIG.hidden_size),
        "blocks": normal(13, rows, CONFIG.num_blocks, CONFIG.hidden_size),
        "x": normal(14, rows, CONFIG.hidden_size),
        "block_table": table,
        "context_len": lengths,
    }
    caches = pools(options, table)
    return [{**shared, "kv_cache": caches[r % options.dcp]} for r in range(tp)]


def run_mla(p: Precision, tp: int, options: LayerOptions, padded: bool = False) -> list[Taps]:
    layer = m1.mla_layer(options)
    return run_layer(layer, p, contexts(tp, options), inputs(tp, options, padded))


def close(a: Tensor, b: Tensor, tolerance: float = 1e-12) -> None:
    assert a.shape == b.shape
    assert bool(a.isfinite().all())
    scale = float(b.abs().max())
    assert scale > 1e-6, "nothing to compare"
    assert float((a.double() - b.double()).abs().max()) <= tolerance * scale


# -- the layer's form --------------------------------------------------------------------------


@OPTIONS
@pytest.mark.parametrize("p", [CONTRACT, BASELINE], ids=repr)
def test_every_tap_is_there(p: Precision, options: LayerOptions) -> None:
    layer = m1.m1_layer(options)
    taps = run_layer(layer, p, contexts(2, options), inputs(2, options))
    names = [tap.name for tap in layer.taps]
    assert len(names) == len(set(names))
    for values in taps:
        for tap in layer.taps:
            assert values[tap.name].dtype == tap.dtype, tap.name
    heads, rows = 4, 3 * ROWS
    shapes = {
        "proj_a": (rows, contexts(2, options)[0].shapes.mla_a_rows),
        "q": (rows, heads, CONFIG.qk_head_dim),
        "q_lat": (rows, heads, CONFIG.kv_lora_rank),
        "query": (rows, heads, WIDTH),
        "kv_cache_after": (1 + 3 * PAGES_EACH, PAGE, WIDTH),
        "o_lat": (rows, heads, CONFIG.kv_lora_rank),
        "attn": (rows, heads, CONFIG.v_head_dim),
        "core": (rows, heads * CONFIG.v_head_dim),
    }
    assert {name: tuple(taps[1][name].shape) for name in shapes} == shapes


def test_names_of_the_default_layer() -> None:
    assert [s.name for s in m1.M1.stages] == [
        *("prefix_update", "attn_read", "qkv_a", "q_norm", "kv_norm", "q_b", "absorb_q"),
        *("query_store", "cache_write", "attend", "v_up", "output_gate"),
    ]
    assert m1.M1.inputs == ("prefix", "delta", "blocks", "kv_cache", "block_table", "context_len")
    assert m1.MLA.inputs == ("x", "kv_cache", "block_table", "context_len")
    assert m1.MLA.taps[-1].name == "attn_out"
    roles = {tap.name: tap.role for tap in m1.M1.taps if tap.role is not Role.TAP}
    assert roles == {
        "prefix_after": Role.OUTPUT,
        "kv_cache_after": Role.STATE,
        "core": Role.OUTPUT,
    }


@pytest.mark.parametrize(
    ("options", "cache_kind", "query_kind"),
    [
        pytest.param(FN, Kind.FP8, Kind.FP8, id="fn"),
        pytest.param(FP8_CACHE_ONLY, Kind.FP8, Kind.EXACT, id="bf16-query"),
        pytest.param(BF16, Kind.EXACT, Kind.EXACT, id="bf16"),
    ],
)
def test_kinds_follow_the_options(
    options: LayerOptions, cache_kind: Kind, query_kind: Kind
) -> None:
    kinds = {tap.name: tap.kind for tap in m1.m1_layer(options).taps}
    assert (kinds["kv_cache_after"], kinds["query"]) == (cache_kind, query_kind)


def test_mxfp4_has_a_stage_for_each_quantisation() -> None:
    names = [s.name for s in m1.m1_layer(MXFP4).stages]
    assert names.index("absorb_quant") == names.index("absorb_q") - 1
    assert names.index("v_quant") == names.index("v_up") - 1


def test_every_wrong_option_is_named() -> None:
    wrong = LayerOptions(kv_dtype="fp8", kv_scale=0.0, absorb_format="fp4", dcp=0)
    with pytest.raises(ValueError, match=r"kv_dtype.*absorb_format.*kv_scale.*dcp"):
        m1.m1_layer(wrong)
    with pytest.raises(ValueError, match="fp8_query needs an fp8 kv_dtype"):
        m1.mla_layer(replace(BF16, fp8_query=True))


def test_context_parallel_group_must_be_the_tensor_parallel_one() -> None:
    options = replace(FN, dcp=2)
    with pytest.raises(ValueError, match=r"dcp must be 1 or tp \(4\), got 2"):
        run_layer(m1.m1_layer(options), CONTRACT, contexts(4, options), inputs(4, options))


# -- values ------------------------------------------------------------------------------------


def test_attention_against_torch() -> None:
    """The whole attention with a bf16 cache, by plain float64 matrix products."""
    taps = run_mla(ORACLE, 1, BF16)[0]
    c, x = contexts(1, BF16)[0], taps["x"].double()
    proj = x @ c.w_a.double().T
    bounds = torch.tensor([CONFIG.q_lora_rank, CONFIG.kv_lora_rank, CONFIG.qk_rope_head_dim])
    q_c, kv_c, k_pe, gate = proj.tensor_split(bounds.cumsum(0), 1)

    def norm(y: Tensor, w: Tensor) -> Tensor:
        return y / ((y**2).mean(-1, keepdim=True) + 1e-5).sqrt() * w.double()

    heads = CONFIG.num_attention_heads
    q = (norm(q_c, c.q_norm_w) @ c.w_qb.double().T).unflatten(1, (heads, -1))
    fresh = torch.cat([norm(kv_c, c.kv_norm_w), k_pe], 1)
    history = normal(21, 3, max(CONTEXTS), WIDTH).double()
    attn = []
    for m, length in enumerate(CONTEXTS):
        own = slice(m * ROWS, (m + 1) * ROWS)
        rows = torch.cat([history[m, :length], fresh[own]])
        lat, pe = rows.split([CONFIG.kv_lora_rank, CONFIG.qk_rope_head_dim], 1)
        k = torch.cat([lat @ c.w_uk.double().transpose(1, 2), pe.expand(heads, -1, -1)], -1)
        v = lat @ c.w_uv.double().transpose(1, 2)
        mask = torch.ones(ROWS, length + ROWS, dtype=torch.bool).tril(length)
        o = scaled_dot_product_attention(
            q[own].transpose(0, 1), k, v, attn_mask=mask, scale=CONFIG.qk_head_dim**-0.5
        )
        attn.append(o.transpose(0, 1).flatten(1))
    core = torch.cat(attn) * torch.sigmoid(gate)
    close(taps["core"], core)
    close(taps["attn_out"], core @ c.w_o.double().T)


@OPTIONS
@pytest.mark.parametrize("tp", [2, 4, 8])
def test_tensor_parallel_ranks_agree(tp: int, options: LayerOptions) -> None:
    one, many = run_mla(ORACLE, 1, options), run_mla(ORACLE, tp, options)
    close(torch.cat([taps["core"] for taps in many], 1), one[0]["core"])
    close(many[-1]["attn_out"], one[0]["attn_out"])
    assert all(taps["kv_cache_after"] is many[0]["kv_cache_after"] for taps in many)


@OPTIONS
@pytest.mark.parametrize("tp", [1, 2, 4, 8])
def test_context_parallel_agrees(tp: int, options: LayerOptions) -> None:
    whole = run_mla(ORACLE, tp, options)
    sharded = run_mla(ORACLE, tp, replace(options, dcp=tp))
    for mine, other in zip(sharded, whole, strict=True):
        close(mine["o_lat"], other["o_lat"])
        close(mine["core"], other["core"])


def test_context_parallel_has_empty_shards_in_contract_precision() -> None:
    """Request 1 has 3 rows over 8 ranks: at least five shards are empty for each of its rows."""
    taps = run_mla(CONTRACT, 8, replace(FN, dcp=8))
    empty = torch.stack([values["shard_lse"].isinf().all(1) for values in taps]).sum(0)
    assert empty[ROWS : 2 * ROWS].tolist() == [7, 6, 5]
    close(taps[0]["core"], run_mla(ORACLE, 8, FN)[0]["core"], 2.0**-5)


def test_parts_in_a_row_are_the_whole() -> None:
    given = inputs(2, FN)
    whole = run_layer(m1.M1, CONTRACT, contexts(2, FN), given)
    parts: list[Taps] = given
    for layer in (m1.m1a_layer(FN), m1.m1c_layer(FN), m1.m1b_layer(FN)):
        handed = {tap.name for tap in layer.taps if tap.role is not Role.TAP}
        results = run_layer(layer, CONTRACT, contexts(2, FN), parts)
        parts = [
            {**before, **{name: after[name] for name in handed}}
            for before, after in zip(parts, results, strict=True)
        ]
    for mine, other in zip(parts, whole, strict=True):
        for name in ("prefix_after", "kv_cache_after", "query", "o_lat", "core"):
            assert torch.equal(mine[name], other[name]), name


def test_read_is_the_attention_residual() -> None:
    taps = run_layer(m1.m1_layer(FN), CONTRACT, contexts(1, FN), inputs(1, FN))[0]
    c = contexts(1, FN)[0]
    prefix = (taps["prefix"].float() + taps["delta"].float()).to(torch.bfloat16)
    assert torch.equal(taps["prefix_after"], prefix)
    x = attn_res.read(
        CONTRACT,
        prefix,
        taps["blocks"][:, :2],
        c.attn_res_norm_w,
        c.attn_res_q,
        c.input_norm_w,
        1e-5,
        1e-5,
    )
    assert (c.layer.num_blocks, c.layer.writes_block) == (2, False)
    assert torch.equal(taps["x"], x)


@pytest.mark.parametrize("options", [BF16, FN, FNUZ], ids=["bf16", "fn", "fnuz"])
def test_step_split_in_two_gives_the_same_cache(options: LayerOptions) -> None:
    """Rows 0 and 1, then row 2: the pool, and what row 2 gives, are those of one step."""
    whole = run_mla(ORACLE, 1, options)[0]
    given = inputs(1, options)[0]
    layer, c = m1.mla_layer(options), contexts(1, options)
    x = given["x"].unflatten(0, (3, ROWS))
    first = run_layer(layer, ORACLE, c, [{**given, "x": x[:, :2].flatten(0, 1)}])[0]
    rest = {
        **given,
        "x": x[:, 2],
        "kv_cache": first["kv_cache_after"],
        "context_len": given["context_len"] + 2,
    }
    second = run_layer(layer, ORACLE, c, [rest])[0]
    same = torch.isclose(second["kv_cache_after"], whole["kv_cache_after"], 1e-12, 1e-12, True)
    assert bool(same.all())
    close(second["attn_out"], whole["attn_out"].unflatten(0, (3, ROWS))[:, 2])


@OPTIONS
def test_padded_request(options: LayerOptions) -> None:
    """Request 1 is padding: finite rows, no row of the pool written, the others unchanged."""
    taps = run_mla(CONTRACT, 2, options, padded=True)
    full = run_mla(CONTRACT, 2, options)
    others = [*range(ROWS), *range(2 * ROWS, 3 * ROWS)]
    before = inputs(2, options, padded=True)[0]["kv_cache"]
    after = taps[0]["kv_cache_after"]
    changed = (after != before) & ~(after.isnan() & before.isnan())
    assert int(changed.flatten(0, 1).any(1).sum()) == 2 * ROWS
    for mine, other in zip(taps, full, strict=True):
        assert bool(mine["attn_out"].isfinite().all())
        close(mine["core"][others].float(), other["core"][others].float(), 2.0**-7)


def test_fp8_query_and_scales_change_the_result() -> None:
    """None of the options is without effect."""
    base = run_mla(ORACLE, 1, FN)[0]["attn_out"]
    for options in (FNUZ, FP8_CACHE_ONLY, MXFP4, replace(FN, query_scale=0.3)):
        other = run_mla(ORACLE, 1, options)[0]["attn_out"]
        assert not torch.equal(base, other), options


def test_scopes() -> None:
    assert m1.m1_layer(FN).stage("cache_write").scope is Scope.REPLICATED
    sharded = m1.m1_layer(replace(FN, dcp=8))
    assert sharded.stage("cache_write").scope is Scope.RANK
    assert sharded.stage("merge_shards").scope is Scope.COLLECTIVE
