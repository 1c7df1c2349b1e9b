"""Form: dtype, shape, finite values."""

import pytest
import torch
from torch import Tensor

from verify.checks.elements import Where
from verify.checks.form import Form
from verify.data import Verdict

WHERE = Where("s", "y", 3)
SHAPE = torch.Size((2, 3))


def judged(value: Tensor, dtype: torch.dtype = torch.bfloat16) -> tuple[bool, dict[str, Verdict]]:
    form = Form(dtype)
    comparable = form.add(WHERE, SHAPE, value)
    return comparable, {check.name: check.verdict for check in form.checks()}


def test_right_form() -> None:
    comparable, verdicts = judged(torch.zeros(2, 3, dtype=torch.bfloat16))
    assert comparable
    assert set(verdicts.values()) == {Verdict.PASS}


@pytest.mark.parametrize(
    "value",
    [
        torch.zeros(2, 3),
        torch.zeros(2, 3, dtype=torch.float16),
        torch.zeros(3, 2, dtype=torch.bfloat16),
        torch.zeros(6, dtype=torch.bfloat16),
        torch.zeros(1, 2, 3, dtype=torch.bfloat16),
        torch.zeros(1, 3, dtype=torch.bfloat16),
        torch.zeros(0, 3, dtype=torch.bfloat16),
        torch.zeros((), dtype=torch.bfloat16),
    ],
    ids=lambda t: f"{t.dtype}-{tuple(t.shape)}",
)
def test_wrong_dtype_or_shape(value: Tensor) -> None:
    comparable, verdicts = judged(value)
    assert not comparable
    assert verdicts["dtype_and_shape"] is Verdict.FAIL


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("garbage", [torch.nan, torch.inf, -torch.inf])
def test_one_element_that_is_not_finite(dtype: torch.dtype, garbage: float) -> None:
    value = torch.zeros(2, 3, dtype=dtype)
    value[1, 2] = garbage
    form = Form(dtype)
    assert form.add(WHERE, SHAPE, value), "still compared, so that its error is shown"
    (message,) = [check.message for check in form.checks() if check.verdict is Verdict.FAIL]
    assert message == f"stage s, output y, rank 3, index [1, 2]: must be finite, got {garbage}"


def test_integers_are_finite() -> None:
    comparable, verdicts = judged(torch.zeros(2, 3, dtype=torch.int32), torch.int32)
    assert comparable
    assert set(verdicts.values()) == {Verdict.PASS}


def test_one_bad_rank_is_enough() -> None:
    form = Form(torch.float32)
    for rank in range(4):
        value = torch.full((2, 3), torch.nan if rank == 2 else 1.0)
        form.add(Where("s", "y", rank), SHAPE, value)
    (message,) = [check.message for check in form.checks() if check.verdict is Verdict.FAIL]
    assert "rank 2" in message
