"""Accuracy and slope rules: no legal fp32 evaluation may leave the bound."""

import itertools
import math
from functools import partial

import pytest
import torch
from torch import Tensor

from verify.bounds import Bounded
from verify.bounds.functions import FUNCTIONS, U32, UNDERFLOW

ULP = 2 * U32
POSITIVE = ("rsqrt", "sqrt", "log")
F64 = torch.float64


def arguments(name: str) -> Tensor:
    """fp32 numbers over the function's useful range, dense near zero."""
    near = torch.logspace(-12, 0, 200, dtype=F64)
    far = torch.linspace(1, 85, 500, dtype=F64)
    positive = torch.cat([near, far]).float().double()
    return positive if name in POSITIVE else torch.cat([-positive.flip(0), positive])


def carried(name: str, x: Tensor, e: Tensor | None = None) -> Bounded:
    function = torch.nn.functional.softplus if name == "softplus" else getattr(torch, name)
    return function(Bounded(x, {} if e is None else {"in": e}))


def assert_inside(bounded: Bounded, candidate: Tensor) -> None:
    error = (candidate.double() - bounded.value).abs()
    bound = bounded.total()
    assert (error <= bound).all(), f"{float((error / bound).max())} of the bound"


def test_torchs_softplus_with_its_threshold_is_inside() -> None:
    x = arguments("softplus")
    call = partial(torch.nn.functional.softplus, threshold=20.0)
    assert_inside(call(Bounded(x)), call(x.float()))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_torch_fp32_is_inside_on_exact_arguments(name: str) -> None:
    x = arguments(name)
    call = FUNCTIONS[name].call
    assert_inside(carried(name, x), call(x.float()))


LOG2E = torch.tensor(math.log2(math.e), dtype=torch.float32)


def exp_by_exp2(x: Tensor) -> Tensor:
    return torch.exp2(x * LOG2E)


BUILT_FROM_EXP2 = {
    "exp": exp_by_exp2,
    "sigmoid": lambda x: 1 / (1 + exp_by_exp2(-x)),
    "tanh": lambda x: 1 - 2 / (exp_by_exp2(2 * x) + 1),
    "softplus": lambda x: x.clamp(min=0) + torch.log(1 + exp_by_exp2(-x.abs())),
    "rsqrt": lambda x: 1 / torch.sqrt(x),
    "sqrt": lambda x: x * torch.rsqrt(x),
    "log": lambda x: torch.log2(x) * math.log(2),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_fp32_built_from_exp2_and_a_reciprocal_is_inside(name: str) -> None:
    x = arguments(name)
    x = x[x.abs() < 44] if name == "tanh" else x  # exp(2x) must not overflow
    assert_inside(carried(name, x), BUILT_FROM_EXP2[name](x.float()))


def exp_worst(x: Tensor, signs: tuple[int, ...]) -> Tensor:
    """exp with the argument's product and constant and the primitive each at their worst."""
    return torch.exp(x + U32 * x.abs() * (signs[0] + signs[1])) * (1 + ULP * signs[2])


def sigmoid_worst(x: Tensor, signs: tuple[int, ...]) -> Tensor:
    return (1 + ULP * signs[3]) / ((1 + exp_worst(-x, signs)) * (1 + U32 * signs[4]))


def tanh_worst(x: Tensor, signs: tuple[int, ...]) -> Tensor:
    part = 2 * (1 + ULP * signs[3]) / ((exp_worst(2 * x, signs) + 1) * (1 + U32 * signs[4]))
    return (1 - part) * (1 + U32 * signs[4])


def softplus_worst(x: Tensor, signs: tuple[int, ...]) -> Tensor:
    inner = (1 + exp_worst(x, signs)) * (1 + U32 * signs[3])
    return torch.log(inner) * (1 + ULP * signs[4])


@pytest.mark.parametrize(
    ("name", "worst"),
    [
        ("exp", exp_worst),
        ("sigmoid", sigmoid_worst),
        ("tanh", tanh_worst),
        ("softplus", softplus_worst),
    ],
)
def test_primitives_at_their_worst_stay_inside(name, worst) -> None:
    x = arguments(name)
    x = x[x.abs() < 80]
    bounded = carried(name, x)
    for signs in itertools.product((-1, 1), repeat=5):
        assert_inside(bounded, worst(x, signs))


@pytest.mark.parametrize("relative", [0.0, 1e-7, 1e-3, 0.3])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_evaluation_as_bad_as_allowed_is_inside_anywhere_in_the_interval(
    name: str, relative: float
) -> None:
    """The loss counts at the argument the candidate has, not at the oracle's."""
    x = arguments(name)
    e = relative * x.abs()
    bounded, f = carried(name, x, e), FUNCTIONS[name]
    for place, sign in itertools.product((-1.0, -0.5, 0.3, 1.0), (-1, 1)):
        at = x + place * e
        candidate = f.call(at) + sign * f.loss(at, torch.zeros_like(at))
        error = (candidate - bounded.value).abs()
        assert (error <= bounded.total() + 1e-14 * bounded.value.abs() + 1e-15).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_slope_is_the_largest_on_the_interval(name: str) -> None:
    x = arguments(name)
    e = 0.4 * x.abs()
    steepest = FUNCTIONS[name].slope(x, e)
    for place in torch.linspace(-1, 1, 21, dtype=F64):
        at = (x + place * e).requires_grad_()
        (gradient,) = torch.autograd.grad(FUNCTIONS[name].call(at).sum(), at)
        assert (gradient.abs() <= steepest * (1 + 1e-8) + 1e-15).all()  # autograd's own noise


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_loss_is_a_few_ulp(name: str) -> None:
    """Not absurdly wide: at most 16 units of the larger of 1 and the value (and exp's argument)."""
    x = arguments(name)
    y = FUNCTIONS[name].call(x)
    size = torch.maximum(y.abs(), torch.ones_like(y) if name != "exp" else y)
    reduced = 1 + x.abs() if name in ("exp", "sigmoid") else torch.ones_like(x)
    assert (FUNCTIONS[name].loss(x, torch.zeros_like(x)) <= 16 * U32 * size * reduced).all()


@pytest.mark.parametrize("name", ["exp", "sigmoid"])
def test_results_flushed_to_zero_are_inside(name: str) -> None:
    x = torch.tensor([-88.0, -89.0, -95.0, -104.0, -120.0, -700.0, -800.0], dtype=F64)
    bounded = carried(name, x)
    assert_inside(bounded, BUILT_FROM_EXP2[name](x.float()))
    flushed = torch.where(bounded.value < UNDERFLOW, 0.0, bounded.value)
    assert_inside(bounded, flushed)


@pytest.mark.parametrize("name", POSITIVE)
@pytest.mark.parametrize("e", [1.0, 1.5])
def test_interval_that_reaches_zero_is_unbounded_not_nan(name: str, e: float) -> None:
    bounded = carried(name, torch.ones(1, dtype=F64), torch.tensor([e], dtype=F64))
    assert bounded.total().item() == math.inf


def test_exp_beyond_float64_is_unbounded_not_nan() -> None:
    x = torch.tensor([709.0, -5.0], dtype=F64)
    total = carried("exp", x, torch.tensor([10.0, math.inf], dtype=F64)).total()
    assert total.isinf().all()


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in ("rsqrt", "log")])
def test_zero_has_a_finite_small_bound(name: str) -> None:
    total = carried(name, torch.zeros(1, dtype=F64)).total()
    assert 0 < total.item() <= 16 * U32


@pytest.mark.parametrize("name", FUNCTIONS)
def test_subnormal_arguments(name: str) -> None:
    x = torch.tensor([2.0**-149, 2.0**-133], dtype=F64)
    assert_inside(carried(name, x), FUNCTIONS[name].call(x.float()))
