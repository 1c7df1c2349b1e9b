"""The bound policy: rounding points and reductions, sound and no wider than they must be."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from kk3ref.formats import quantize_mxfp4
from kk3ref.precision import BASELINE, CONTRACT, ORACLE, Precision
from verify.bounds import Bounded, BoundPolicy, CodePool, CodeRange, PickScores, magnitude
from verify.bounds.functions import U32
from verify.bounds.policy import FAILURE_PROBABILITY, gamma

F64, BF16 = torch.float64, torch.bfloat16
POLICY = BoundPolicy()


def normal(*shape: int, seed: int = 0, scale: float = 1.0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * scale


def assert_inside(bounded: Bounded, candidate: Tensor) -> float:
    """Returns the largest share of the bound that was used."""
    share = (candidate.double() - bounded.value).abs() / bounded.total()
    assert (share <= 1).all(), f"{float(share.max())} of the bound"
    return float(share.max())


# -- gamma ---------------------------------------------------------------------------------------


def lam(n: int, outputs: int) -> float:
    return math.sqrt(2 * math.log(2 * n * outputs / FAILURE_PROBABILITY))


@pytest.mark.parametrize("n", [1, 2, 10, 40])
def test_gamma_of_a_short_sum_is_the_worst_case(n: int) -> None:
    assert gamma(n, 1000) == n * U32 / (1 - n * U32)


@pytest.mark.parametrize("n", [200, 7168, 1 << 20])
@pytest.mark.parametrize("outputs", [1, 100_000])
def test_gamma_of_a_long_sum_is_the_probabilistic_form(n: int, outputs: int) -> None:
    assert gamma(n, outputs) == pytest.approx(lam(n, outputs) * math.sqrt(n) * U32, rel=1e-3)
    assert gamma(n, outputs) < n * U32


@given(n=st.integers(1, 1 << 26), outputs=st.integers(1, 1 << 30))
def test_gamma_is_the_smaller_form_and_positive(n: int, outputs: int) -> None:
    likely = math.expm1(lam(n, outputs) * math.sqrt(n) * U32 / (1 - U32) + n * U32**2 / (1 - U32))
    worst = n * U32 / (1 - n * U32) if n * U32 < 1 else math.inf
    assert gamma(n, outputs) == pytest.approx(min(worst, likely), rel=1e-9)


def test_gamma_grows_with_terms_and_outputs() -> None:
    assert gamma(1000, 10) < gamma(1001, 10) < gamma(1001, 10_000)


@pytest.mark.parametrize("n", [1 << 24, (1 << 24) + 1, 1 << 26])
def test_gamma_where_the_worst_case_has_no_value(n: int) -> None:
    assert 0 < gamma(n, 1) < 1


def test_gamma_of_an_empty_sum() -> None:
    assert POLICY.sum(torch.zeros(2, 0), 1, "p").total().max() < 1e-30


# -- rounding points -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [BF16, torch.float16, torch.float32], ids=str)
def test_one_rounding_attains_its_bound(dtype: torch.dtype) -> None:
    x = normal(100_000).double() + normal(100_000, seed=1).double() * 2.0**-30
    share = assert_inside(POLICY.round(x, "p", dtype), x.to(dtype))
    assert share > 0.9


@pytest.mark.parametrize("value", [0.0, 2.0**-133, 1.4 * 2.0**-133, 2.0**-130, 3.3e38, -1.0])
def test_rounding_at_the_ends_of_bf16(value: float) -> None:
    x = torch.tensor([value], dtype=torch.float32)
    assert_inside(POLICY.round(x, "p", BF16), x.to(BF16))


def test_rounding_counts_the_error_that_came_in() -> None:
    """The candidate rounds its own value, which may be larger than the oracle's."""
    one = torch.ones(1, dtype=F64)
    x = POLICY.round(Bounded(one, {"in": 0.25 * one}), "out", BF16)
    assert x.errors["in"].item() == 0.25
    assert x.errors["out"].item() == pytest.approx(2.0**-8 * 1.25)


def test_two_passes_through_a_point_add_up() -> None:
    x = POLICY.round(POLICY.round(torch.ones(1), "p", BF16), "p", BF16)
    assert list(x.errors) == ["p"]
    assert x.total().item() > 1.99 * 2.0**-8


def test_loading_and_storing_are_moves() -> None:
    x = normal(5).bfloat16()
    loaded = POLICY.store(POLICY.load(x), BF16)
    assert torch.equal(loaded.value, x.double())
    assert loaded.errors == {}


def test_magnitude() -> None:
    x = Bounded(torch.tensor([-2.0], dtype=F64), {"p": torch.tensor([0.5], dtype=F64)})
    assert magnitude(x).item() == 2.5
    assert magnitude(torch.tensor([-2.0])).item() == 2.0


# -- reductions ----------------------------------------------------------------------------------


def in_order(x: Tensor, order: Tensor) -> Tensor:
    """fp32 sum of the last axis, one term after the other."""
    total = torch.zeros(x.shape[:-1])
    for i in order.tolist():
        total = total + x[..., i]
    return total


def orders(x: Tensor) -> dict[str, Tensor]:
    n = x.shape[-1]
    return {
        "forward": torch.arange(n),
        "reverse": torch.arange(n).flip(0),
        "descending": x[0].abs().argsort(descending=True),
        "ascending": x[0].abs().argsort(),
        "by sign": x[0].argsort(),
        "random": torch.randperm(n, generator=torch.Generator().manual_seed(5)),
    }


TERMS = {
    "normal": lambda n: normal(64, n),
    "positive": lambda n: normal(64, n).abs(),
    "wide": lambda n: normal(64, n) * torch.exp(4 * normal(64, n, seed=1)),
    "cancelling": lambda n: torch.cat([a := 1e6 * normal(64, n // 2), -a + normal(64, n // 2)], -1),
}


@pytest.mark.parametrize("n", [2, 32, 1000])
@pytest.mark.parametrize("terms", TERMS)
def test_sums_in_any_order_stay_inside(terms: str, n: int) -> None:
    x = TERMS[terms](n)
    bounded = POLICY.sum(x, -1, "p")
    for order in orders(x).values():
        assert_inside(bounded, in_order(x, order))
    for policy in (CONTRACT, BASELINE):
        assert_inside(bounded, policy.sum(x, -1, "p"))


@pytest.mark.parametrize("n", [32, 1000, 7168])
def test_sums_are_not_wider_than_the_deterministic_bound(n: int) -> None:
    x = normal(8, n)
    bound = POLICY.sum(x, -1, "p").total()
    deterministic = n * U32 / (1 - n * U32) * x.double().abs().sum(-1)
    assert (bound <= deterministic * (1 + 1e-9)).all()
    assert (bound >= deterministic * min(1.0, 5 / math.sqrt(n))).all()


def test_a_few_terms_attain_a_good_part_of_the_bound() -> None:
    x = normal(100_000, 2).abs()
    assert assert_inside(POLICY.sum(x, -1, "p"), x.sum(-1)) > 0.4


def test_errors_of_the_terms_add_up_in_a_sum() -> None:
    x = torch.tensor([[1.0, -2.0, 3.0]], dtype=F64)
    bounded = POLICY.sum(Bounded(x, {"in": torch.tensor(0.1, dtype=F64)}), 1, "p", keepdim=True)
    assert bounded.shape == (1, 1)
    assert bounded.errors["in"].item() == pytest.approx(0.3)
    assert bounded.errors["p"].item() == pytest.approx(gamma(3, 1) * 6.3)


def test_a_mean_is_the_sum_over_the_count() -> None:
    x = normal(4, 96)
    bounded = POLICY.mean(x, -1, "p", keepdim=True)
    assert bounded.shape == (4, 1)
    for candidate in (x.mean(-1, keepdim=True), x.sum(-1, keepdim=True) * (1 / 96)):
        assert_inside(bounded, candidate)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 32, 1500])
def test_linear_stays_inside(k: int, seed: int) -> None:
    x, w = normal(5, k, seed=seed).bfloat16(), normal(40, k, seed=seed + 9).bfloat16()
    bounded = POLICY.linear(x, w, "p")
    torch.testing.assert_close(bounded.value, x.double() @ w.double().T)
    for policy in (CONTRACT, BASELINE):
        assert_inside(bounded, policy.linear(x, w, "p"))
    products = x.float()[:, None] * w.float()
    for order in orders(products[0]).values():
        assert_inside(bounded, in_order(products, order))
    deterministic = (k + 1) * U32 / (1 - (k + 1) * U32) * (x.double().abs() @ w.double().abs().T)
    assert (bounded.total() <= deterministic * (1 + 1e-9)).all()


def test_linear_passes_the_errors_of_its_input_on() -> None:
    """A corner of the input's box that aligns with a row of the weight attains the bound."""
    x, w = normal(1, 64).double(), normal(7, 64, seed=1).bfloat16()
    e = 0.01 * x.abs()
    bounded = POLICY.linear(Bounded(x, {"in": e}), w, "p")
    size = (x.abs() + e) @ w.double().abs().T
    torch.testing.assert_close(bounded.errors["p"], gamma(65, 7) * size, rtol=1e-9, atol=1e-30)
    for row in range(7):
        moved = ((x + e * w[row].sign()) @ w.double().T)[:, row]
        share = (moved - bounded.value[:, row]).abs() / bounded.errors["in"][:, row]
        assert share.item() == pytest.approx(1)


def test_linear_in_chunks_and_with_encoded_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    x = Bounded(normal(3, 64).double(), {"in": normal(3, 64, seed=2).abs().double() * 0.01})
    w = quantize_mxfp4(normal(24, 64, seed=1))
    whole = POLICY.linear(x, w.dequantize(torch.float32), "p")
    monkeypatch.setattr("kk3ref.precision._CHUNK_ELEMENTS", 5 * 64)
    chunked = POLICY.linear(x, w, "p")
    torch.testing.assert_close(chunked.value, whole.value)
    torch.testing.assert_close(chunked.total(), whole.total())


@pytest.mark.parametrize("scale", [1e-19, 1e-22, 1e-24])
def test_products_that_underflow_are_inside(scale: float) -> None:
    x, w = normal(3, 40, scale=scale), normal(5, 40, seed=1, scale=scale)
    flushed = torch.zeros(3, 5)
    for bounded in (POLICY.linear(x, w, "p"), POLICY.einsum("ab,cb->ac", x, w, "p")):
        assert_inside(bounded, CONTRACT.linear(x, w, "p"))
        assert scale > 1e-20 or assert_inside(bounded, flushed) >= 0


EQUATIONS = {
    "contracted": ("ab,cb->ac", (3, 50), (4, 50), 50),
    "batched": ("rhvk,rhk->rhv", (2, 3, 4, 32), (2, 3, 32), 32),
    "two contracted": ("abc,bc->a", (3, 5, 7), (5, 7), 35),
    "summed in one only": ("ab,c->ac", (3, 50), (4,), 50),
    "none": ("ab,cb->abc", (3, 5), (4, 5), 1),
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_einsum_stays_inside_and_counts_its_terms(name: str) -> None:
    equation, left, right, n = EQUATIONS[name]
    a, b = normal(*left), normal(*right, seed=1)
    bounded = POLICY.einsum(equation, a, b, "p")
    assert_inside(bounded, torch.einsum(equation, a, b))
    if name in ("contracted", "batched"):
        assert_inside(bounded, BASELINE.einsum(equation, a, b, "p"))
    size = torch.einsum(equation, a.double().abs(), b.double().abs())
    expected = gamma(n + 1, size.numel()) * size
    torch.testing.assert_close(bounded.total(), expected, rtol=1e-6, atol=1e-30)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**31), relative=st.sampled_from([2.0**-8, 0.1, 2.0]))
def test_einsum_of_uncertain_operands(seed: int, relative: float) -> None:
    g = torch.Generator().manual_seed(seed)
    a, b = (torch.randn(shape, generator=g, dtype=F64) for shape in ((2, 3, 4, 8), (2, 3, 8)))
    ea, eb = relative * a.abs(), relative * b.abs()
    bounded = POLICY.einsum("rhvk,rhk->rhv", Bounded(a, {"a": ea}), Bounded(b, {"b": eb}), "p")
    # The corner in which every product grows is the worst one.
    outward = torch.einsum("rhvk,rhk->rhv", a + ea * a.sign(), b + eb * b.sign())
    anywhere = torch.einsum(
        "rhvk,rhk->rhv",
        a + ea * (2 * torch.rand(a.shape, generator=g) - 1),
        b + eb * (2 * torch.rand(b.shape, generator=g) - 1),
    )
    assert_inside(bounded, outward)
    assert_inside(bounded, anywhere)


@pytest.mark.parametrize("tp", [1, 2, 8])
def test_rank_sum_stays_inside(tp: int) -> None:
    parts = [normal(4, 6, seed=r).bfloat16() for r in range(tp)]
    bounded = POLICY.rank_sum(parts, "p")
    assert_inside(bounded, CONTRACT.rank_sum(parts, "p"))
    assert_inside(bounded, CONTRACT.rank_sum(parts[::-1], "p"))


@pytest.mark.parametrize("policy", [CONTRACT, BASELINE], ids=lambda p: p.name)
@pytest.mark.parametrize("scale", [1e-20, 1e-3, 1.0, 30.0, 1e4])
def test_shared_compositions_stay_inside(policy: Precision, scale: float) -> None:
    x = normal(16, 40, scale=scale).bfloat16()
    loaded = policy.load(x)
    assert_inside(POLICY.rms_scale(POLICY.load(x), 1e-5, "p"), policy.rms_scale(loaded, 1e-5, "p"))
    assert_inside(POLICY.softmax(POLICY.load(x), 1, "p"), policy.softmax(loaded, 1, "p"))


@pytest.mark.parametrize("eps", [1e-5, 1.0])
@pytest.mark.parametrize("relative", [0.0, 2.0**-10, 0.3, 1.0, 30.0])
def test_rms_scale_of_uncertain_values_is_sound_and_finite(relative: float, eps: float) -> None:
    """Also where the error exceeds the value: a mean of squares stays above zero."""
    x = normal(100, 32, scale=0.1).double()
    e = relative * x.abs()
    bounded = POLICY.rms_scale(Bounded(x, {"in": e}), eps, "p")
    assert bounded.total().isfinite().all()
    inward = x - torch.minimum(e, x.abs()) * x.sign()
    corners = [inward, x + e * x.sign()]
    corners += [x + e * normal(100, 32, seed=seed).clamp(-1, 1) for seed in range(5)]
    for moved in corners:
        assert_inside(bounded, ORACLE.rms_scale(moved, eps, "p"))
        if moved is not inward:  # fp32 rounds the inward end past the interval
            assert_inside(bounded, CONTRACT.rms_scale(moved.float() * (1 - 2.0**-22), eps, "p"))


def test_rms_scale_without_epsilon_is_unbounded_where_it_must_be() -> None:
    x = Bounded(torch.ones(1, 4, dtype=F64), {"in": torch.ones(1, 4, dtype=F64)})
    assert POLICY.rms_scale(x, 0.0, "p").total().item() == math.inf
    assert POLICY.rms_scale(x.value, 0.0, "p").total().item() < 64 * U32


@pytest.mark.parametrize("relative", [2.0**-10, 0.05, 0.5])
def test_softmax_of_uncertain_logits(relative: float) -> None:
    """The shift is the oracle's maximum, the candidate's is another: it cancels."""
    x = normal(200, 6).double()
    e = relative * (1 + x.abs())
    bounded = POLICY.softmax(Bounded(x, {"in": e}), 1, "p")
    for seed in range(20):
        moved = x + e * normal(200, 6, seed=seed).sign()
        assert_inside(bounded, CONTRACT.softmax(moved.float(), 1, "p"))
        assert_inside(bounded, ORACLE.softmax(moved, 1, "p"))


def test_softmax_is_not_absurdly_wide() -> None:
    bounded = POLICY.softmax(POLICY.load(normal(50, 13)), 1, "p")
    assert (bounded.total() <= 64 * U32 * bounded.value).all()


# -- discontinuous points ------------------------------------------------------------------------


def test_discontinuous_points_give_what_they_are_judged_by() -> None:
    scores = POLICY.top_k(normal(3, 8), 2, "p")
    assert isinstance(scores, PickScores)
    assert scores.shape == (3, 2)
    codes, scales = POLICY.quantize_mxfp4(normal(3, 64), "p")
    assert (codes.shape, scales.shape) == ((3, 32), (3, 2))
    assert (codes.part, scales.part) == ("codes", "scales")


@pytest.mark.parametrize(("scale", "exact"), [(1.0, True), (0.3, False)])
def test_fp8_counts_the_division_by_its_scale(scale: float, exact: bool) -> None:
    codes = POLICY.quantize_fp8(normal(3, 8).bfloat16(), scale, "fp8_e4m3fn", "p")
    assert isinstance(codes, CodeRange)
    assert bool((codes.values.total() == 0).all()) is exact


def test_codes_go_into_a_pool_and_nowhere_else() -> None:
    codes = POLICY.quantize_fp8(normal(2, 8), 1.0, "fp8_e4m3fn", "p")
    before, index = torch.zeros(5, 8, dtype=torch.uint8), torch.tensor([3, 1])
    pool = before.index_copy(0, index, codes)
    assert isinstance(pool, CodePool)
    assert pool.reshape(5, 2, 4).shape == (5, 2, 4)
    with pytest.raises(TypeError, match="cat"):
        torch.cat([before, codes])
