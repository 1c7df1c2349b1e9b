"""Exact outputs: every bit counts."""

import pytest
import torch
from torch import Tensor

from verify.bounds import Bounded
from verify.checks.elements import NO_POINT, Where
from verify.checks.exact import Exact
from verify.data import Verdict

DTYPES = (torch.bfloat16, torch.float32, torch.int32, torch.uint8)


def judged(expected: Tensor, value: Tensor, point: str | None = None) -> Exact:
    collector = Exact()
    errors = {point: torch.ones(expected.shape, dtype=torch.float64)} if point else {}
    carried = Bounded(expected.double(), errors)
    collector.add(Where("move", "state", 1), expected, carried, value)
    return collector


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_equal_passes_and_any_one_element_fails(dtype: torch.dtype) -> None:
    expected = torch.arange(60).reshape(3, 4, 5).to(dtype)
    assert judged(expected, expected.clone()).checks()[0].verdict is Verdict.PASS
    for flat in range(60):
        value = expected.clone()
        value.view(-1)[flat] += 1
        (check,) = judged(expected, value).checks()
        assert check.verdict is Verdict.FAIL
        assert check.value == 1
        index = [flat // 20, flat // 5 % 4, flat % 5]
        assert f"stage move, output state, rank 1, index {index}: " in check.message


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
def test_one_bit_is_enough(dtype: torch.dtype) -> None:
    expected = torch.tensor([1.0, 0.0], dtype=dtype)
    for wrong in (torch.nextafter(expected, expected + 1), expected * torch.tensor([1, -1])):
        assert judged(expected, wrong.to(dtype)).checks()[0].verdict is Verdict.FAIL


def test_the_bound_is_no_excuse_and_its_point_is_named() -> None:
    expected = torch.tensor([1.0])
    (check,) = judged(expected, expected + 2.0**-23, "all-reduce").checks()
    assert check.verdict is Verdict.FAIL
    assert check.message.endswith("must equal 1 bit for bit; rounding point all-reduce")
    assert NO_POINT in judged(expected, expected + 1).messages[0]


def test_nan_differs_from_a_number() -> None:
    number, nan = torch.ones(2), torch.full((2,), torch.nan)
    assert judged(number, nan).differing == 2
    assert judged(nan, number).differing == 2
