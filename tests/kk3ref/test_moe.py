"""The latent MoE and the gated MLP: routing, MXFP4 experts, fold, shared experts, tail."""

import math

import pytest
import torch
from torch import Tensor

from kk3ref import mlp, moe
from kk3ref.formats import MXFP4, quantize_mxfp4
from kk3ref.precision import BASELINE, CONTRACT, ORACLE, PRECISIONS, Precision

BF16 = torch.bfloat16
BETA, LINEAR_BETA = 4.0, 25.0
LATENT, LOCAL, EXPERTS, PICKS = 64, 96, 12, 4

EACH_PRECISION = pytest.mark.parametrize("p", PRECISIONS.values(), ids=PRECISIONS)


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(20)


class StoredExperts:
    """Experts kept packed in one tensor."""

    def __init__(self, w13: MXFP4, w2: MXFP4):
        self._w13, self._w2 = w13, w2

    def w13(self, ids: list[int]) -> MXFP4:
        return MXFP4(self._w13.codes[ids], self._w13.scales[ids])

    def w2(self, ids: list[int]) -> MXFP4:
        return MXFP4(self._w2.codes[ids], self._w2.scales[ids])


def random_mxfp4(shape: tuple[int, ...], scale: int, g: torch.Generator, spread: int = 3) -> MXFP4:
    """Random elements; scale bytes in ``scale … scale + spread - 1``."""
    codes = torch.randint(0, 256, (*shape[:-1], shape[-1] // 2), generator=g, dtype=torch.uint8)
    blocks = (*shape[:-1], shape[-1] // 32)
    return MXFP4(codes, torch.randint(scale, scale + spread, blocks, generator=g).to(torch.uint8))


def random_experts(g: torch.Generator, spread: int = 3) -> StoredExperts:
    w13 = random_mxfp4((EXPERTS, 2 * LOCAL, LATENT), 123, g, spread)
    return StoredExperts(w13, random_mxfp4((EXPERTS, LATENT, LOCAL), 122, g, spread))


def random_ids(rows: int, g: torch.Generator) -> Tensor:
    return torch.stack([torch.randperm(EXPERTS, generator=g)[:PICKS] for _ in range(rows)]).int()


# -- routing -----------------------------------------------------------------------------------


@EACH_PRECISION
def test_ties_go_to_the_lower_expert(p: Precision) -> None:
    logits = torch.tensor([[0.0, 2.0, 0.0, 2.0, 0.0, -1.0]])
    assert moe.route(p, logits, torch.zeros(6), 4).tolist() == [[1, 3, 0, 2]]


@EACH_PRECISION
def test_a_nan_logit_ranks_last(p: Precision) -> None:
    logits = torch.tensor([[torch.nan, -80.0, 1.0, torch.nan, 2.0]])
    assert moe.route(p, logits, torch.zeros(5), 5).tolist() == [[4, 2, 1, 0, 3]]


@EACH_PRECISION
def test_picks_descend_in_biased_score(p: Precision, generator: torch.Generator) -> None:
    logits = torch.randn(8, 64, generator=generator)
    bias = torch.randn(64, generator=generator) * 0.1
    ids = moe.route(p, logits, bias, 16)
    score = torch.sigmoid(logits.double()) + bias.double()
    assert ids.dtype == torch.int32
    assert ids.tolist() == score.topk(16, -1, sorted=True).indices.tolist()


def test_the_bias_selects_but_does_not_weigh() -> None:
    logits = torch.tensor([[0.0, 1.0, 2.0]])
    bias = torch.tensor([0.9, 0.0, -0.5])  # biased scores 1.40, 0.73, 0.38
    ids = moe.route(ORACLE, logits, bias, 2)
    weights = moe.route_weights(ORACLE, logits, ids)
    assert ids.tolist() == [[0, 1]]
    s0, s1 = 0.5, 1 / (1 + math.exp(-1.0))
    expected = torch.tensor([[s0 / (s0 + s1), s1 / (s0 + s1)]], dtype=torch.float64)
    torch.testing.assert_close(weights, expected, rtol=1e-15, atol=0)


def test_weights_are_summed_in_pick_order(generator: torch.Generator) -> None:
    logits = torch.randn(64, 32, generator=generator)
    ids = moe.route(CONTRACT, logits, torch.zeros(32), 16)
    scores = torch.sigmoid(logits).gather(1, ids.long())

    def divided(order: list[int]) -> Tensor:
        total = torch.zeros(64)
        for j in order:
            total = total + scores[:, j]
        return scores / total[:, None]

    assert not torch.equal(divided(list(range(16))), divided(list(range(15, -1, -1))))
    for p in (CONTRACT, BASELINE):
        assert torch.equal(moe.route_weights(p, logits, ids), divided(list(range(16)))), p


def test_weights_scale_with_the_routing_factor() -> None:
    logits, ids = torch.tensor([[0.3, -0.7, 1.1]]), torch.tensor([[2, 0]])
    plain = moe.route_weights(CONTRACT, logits, ids)
    assert torch.equal(moe.route_weights(CONTRACT, logits, ids, 2.5), plain * 2.5)


@EACH_PRECISION
def test_router_logits_keep_what_bf16_would_drop(p: Precision) -> None:
    x = torch.tensor([[1.0, 2.0**-12]], dtype=BF16)
    logits = moe.router(p, x, torch.ones(3, 2, dtype=BF16))
    assert logits.tolist() == [[1 + 2.0**-12] * 3]


# -- SiTU and the gated MLP --------------------------------------------------------------------


def situ_formula(g: float, u: float) -> float:
    gated = BETA * math.tanh(g / BETA) / (1 + math.exp(-g))
    return gated * LINEAR_BETA * math.tanh(u / LINEAR_BETA)


def test_situ_is_the_formula_in_float64() -> None:
    points = [-30.0, -4.0, -0.5, -1e-6, 0.0, 1e-6, 0.7, 3.0, 25.0, 60.0]
    g, u = torch.cartesian_prod(*[torch.tensor(points, dtype=torch.float64)] * 2).unbind(-1)
    pairs = zip(g.tolist(), u.tolist(), strict=True)
    expected = torch.tensor([situ_formula(*pair) for pair in pairs], dtype=torch.float64)
    torch.testing.assert_close(mlp.situ(g, u, BETA, LINEAR_BETA), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("size", [1e3, 1e38, torch.inf], ids=["1e3", "1e38", "inf"])
def test_situ_saturates(size: float) -> None:
    g = torch.tensor([size, size, -size, -size])
    u = torch.tensor([size, -size, size, -size])
    bound = BETA * LINEAR_BETA
    assert mlp.situ(g, u, BETA, LINEAR_BETA).tolist() == [bound, -bound, 0.0, 0.0]


def test_activation_takes_gate_then_up_and_rounds_once() -> None:
    gate_up = torch.tensor([[1.5, -2.0, 7.0, 0.25]], dtype=BF16)
    values = [[situ_formula(1.5, 7.0), situ_formula(-2.0, 0.25)]]
    exact = torch.tensor(values, dtype=torch.float64)
    assert torch.equal(mlp.activate(CONTRACT, gate_up, BETA, LINEAR_BETA, "t"), exact.to(BF16))
    oracle = mlp.activate(ORACLE, gate_up, BETA, LINEAR_BETA, "t")
    torch.testing.assert_close(oracle, exact, rtol=1e-14, atol=0)
    assert not torch.equal(oracle, exact.to(BF16).double())


# -- MXFP4 activations -------------------------------------------------------------------------

_ELEMENTS = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0], dtype=torch.float64)


def nearest_mxfp4(x: Tensor) -> Tensor:
    """The block rule by search: smallest power of two ≥ amax/6, nearest element, ties to even."""
    blocks = x.double().unflatten(-1, (-1, 32))
    amax = blocks.abs().amax(-1, keepdim=True)
    scale = torch.where(amax > 0, torch.exp2(torch.ceil(torch.log2(amax / 6))), 1.0)
    distance = ((blocks.abs() / scale)[..., None] - _ELEMENTS).abs()
    odd = torch.arange(8) % 2  # a tie goes to the element with an even code
    code = (distance + odd * 1e-9).argmin(-1)
    return (_ELEMENTS[code] * scale).copysign(blocks).flatten(-2)


@EACH_PRECISION
def test_latent_is_quantised_by_the_block_rule(p: Precision, generator: torch.Generator) -> None:
    lat = (torch.randn(8, 128, generator=generator) * 3).to(BF16)
    lat[0, 32:64] = 0
    lat[1, :32] = torch.linspace(-6, 6, 32).to(BF16)  # amax 6: scale 1, ties at midpoints
    lat[1, :4] = torch.tensor([0.25, -0.75, 2.5, -5.0])
    codes, scales = moe.quantize_latent(p, lat)
    assert (codes.shape, scales.shape) == ((8, 64), (8, 4))
    assert torch.equal(MXFP4(codes, scales).dequantize(torch.float64), nearest_mxfp4(lat))
    assert scales[0, 1] == 0
    assert codes[0, 16:32].eq(0).all()


# -- routed experts ----------------------------------------------------------------------------


def experts_by_loop(
    p: Precision,
    lat: MXFP4,
    ids: Tensor,
    weights: Tensor,
    experts: StoredExperts,
    codes: MXFP4 | None = None,
) -> tuple[MXFP4, Tensor]:
    """The same maths one token and one pick at a time, with plain products.

    Args:
        codes: hidden rows to go on with; those of the loop if None.
    """
    rows = lat.dequantize(p.dtype)
    hidden, partial = [], []
    for s, picks in enumerate(ids.tolist()):
        row = []
        acc = torch.zeros(LATENT, dtype=p.dtype)
        for j, e in enumerate(picks):
            gate, up = (experts.w13([e]).dequantize(p.dtype)[0] @ rows[s]).chunk(2)
            h = quantize_mxfp4(mlp.situ(gate, up, BETA, LINEAR_BETA))
            row.append(h)
            if codes is not None:
                h = MXFP4(codes.codes[s, j], codes.scales[s, j])
            y = experts.w2([e]).dequantize(p.dtype)[0] @ h.dequantize(p.dtype)
            term = weights[s, j].to(p.dtype) * y
            if p.rounds:
                acc = (acc.to(BF16).float() + term.to(BF16).float()).to(BF16)
            else:
                acc = acc + term
        hidden.append(row)
        partial.append(acc)
    codes_of = torch.stack([torch.stack([h.codes for h in row]) for row in hidden])
    scales_of = torch.stack([torch.stack([h.scales for h in row]) for row in hidden])
    return MXFP4(codes_of, scales_of), torch.stack(partial)


def _ids(which: str, g: torch.Generator) -> Tensor:
    if which == "same-experts":
        return torch.tensor([[7, 2, 11, 5]]).repeat(6, 1).int()
    if which == "disjoint":
        return torch.arange(12).reshape(3, 4).int()
    if which == "one-row":
        return torch.tensor([[11, 0, 3, 9]]).int()
    return random_ids(9, g)


ROUTINGS = pytest.mark.parametrize("which", ["random", "same-experts", "disjoint", "one-row"])
CHUNKS = pytest.mark.parametrize(
    "chunk_bytes", [1, 150_000, 1 << 30], ids=["an-expert-a-chunk", "few-a-chunk", "one-chunk"]
)


@ROUTINGS
@CHUNKS
def test_experts_agree_with_the_loop_in_float64(
    which: str, chunk_bytes: int, generator: torch.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moe, "_CHUNK_BYTES", chunk_bytes)
    experts, ids = random_experts(generator), _ids(which, generator)
    lat = quantize_mxfp4(torch.randn(len(ids), LATENT, generator=generator))
    weights = torch.rand(ids.shape, generator=generator)
    codes, scales = moe.experts_up(ORACLE, lat.codes, lat.scales, ids, experts, BETA, LINEAR_BETA)
    partial = moe.experts_down(ORACLE, codes, scales, ids, weights, experts)
    hidden, expected = experts_by_loop(ORACLE, lat, ids, weights, experts)
    assert torch.equal(codes, hidden.codes)
    assert torch.equal(scales, hidden.scales)
    assert expected.std() > 0.1
    torch.testing.assert_close(partial, expected, rtol=1e-12, atol=1e-13)


@ROUTINGS
@CHUNKS
@pytest.mark.parametrize("p", [CONTRACT, BASELINE], ids=lambda p: p.name)
def test_experts_are_bit_equal_to_the_loop_where_sums_are_exact(
    p: Precision,
    which: str,
    chunk_bytes: int,
    generator: torch.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With one scale a weight, fp32 sums of these products are exact in any order."""
    monkeypatch.setattr(moe, "_CHUNK_BYTES", chunk_bytes)
    experts, ids = random_experts(generator, spread=1), _ids(which, generator)
    lat = random_mxfp4((len(ids), LATENT), 126, generator, spread=1)
    h = random_mxfp4((*ids.shape, LOCAL), 126, generator, spread=1)
    weights = torch.rand(ids.shape, generator=generator)
    up = moe.experts_up(p, lat.codes, lat.scales, ids, experts, BETA, LINEAR_BETA)
    partial = moe.experts_down(p, h.codes, h.scales, ids, weights, experts)
    hidden, expected = experts_by_loop(p, lat, ids, weights, experts, h)
    assert torch.equal(up[0], hidden.codes)
    assert torch.equal(up[1], hidden.scales)
    assert partial.dtype == BF16
    assert torch.equal(partial, expected)


class CountingExperts(StoredExperts):
    """Experts that note which are asked for, a list a call."""

    def __init__(self, experts: StoredExperts):
        super().__init__(experts._w13, experts._w2)
        self.asked: list[list[int]] = []

    def w13(self, ids: list[int]) -> MXFP4:
        self.asked.append(ids)
        return super().w13(ids)


def test_only_picked_experts_are_decoded_and_only_once(generator: torch.Generator) -> None:
    experts = CountingExperts(random_experts(generator))
    ids = torch.tensor([[4, 9, 1, 7], [9, 1, 4, 2]]).int()
    lat = quantize_mxfp4(torch.randn(2, LATENT, generator=generator))
    moe.experts_up(ORACLE, lat.codes, lat.scales, ids, experts, BETA, LINEAR_BETA)
    probe, *chunks = experts.asked  # the first call only asks for the shape
    assert probe == [1]
    assert sorted(e for chunk in chunks for e in chunk) == [1, 2, 4, 7, 9]


@pytest.mark.parametrize("p", [CONTRACT, ORACLE], ids=lambda p: p.name)
def test_dense_experts_stay_within_the_budget(
    p: Precision, generator: torch.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moe, "_CHUNK_BYTES", 400_000)
    experts = CountingExperts(random_experts(generator))
    ids = random_ids(16, generator)
    lat = quantize_mxfp4(torch.randn(16, LATENT, generator=generator))
    moe.experts_up(p, lat.codes, lat.scales, ids, experts, BETA, LINEAR_BETA)
    dense = [len(chunk) * 2 * LOCAL * LATENT * p.dtype.itemsize for chunk in experts.asked[1:]]
    assert 200_000 < max(dense) <= 400_000


# -- fold --------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [CONTRACT, BASELINE], ids=lambda p: p.name)
def test_the_fold_rounds_every_add_in_pick_order(p: Precision) -> None:
    one = torch.ones(1, 3)
    large_first = torch.tensor([[[256.0], [1.0], [1.0]]])  # bf16 spacing at 256 is 2: ones are lost
    assert moe.fold(p, large_first, one).tolist() == [[256.0]]
    assert moe.fold(p, large_first.flip(1), one).tolist() == [[258.0]]
    assert moe.fold(ORACLE, large_first, one).tolist() == [[258.0]]


def test_the_fold_rounds_the_weighted_term_first() -> None:
    y = torch.tensor([[[1.0], [1 + 2.0**-8]]])
    weights = torch.tensor([[2.0**-7, 1.0]])
    # The term 1 + 2^-8 rounds to 1; unrounded, the sum would round to 1 + 2^-6.
    assert moe.fold(CONTRACT, y, weights).tolist() == [[1 + 2.0**-7]]
    assert torch.tensor(1 + 2.0**-7 + 2.0**-8).to(BF16) == 1 + 2.0**-6


# -- tail --------------------------------------------------------------------------------------


def test_latent_norm_is_the_formula_rounded_once(generator: torch.Generator) -> None:
    lat = (torch.randn(5, 96, generator=generator) * 1e-3).to(BF16)  # epsilon weighs in
    weight = torch.rand(96, generator=generator).to(BF16)
    x = lat.double()
    exact = x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight.double()
    torch.testing.assert_close(
        moe.latent_norm(ORACLE, lat, weight, 1e-5), exact, rtol=1e-12, atol=0
    )
    error = (moe.latent_norm(CONTRACT, lat, weight, 1e-5).double() - exact).abs()
    assert (error <= (2.0**-8 + 1e-6) * exact.abs()).all()


@pytest.mark.parametrize("first", [0, 4, 12], ids=lambda f: f"from-{f}")
def test_up_is_added_unrounded_on_the_own_columns_only(first: int) -> None:
    ln = torch.tensor([[1.0, 2.0**-8]], dtype=BF16)
    w_up = torch.ones(4, 2, dtype=BF16)  # up = 1 + 2^-8, which bf16 would round to 1
    sd = torch.full((1, 16), 2.0**-8, dtype=BF16)
    final = moe.up_add(CONTRACT, ln, sd, w_up, first)
    expected = sd.clone()
    expected[:, first : first + 4] = 1 + 2.0**-7
    assert final.dtype == BF16
    assert torch.equal(final, expected)


@pytest.mark.parametrize("p", [CONTRACT, BASELINE], ids=lambda p: p.name)
def test_ranks_are_summed_in_fp32_and_in_rank_order(p: Precision) -> None:
    big, one = torch.tensor([[2.0**25]], dtype=BF16), torch.ones(1, 1, dtype=BF16)
    assert moe.all_reduce(p, [big, one, -big], "t").tolist() == [[0.0]]
    assert moe.all_reduce(p, [big, -big, one], "t").tolist() == [[1.0]]
    assert moe.all_reduce(ORACLE, [big, one, -big], "t").tolist() == [[1.0]]
    # Rounded once, not at every add: 256 + 1 + 1 survives.
    ranks = [torch.tensor([[v]], dtype=BF16) for v in (256.0, 1.0, 1.0)]
    assert moe.all_reduce(p, ranks, "t").tolist() == [[258.0]]
