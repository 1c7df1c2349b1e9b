"""Error-carrying values: every bound holds, and moves keep errors with their elements."""

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from verify.bounds import Bounded
from verify.bounds.functions import U32, UNDERFLOW
from verify.bounds.value import ARITHMETIC, product

F64 = torch.float64
Operation = Callable[..., object]

ARITHMETIC_OPERATIONS: dict[str, Operation] = {
    "a+b": lambda a, b: a + b,
    "a-b": lambda a, b: a - b,
    "a*b": lambda a, b: a * b,
    "a/b": lambda a, b: a / b,
    "a*row": lambda a, b: a * b[:1],
    "row-a": lambda a, b: b[:1] - a,
    "column/a": lambda a, b: b[:, :1] / a,
    "-a": lambda a, b: -a,
    "|a|": lambda a, b: abs(a) if isinstance(a, Tensor) else a.abs(),
    "a²": lambda a, b: a**2,
    "torch.square": lambda a, b: torch.square(a),
    "a+0.1": lambda a, b: a + 0.1,
    "0.1-a": lambda a, b: 0.1 - a,
    "a·32^-½": lambda a, b: a * 96**-0.5,
    "a/0.3": lambda a, b: a / 0.3,
    "0.7/a": lambda a, b: 0.7 / a,
    "torch.add": lambda a, b: torch.add(a, b),
    "torch.sub": lambda a, b: torch.sub(a, b),
    "torch.mul": lambda a, b: torch.mul(a, b),
    "torch.div": lambda a, b: torch.div(a, b),
    "silu": lambda a, b: a * torch.sigmoid(a),
    "chain": lambda a, b: (a * b - b) / (a * a + 0.5),
}


def draw(seed: int, scale: float, relative: float) -> tuple[Tensor, Tensor]:
    """Values on the fp32 grid, some zero, and an error for each, some zero."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(4, 6, generator=g) * scale * torch.exp2(torch.randn(4, 6, generator=g) * 4)
    x[torch.rand(4, 6, generator=g) < 0.1] = 0
    e = torch.rand(4, 6, generator=g) * relative * x.abs()
    e[torch.rand(4, 6, generator=g) < 0.2] = 0
    return x.double(), e.double()


def perturbed(x: Tensor, e: Tensor, g: torch.Generator, corner: bool) -> Tensor:
    """An fp32 number within ``e`` of ``x``: at an end of the interval, or anywhere in it."""
    place = torch.rand(x.shape, generator=g, dtype=F64) * 2 - 1
    place = place.sign() if corner else place
    rounded = (x + place * e * (1 - 2.0**-20)).float().double()
    return torch.where((rounded - x).abs() <= e, rounded, x)


@pytest.mark.parametrize("name", ARITHMETIC_OPERATIONS)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**31),
    scale=st.sampled_from([1.0, 1e-6, 1e6, 1e-38, 2.0**-140]),
    relative=st.sampled_from([0.0, 2.0**-24, 2.0**-8, 0.2, 0.9]),
)
def test_fp32_on_perturbed_inputs_stays_inside(
    name: str, seed: int, scale: float, relative: float
) -> None:
    operation = ARITHMETIC_OPERATIONS[name]
    (a, ea), (b, eb) = draw(seed, scale, relative), draw(seed + 1, 1.0, relative)
    bounded = operation(Bounded(a, {"a": ea}), Bounded(b, {"b": eb}))
    assert isinstance(bounded, Bounded)
    exact = operation(a, b)
    torch.testing.assert_close(bounded.value, exact, rtol=1e-15, atol=0, equal_nan=True)
    g = torch.Generator().manual_seed(seed + 2)
    for corner in (True, True, False):
        x, y = perturbed(a, ea, g, corner), perturbed(b, eb, g, corner)
        for result in (operation(x.float(), y.float()), operation(x, y)):
            error = (result.double() - exact).abs()
            finite = error.isfinite()  # 0/0 and x/0 have no error to bound
            assert (error <= bounded.total() * (1 + 1e-12))[finite].all()
    assert not bounded.total().isnan().any()


def test_constants_count_as_the_fp32_numbers_they_are_stored_as() -> None:
    """Worst case over many arguments exceeds one rounding, so one rounding is not the bound."""
    x = torch.rand(20000, generator=torch.Generator().manual_seed(0)) + 1
    bounded = Bounded(x.double()) * 128**-0.5
    error = ((x * 128**-0.5).double() - bounded.value).abs()
    assert (error <= bounded.total()).all()
    assert (error > U32 * bounded.value.abs()).any()


@pytest.mark.parametrize("number", [0.5, 25.0, -5.0, 4])
def test_constants_on_the_fp32_grid_add_nothing(number: float) -> None:
    x = torch.tensor([3.0], dtype=F64)
    total = (Bounded(x) * number).total()
    torch.testing.assert_close(total, U32 * (x * number).abs() + UNDERFLOW, rtol=1e-12, atol=0)


def test_a_division_by_a_rounded_reciprocal_is_legal() -> None:
    g = torch.Generator().manual_seed(1)
    a, b = (torch.rand(20000, generator=g) + 0.5 for _ in range(2))
    bounded = Bounded(a.double()) / Bounded(b.double())
    error = ((a * (1 / b)).double() - bounded.value).abs()
    assert (error <= bounded.total()).all()
    assert (error > U32 * bounded.value).any(), "the product with a reciprocal loses more than one"


def test_the_rounding_is_that_of_the_candidates_larger_value() -> None:
    g = torch.Generator().manual_seed(2)
    x, c = (torch.rand(20000, generator=g) + 1 for _ in range(2))
    bounded = Bounded(x.double(), {"in": x.double()}) * Bounded(c.double())
    error = ((2 * x * c).double() - bounded.value).abs()  # the far end of the interval, in fp32
    assert (error <= bounded.total()).all()
    assert (error > bounded.errors["in"] + U32 * bounded.value).any()


def test_each_point_keeps_its_own_share() -> None:
    a = Bounded(torch.tensor([2.0], dtype=F64), {"p": torch.tensor([0.25], dtype=F64)})
    b = Bounded(torch.tensor([-3.0], dtype=F64), {"q": torch.tensor([0.5], dtype=F64)})
    errors = product(torch.mul, a, b).errors
    assert errors["p"].item() == 0.25 * 3
    assert errors["q"].item() == 0.5 * (2 + 0.25)


# -- extremes ------------------------------------------------------------------------------------


def scalar(value: float, error: float = 0.0) -> Bounded:
    return Bounded(torch.tensor([value], dtype=F64), {"p": torch.tensor([error], dtype=F64)})


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [
        pytest.param(scalar(1.0), scalar(0.5, 1.0), id="inside"),
        pytest.param(scalar(1.0), scalar(0.5, 0.5), id="at-the-end"),
        pytest.param(scalar(0.0), scalar(0.5, 0.5), id="zero-numerator"),
        pytest.param(scalar(0.0, 0.1), scalar(-0.5, 2.0), id="both-uncertain"),
        pytest.param(scalar(math.inf), scalar(0.5, 0.5), id="infinite-numerator"),
    ],
)
def test_division_by_an_interval_with_zero_is_unbounded_not_nan(
    numerator: Bounded, denominator: Bounded
) -> None:
    assert (numerator / denominator).total().item() == math.inf


def test_unbounded_times_zero_stays_unbounded() -> None:
    """A candidate's infinity times zero is NaN, so zero would be no bound."""
    assert (scalar(1.0, math.inf) * scalar(0.0)).total().item() == math.inf


def test_infinite_error_is_never_lost() -> None:
    x = scalar(1.0, math.inf)
    for result in (x + 1, 1 - x, x * x, x / 2, 2 / x, torch.exp(x), torch.rsqrt(x), torch.tanh(-x)):
        assert result.total().item() == math.inf


def test_huge_values_overflow_to_an_infinite_bound() -> None:
    assert (scalar(1e200, 1e190) * scalar(1e200)).total().item() == math.inf


@pytest.mark.parametrize("value", [0.0, 2.0**-149, 2.0**-126])
def test_fp32_underflow_is_inside(value: float) -> None:
    x = torch.tensor([value])
    bounded = Bounded(x.double()) * Bounded(torch.tensor([0.3], dtype=torch.float32).double())
    for candidate in (x * 0.3, torch.zeros(1)):  # gradual, and flushed
        if value * 0.3 < 2.0**-126:
            assert (candidate.double() - bounded.value).abs() <= bounded.total()


# -- moves ---------------------------------------------------------------------------------------

INDEX = torch.tensor([2, 0, 3])
GATHER = torch.tensor([[0, 2, 1], [4, 4, 3], [1, 0, 2], [5, 5, 5]])
PICKED = torch.rand(4, 6, generator=torch.Generator().manual_seed(3)) < 0.5

MOVES: dict[str, Operation] = {
    "reshape": lambda x: x.reshape(2, 12),
    "view": lambda x: x.view(8, 3),
    "transpose": lambda x: x.transpose(0, 1),
    "permute": lambda x: x.permute(1, 0),
    "t": lambda x: x.t(),
    "movedim": lambda x: x.movedim(0, 1),
    "flatten": lambda x: x.flatten(0, 1),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "squeeze": lambda x: x[:, :1].squeeze(1),
    "expand": lambda x: x[:, :1].expand(-1, 5),
    "expand_as": lambda x: x[:1].expand_as(x),
    "broadcast_to": lambda x: torch.broadcast_to(x, (3, 4, 6)),
    "flip": lambda x: x.flip([0, 1]),
    "narrow": lambda x: x.narrow(1, 2, 3),
    "slice": lambda x: x[1:3, ::2],
    "newaxis": lambda x: x[:, None, :],
    "ellipsis": lambda x: x[..., 2],
    "index": lambda x: x[INDEX],
    "mask": lambda x: x[PICKED],
    "gather": lambda x: x.gather(1, GATHER),
    "index_select": lambda x: x.index_select(0, INDEX),
    "repeat_interleave": lambda x: x.repeat_interleave(3, 1),
    "index_copy": lambda x: x.index_copy(0, INDEX, x[:3]),
    "split": lambda x: torch.cat(x.split(4, 1)[::-1], 1),
    "chunk": lambda x: torch.cat(x.chunk(2, 1)[::-1], 1),
    "unbind": lambda x: torch.stack(x.unbind(1)[::-1]),
    "iterate": lambda x: torch.stack(list(x)),
    "cat": lambda x: torch.cat([x, x.flip(0)], 1),
    "stack": lambda x: torch.stack([x, x.flip(1)], -1),
    "where": lambda x: torch.where(PICKED, x, x.flip(0)),
    "clone": lambda x: x.clone().contiguous(),
}


def marked() -> Bounded:
    """Errors that tell which element they belong to: ``2·value + 1`` and ``value²``."""
    value = torch.arange(24, dtype=F64).reshape(4, 6)
    return Bounded(value, {"p": 2 * value + 1, "q": value**2})


@pytest.mark.parametrize("name", MOVES)
def test_moves_keep_errors_with_their_elements(name: str) -> None:
    moved = MOVES[name](marked())
    assert isinstance(moved, Bounded)
    assert torch.equal(moved.value, MOVES[name](marked().value))
    assert torch.equal(moved.errors["p"], 2 * moved.value + 1)
    assert torch.equal(moved.errors["q"], moved.value**2)


@pytest.mark.parametrize("name", MOVES)
def test_moves_of_broadcast_errors(name: str) -> None:
    """An error may have fewer axes than its value."""
    x = Bounded(marked().value, {"p": torch.tensor(0.5, dtype=F64)})
    moved = MOVES[name](x)
    assert isinstance(moved, Bounded)
    assert torch.equal(moved.errors["p"].expand(moved.shape), torch.full(moved.shape, 0.5).double())


PLAIN = torch.full((4, 6), 7.0)


@pytest.mark.parametrize(
    ("combine", "carried"),
    [
        pytest.param(lambda x, y: torch.cat([x, y]), slice(0, 4), id="cat"),
        pytest.param(lambda x, y: torch.cat([y, x]), slice(4, 8), id="cat-first"),
        pytest.param(lambda x, y: torch.stack([x, y]), 0, id="stack"),
        pytest.param(lambda x, y: torch.where(PICKED, x, y), PICKED, id="where"),
        pytest.param(lambda x, y: torch.where(PICKED, y, x), ~PICKED, id="where-other"),
        pytest.param(
            lambda x, y: x.index_copy(0, INDEX, y[:3].double()), slice(1, 2), id="index_copy"
        ),
    ],
)
@pytest.mark.parametrize(
    "plain", [PLAIN, PLAIN.bfloat16(), PLAIN.long()], ids=["fp32", "bf16", "int64"]
)
def test_plain_tensors_in_a_move_are_exact(combine, carried, plain: Tensor) -> None:
    x = Bounded(marked().value, {"p": torch.full((4, 6), 3.0, dtype=F64)})
    error = combine(x, plain).errors["p"].clone()
    assert (error[carried] == 3).all()
    error[carried] = 0
    assert (error == 0).all()


@pytest.mark.parametrize("number", [5.0, -math.inf, 3])
def test_numbers_in_where_are_values_not_errors(number: float) -> None:
    x = Bounded(marked().value, {"p": torch.full((4, 6), 3.0, dtype=F64)})
    chosen = torch.where(PICKED, x, number)
    assert torch.equal(chosen.total(), torch.where(PICKED, 3.0, 0.0).double())


def test_points_of_both_sides_survive_a_move() -> None:
    one = torch.ones(2, dtype=F64)
    joined = torch.cat([Bounded(one, {"p": one}), Bounded(one, {"q": 2 * one})])
    assert joined.errors["p"].tolist() == [1, 1, 0, 0]
    assert joined.errors["q"].tolist() == [0, 0, 2, 2]


# -- what has no rule ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("matmul", lambda x: x.matmul(x)),
        ("matmul", lambda x: torch.matmul(PLAIN.double(), x)),
        ("cumsum", lambda x: x.cumsum(0)),
        ("clamp", lambda x: x.clamp(0)),
        ("sin", torch.sin),
        ("log1p", torch.log1p),
        ("sort", lambda x: x.sort()),
        ("argmax", lambda x: torch.argmax(x)),
        ("add_", lambda x: x.add_(1)),
        ("sum", lambda x: x.sum()),
        ("mean", lambda x: torch.mean(x, 0)),
        ("softmax", lambda x: torch.softmax(x, -1)),
        ("einsum", lambda x: torch.einsum("ab,ab->a", x, x)),
        ("to", lambda x: x.to(torch.float32)),
        ("round", torch.round),
    ],
)
def test_functions_without_a_rule_are_refused_by_name(name: str, call) -> None:
    with pytest.raises(TypeError, match=f"'{name}'"):
        call(marked())


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("add", lambda x: torch.add(x, x, alpha=2)),
        ("sub", lambda x: torch.sub(x, 1, alpha=3)),
        ("div", lambda x: torch.div(x, 2, rounding_mode="floor")),
        ("softplus", lambda x: torch.nn.functional.softplus(x, beta=2)),
        ("softplus", lambda x: torch.nn.functional.softplus(x, threshold=10)),
    ],
)
def test_options_that_change_a_function_are_refused(name: str, call) -> None:
    with pytest.raises(TypeError, match=name):
        call(marked())


@pytest.mark.parametrize(
    "call",
    [lambda x: x > 0, lambda x: torch.lt(PLAIN, x), lambda x: x**3, lambda x: x @ x],
    ids=["x>0", "torch.lt", "x³", "x@x"],
)
def test_comparisons_and_other_operators_are_refused(call) -> None:
    with pytest.raises(TypeError):
        call(marked())


def test_arithmetic_is_named_as_such() -> None:
    assert list((marked() + 1).errors) == ["p", "q", ARITHMETIC]
