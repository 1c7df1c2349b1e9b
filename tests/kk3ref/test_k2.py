"""K2, the MoE and the dense MLP as named stages, on the tiny preset."""

from collections.abc import Sequence
from functools import cache

import pytest
import torch
from torch import Tensor

from kk3ref import attn_res
from kk3ref.checkpoint import LayerWeights, SyntheticWeights
from kk3ref.formats import MXFP4, quantize_mxfp4
from kk3ref.layers import k2
from kk3ref.precision import BASELINE, CONTRACT, ORACLE, PRECISIONS, Precision, RowSource
from kk3ref.presets import preset
from kk3ref.stages import Layer, RankContext, Scope, Taps, run_layer, run_stage

CONFIG = preset("tiny")
SOURCE = SyntheticWeights(CONFIG, seed=3)
ROWS = 6
MOE_LAYER, BLOCK_WRITE_LAYER, DENSE_LAYER = 5, 4, 0
BF16 = torch.bfloat16


@cache
def contexts(index: int, tp: int) -> tuple[RankContext, ...]:
    weights = LayerWeights(SOURCE, index, tp)
    return tuple(
        RankContext(CONFIG, weights.layer, weights.shapes, r, weights.rank(r)) for r in range(tp)
    )


@cache
def inputs(tp: int) -> tuple[Taps, ...]:
    g = torch.Generator().manual_seed(11)

    def values(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=g).to(BF16)

    core = values(ROWS, CONFIG.kda_channels)
    shared = {
        "prefix": values(ROWS, CONFIG.hidden_size),
        "blocks": values(ROWS, CONFIG.num_blocks, CONFIG.hidden_size),
        "x": values(ROWS, CONFIG.hidden_size),
    }
    return tuple({"core": part, **shared} for part in core.chunk(tp, 1))


def run(layer: Layer, p: Precision, index: int, tp: int, **changed: Tensor) -> list[Taps]:
    given = [{**v, **changed} for v in inputs(tp)]
    return run_layer(layer, p, contexts(index, tp), given)


LAYERS = pytest.mark.parametrize(
    ("layer", "index"),
    [
        pytest.param(k2.K2, MOE_LAYER, id="k2"),
        pytest.param(k2.K2, BLOCK_WRITE_LAYER, id="k2-block-write"),
        pytest.param(k2.MOE, MOE_LAYER, id="moe"),
        pytest.param(k2.DENSE_MLP, DENSE_LAYER, id="dense-mlp"),
    ],
)


# -- every tap -----------------------------------------------------------------------------------


def tap_shapes(tp: int) -> dict[str, tuple[int, ...]]:
    shapes = CONFIG.shard(tp)
    h, k, latent = (
        CONFIG.hidden_size,
        CONFIG.num_experts_per_token,
        CONFIG.routed_expert_hidden_size,
    )
    local = shapes.expert_intermediate
    return {
        **dict.fromkeys(("o_partial", "attn_out", "prefix_after", "x", "sd", "final"), (h,)),
        **dict.fromkeys(("mlp_partial", "out"), (h,)),
        "logits": (CONFIG.num_experts,),
        "ids": (k,),
        "pick_weights": (k,),
        **dict.fromkeys(("lat", "moe_partial", "lat_sum", "ln"), (latent,)),
        "lat_codes": (latent // 2,),
        "lat_scales": (latent // 32,),
        "h_codes": (k, local // 2),
        "h_scales": (k, local // 32),
        "sh": (shapes.shared_intermediate,),
        "act": (shapes.dense_intermediate,),
    }


@LAYERS
@pytest.mark.parametrize("tp", [1, 8], ids=lambda tp: f"tp{tp}")
@pytest.mark.parametrize("p", PRECISIONS.values(), ids=PRECISIONS)
def test_every_tap_is_there(layer: Layer, index: int, tp: int, p: Precision) -> None:
    ranks = run(layer, p, index, tp)
    shapes = tap_shapes(tp)
    wide = CONFIG.shard(tp)
    gate_up = wide.dense_intermediate if index == DENSE_LAYER else wide.shared_intermediate
    shapes["gu"] = (2 * gate_up,)
    assert len(ranks) == tp
    for taps in ranks:
        for tap in layer.taps:
            value = taps[tap.name]
            exact_dtype = p.rounds or not tap.dtype.is_floating_point
            assert value.shape == (ROWS, *shapes[tap.name]), tap.name
            assert value.dtype == (tap.dtype if exact_dtype else torch.float64), tap.name
            assert value.double().isfinite().all(), tap.name


def test_the_stages_are_those_of_the_fused_layer() -> None:
    assert k2.K2.inputs == ("core", "prefix", "blocks")
    assert k2.MOE.inputs == k2.DENSE_MLP.inputs == ("x",)
    assert [s.name for s in k2.K2.stages if s.scope is Scope.COLLECTIVE] == [
        "attn_all_reduce",
        "latent_all_reduce",
        "final_all_reduce",
    ]
    assert k2.K2.stages[4:] == k2.MOE.stages


# -- tensor parallelism --------------------------------------------------------------------------


@LAYERS
@pytest.mark.parametrize("tp", [2, 4, 8], ids=lambda tp: f"tp{tp}")
def test_the_oracle_is_the_same_at_every_tp(layer: Layer, index: int, tp: int) -> None:
    """Hidden rows are quantised in blocks that no shard boundary cuts, so shards agree too."""
    one, many = run(layer, ORACLE, index, 1)[0], run(layer, ORACLE, index, tp)
    names = {"prefix_after", "x", "logits", "lat", "ln", "lat_sum", "out"} & set(one)
    for name in names:
        for taps in many:
            torch.testing.assert_close(taps[name], one[name], rtol=1e-11, atol=1e-12)
    if "ids" in one:
        assert torch.equal(many[-1]["ids"], one["ids"])
        for name in ("h_codes", "h_scales"):
            assert torch.equal(torch.cat([taps[name] for taps in many], -1), one[name])


@pytest.mark.parametrize("p", [CONTRACT, BASELINE], ids=lambda p: p.name)
@pytest.mark.parametrize("name", ["attn_all_reduce", "latent_all_reduce", "final_all_reduce"])
def test_collectives_sum_in_rank_order(name: str, p: Precision) -> None:
    s = k2.K2.stage(name)
    ranks = [torch.full((1, 8), v, dtype=BF16) for v in (2.0**25, 1.0, -(2.0**25), 3.0)]

    def reduced(order: list[int]) -> list[float]:
        results = run_stage(s, p, contexts(MOE_LAYER, 4), [{s.inputs[0]: ranks[r]} for r in order])
        (tap,) = s.outputs
        return [float(v[tap.name][0, 0]) for v in results]

    assert reduced([0, 1, 2, 3]) == [3.0] * 4
    assert reduced([0, 2, 1, 3]) == [4.0] * 4


# -- the maths, written another way --------------------------------------------------------------


@cache
def published(name: str) -> Tensor:
    return SOURCE.read(f"model.layers.{MOE_LAYER}.block_sparse_moe.{name}")


def moe_by_token(x: Tensor) -> Tensor:
    """The latent MoE in float64 from the published tensors, unsharded, a token at a time."""

    def expert(e: int, which: str) -> Tensor:
        parts = (published(f"experts.{e}.{which}.weight_{n}") for n in ("packed", "scale"))
        return MXFP4(*parts).dequantize(torch.float64)

    def quantised(v: Tensor) -> Tensor:
        return quantize_mxfp4(v).dequantize(torch.float64)

    def weight(name: str) -> Tensor:
        return published(f"{name}.weight").double()

    def situ(g: Tensor, u: Tensor) -> Tensor:
        return 4 * torch.tanh(g / 4) * torch.sigmoid(g) * 25 * torch.tanh(u / 25)

    rows = []
    for row in x.double():
        score = torch.sigmoid(weight("gate") @ row)
        biased = score + published("gate.e_score_correction_bias").double()
        ids = biased.topk(CONFIG.num_experts_per_token).indices
        lat = quantised(weight("routed_expert_down_proj") @ row)
        routed = torch.zeros_like(lat)
        for e in ids.tolist():
            h = quantised(situ(expert(e, "w1") @ lat, expert(e, "w3") @ lat))
            routed = routed + score[e] / score[ids].sum() * (expert(e, "w2") @ h)
        norm = routed * torch.rsqrt((routed * routed).mean() + CONFIG.rms_norm_eps)
        up = weight("routed_expert_up_proj") @ (norm * weight("routed_expert_norm"))
        shared = situ(
            weight("shared_experts.gate_proj") @ row, weight("shared_experts.up_proj") @ row
        )
        rows.append(weight("shared_experts.down_proj") @ shared + up)
    return torch.stack(rows)


@pytest.mark.parametrize("tp", [1, 8], ids=lambda tp: f"tp{tp}")
def test_the_moe_is_the_published_layer(tp: int) -> None:
    x = inputs(1)[0]["x"]
    expected = moe_by_token(x)
    assert expected.std() > 0.1
    for taps in run(k2.MOE, ORACLE, MOE_LAYER, tp):
        torch.testing.assert_close(taps["out"], expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("tp", [1, 8], ids=lambda tp: f"tp{tp}")
def test_the_dense_mlp_is_the_published_layer(tp: int) -> None:
    x = inputs(1)[0]["x"].double()
    gate, up, down = (
        SOURCE.read(f"model.layers.{DENSE_LAYER}.mlp.{n}_proj.weight").double()
        for n in ("gate", "up", "down")
    )
    g, u = x @ gate.T, x @ up.T
    expected = (4 * torch.tanh(g / 4) * torch.sigmoid(g) * 25 * torch.tanh(u / 25)) @ down.T
    assert expected.std() > 0.1
    for taps in run(k2.DENSE_MLP, ORACLE, DENSE_LAYER, tp):
        torch.testing.assert_close(taps["out"], expected, rtol=1e-11, atol=1e-12)


def test_the_mlp_read_follows_the_projected_attention() -> None:
    given = inputs(1)[0]
    taps = run(k2.K2, ORACLE, MOE_LAYER, 1)[0]
    c = contexts(MOE_LAYER, 1)[0]
    attn = given["core"].double() @ c.w_o.double().T
    prefix = given["prefix"].double() + attn
    torch.testing.assert_close(taps["prefix_after"], prefix, rtol=1e-12, atol=1e-12)
    x = attn_res.read(
        ORACLE,
        prefix,
        given["blocks"][:, : c.layer.num_blocks].double(),
        c.mlp_res_norm_w,
        c.mlp_res_q,
        c.post_norm_w,
        CONFIG.rms_norm_eps,
        CONFIG.rms_norm_eps,
    )
    torch.testing.assert_close(taps["x"], x, rtol=1e-11, atol=1e-12)


# -- block-write layers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("index", "restarts"),
    [pytest.param(BLOCK_WRITE_LAYER, True, id="block-write"), pytest.param(5, False, id="plain")],
)
def test_the_prefix_restarts_on_a_block_write_layer_only(index: int, restarts: bool) -> None:
    taps = run(k2.K2, CONTRACT, index, 2)[0]
    other = run(k2.K2, CONTRACT, index, 2, prefix=inputs(2)[0]["prefix"] * 2)[0]
    assert contexts(index, 2)[0].layer.writes_block is restarts
    assert torch.equal(taps["prefix_after"], taps["attn_out"]) is restarts
    assert torch.equal(taps["prefix_after"], other["prefix_after"]) is restarts


@pytest.mark.parametrize(
    ("index", "seen"),
    [
        pytest.param(4, 2, id="block-write-layer-4"),
        pytest.param(5, 2, id="layer-5"),
        pytest.param(8, 3, id="block-write-layer-8"),
        pytest.param(3, 1, id="layer-3"),
    ],
)
def test_the_mlp_read_sees_the_valid_blocks(index: int, seen: int) -> None:
    x = run(k2.K2, CONTRACT, index, 1)[0]["x"]
    for block in range(CONFIG.num_blocks):
        blocks = inputs(1)[0]["blocks"].clone()
        blocks[:, block] += 1
        changed = run(k2.K2, CONTRACT, index, 1, blocks=blocks)[0]["x"]
        assert torch.equal(changed, x) is (block >= seen), block


# -- precisions ----------------------------------------------------------------------------------

# One rounding to bf16 after an fp32 accumulation.
ROUNDED_ONCE = ("o_proj", "mlp_read", "latent_down", "latent_norm", "shared_up", "shared_act")
ROUNDED_ONCE += ("shared_down", "up_add")


@cache
def _stage_runs(p: Precision, tp: int = 4) -> dict[str, tuple[list[Taps], list[Taps]]]:
    """Each stage's outputs under ``p`` and the oracle's, both on the inputs ``p`` gave it."""
    ranks = run(k2.K2, p, MOE_LAYER, tp)
    return {
        s.name: (
            [{tap.name: taps[tap.name] for tap in s.outputs} for taps in ranks],
            run_stage(s, ORACLE, contexts(MOE_LAYER, tp), ranks),
        )
        for s in k2.K2.stages
    }


@pytest.mark.parametrize("p", [CONTRACT, BASELINE], ids=lambda p: p.name)
@pytest.mark.parametrize("name", ROUNDED_ONCE)
def test_a_stage_rounds_once_where_it_should(name: str, p: Precision) -> None:
    got, oracle = _stage_runs(p)[name]
    for mine, exact in zip(got, oracle, strict=True):
        for tap, o in exact.items():
            error = (mine[tap].double() - o).abs()
            fp32_noise = 1e-6 * o.abs().max()
            assert error.max() > 0
            assert (error <= 2.0**-8 * o.abs() + fp32_noise).all(), tap


@pytest.mark.parametrize("p", [CONTRACT, BASELINE], ids=lambda p: p.name)
def test_discontinuous_stages_agree_with_the_oracle_on_their_own_inputs(p: Precision) -> None:
    runs = _stage_runs(p)
    for name in ("route", "latent_quant"):
        got, oracle = runs[name]
        for tap, o in oracle[0].items():
            assert torch.equal(got[0][tap], o), tap
    got, oracle = runs["experts_up"]
    for mine, exact in zip(got, oracle, strict=True):
        # fp32 accumulation moves an element across a midpoint only by accident.
        assert (mine["h_codes"] != exact["h_codes"]).double().mean() < 1e-3
        assert torch.equal(mine["h_scales"], exact["h_scales"])


def test_contract_and_baseline_differ_only_within_their_rounding() -> None:
    contract, baseline = (run(k2.MOE, p, MOE_LAYER, 2)[0] for p in (CONTRACT, BASELINE))
    assert not torch.equal(contract["logits"], baseline["logits"])
    torch.testing.assert_close(contract["logits"], baseline["logits"], rtol=0, atol=1e-5)


@pytest.mark.parametrize("p", PRECISIONS.values(), ids=PRECISIONS)
def test_rows_do_not_mix(p: Precision) -> None:
    """A row alone has the logits and picks it has among others; sums may be ordered anew."""
    together = run(k2.MOE, p, MOE_LAYER, 2)[0]
    alone = run(k2.MOE, p, MOE_LAYER, 2, x=inputs(2)[0]["x"][2:3])[0]
    assert torch.equal(alone["ids"][0], together["ids"][2])
    torch.testing.assert_close(alone["logits"][0], together["logits"][2], rtol=0, atol=1e-5)


class Listening(Precision):
    """The contract, noting the name of every rounding point and of every sum."""

    def __init__(self) -> None:
        super().__init__("listening", torch.float32, rounds=True)
        self.rounded: set[str] = set()
        self.summed: set[str] = set()

    def round(self, x: Tensor, point: str, dtype: torch.dtype) -> Tensor:
        self.rounded.add(point)
        return super().round(x, point, dtype)

    def sum(self, x: Tensor, dim: int, point: str, keepdim: bool = False) -> Tensor:
        self.summed.add(point)
        return super().sum(x, dim, point, keepdim)

    def linear(self, x: Tensor, weight: Tensor | RowSource, point: str) -> Tensor:
        self.summed.add(point)
        return super().linear(x, weight, point)

    def einsum(self, equation: str, a: Tensor, b: Tensor, point: str) -> Tensor:
        self.summed.add(point)
        return super().einsum(equation, a, b, point)

    def rank_sum(self, parts: Sequence[Tensor], point: str) -> Tensor:
        self.summed.add(point)
        return super().rank_sum(parts, point)


def test_every_rounding_point_has_a_name_of_its_own() -> None:
    p = Listening()
    run(k2.K2, p, MOE_LAYER, 2)
    rounded = {point for point in p.rounded if point.startswith("moe.")}
    assert p.rounded - rounded == {"attn_res.prefix", "attn_res.x"}
    assert len(rounded) == 12  # of every tap that is rounded, and the fold's weighted term
    assert not p.rounded & p.summed
    assert len({point for point in p.summed if point.startswith("moe.")}) == 12
