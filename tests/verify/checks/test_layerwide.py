"""Checks of a whole layer: one bit, one byte, one row is enough."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from kk3ref.kda import NULL_SLOT
from kk3ref.layers.k1 import K1
from kk3ref.layers.k2 import K2
from kk3ref.stages import Role, Scope
from verify.checks.layerwide import (
    guards_intact,
    outputs_written,
    ranks_equal,
    untouched_slots,
    written_inputs,
)
from verify.data import Verdict
from verify.memory import guarded

BF16 = torch.bfloat16
Ranks = list[dict[str, Tensor]]


def flip_bit(x: Tensor, *index: int, bit: int = 0) -> None:
    ints = {1: torch.uint8, 2: torch.int16, 4: torch.int32}[x.dtype.itemsize]
    x.view(ints)[index] ^= 1 << bit


def normal(*shape: int, dtype: torch.dtype = BF16) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1)).to(dtype)


# -- ranks ---------------------------------------------------------------------------------------

SHARED = [(s.name, tap) for s in K2.stages if s.scope is not Scope.RANK for tap in s.outputs]


def alike(tap_name: str, dtype: torch.dtype) -> Ranks:
    value = (10 * normal(4, 6, dtype=torch.float32)).to(dtype)
    return [{tap_name: value.clone()} for _ in range(8)]


@pytest.mark.parametrize(
    ("stage", "tap"), SHARED, ids=lambda v: v if isinstance(v, str) else v.name
)
def test_one_bit_on_one_rank(stage: str, tap) -> None:
    taps = alike(tap.name, tap.dtype)
    assert ranks_equal(K2, taps).verdict is Verdict.PASS
    flip_bit(taps[5][tap.name], 2, 3)
    check = ranks_equal(K2, taps)
    assert check.verdict is Verdict.FAIL
    assert check.message == (
        f"stage {stage}, output {tap.name}: rank 5 must equal rank 0, "
        "1 elements differ, first at index [2, 3]"
    )


def test_minus_zero_is_not_zero_between_ranks() -> None:
    taps = [{"out": torch.zeros(2, dtype=BF16)}, {"out": -torch.zeros(2, dtype=BF16)}]
    assert ranks_equal(K2, taps).verdict is Verdict.FAIL


@pytest.mark.parametrize("other", [normal(4, 6).float(), normal(1, 6), normal(4, 1)])
def test_another_form_on_one_rank(other: Tensor) -> None:
    taps = alike("out", BF16)
    taps[3]["out"] = other
    assert "rank 3 differs from rank 0 in shape or dtype" in ranks_equal(K2, taps).message


def test_ranks_are_compared_where_rank_0_exposes_nothing() -> None:
    taps = alike("x", BF16)
    del taps[0]["x"]
    assert ranks_equal(K2, taps).verdict is Verdict.PASS
    flip_bit(taps[7]["x"], 0, 0)
    assert "rank 7 must equal rank 1" in ranks_equal(K2, taps).message


def test_what_ranks_compute_on_their_own_may_differ() -> None:
    taps = alike("o_partial", BF16)
    flip_bit(taps[5]["o_partial"], 2, 3)
    assert ranks_equal(K2, taps).verdict is Verdict.PASS


# -- state pools ---------------------------------------------------------------------------------


def pools() -> tuple[Ranks, Ranks, dict[str, Tensor]]:
    """Two ranks' pools before and after, and what was written: slots 2 and 4 of 6."""
    mask = torch.tensor([False, False, True, False, True, False])
    before = [
        {
            "conv_state_after": normal(6, 5, 3),
            "recurrent_state_after": normal(6, 2, 4, 4, dtype=torch.float32),
        }
        for _ in range(2)
    ]
    after = [{n: torch.where(_mask(mask, t), t + 1, t) for n, t in v.items()} for v in before]
    return before, after, dict.fromkeys(before[0], mask)


def _mask(mask: Tensor, like: Tensor) -> Tensor:
    return mask.reshape(-1, *[1] * (like.ndim - 1))


def test_written_slots_may_change() -> None:
    before, after, mask = pools()
    assert untouched_slots(K1, before, after, mask).verdict is Verdict.PASS


@pytest.mark.parametrize("slot", [NULL_SLOT, 1, 3, 5])
@pytest.mark.parametrize("name", ["conv_state_after", "recurrent_state_after"])
def test_one_bit_of_another_slot(name: str, slot: int) -> None:
    before, after, mask = pools()
    flip_bit(after[1][name][slot].view(-1), -1)
    check = untouched_slots(K1, before, after, mask)
    assert check.verdict is Verdict.FAIL
    assert check.message == f"{name}, rank 1: slots [{slot}] must be unchanged, are not"


@pytest.mark.parametrize("garbage", [torch.nan, -0.0])
def test_garbage_in_another_slot(garbage: float) -> None:
    before, after, mask = pools()
    for v in (before, after):
        v[0]["conv_state_after"][5] = 0
    after[0]["conv_state_after"][5, 0, 0] = garbage
    assert untouched_slots(K1, before, after, mask).verdict is Verdict.FAIL


# -- guard bands ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["before", "after", "between"])
def test_a_write_outside(name: str) -> None:
    buffers = [{"pool": guarded((3, 4, 8), BF16, (48, 8, 1))} for _ in range(2)]
    assert guards_intact(buffers).verdict is Verdict.PASS
    tensor = buffers[1]["pool"].tensor
    offset = {"before": -1, "after": 2 * 48 + 32, "between": 48 + 32}[name]
    tensor.as_strided((1,), (1,), tensor.storage_offset() + offset).zero_()
    check = guards_intact(buffers)
    assert check.verdict is Verdict.FAIL
    assert check.message == "pool, rank 1: bytes outside the tensor were written"


# -- inputs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [BF16, torch.float32, torch.int32, torch.uint8], ids=str)
def test_one_bit_of_an_input(dtype: torch.dtype) -> None:
    before = {"a": normal(3).to(dtype), "b": normal(2)}
    after = {n: t.clone() for n, t in before.items()}
    assert written_inputs(2, before, after) == []
    flip_bit(after["a"], 1)
    assert written_inputs(2, before, after) == ["a, rank 2: an input was written"]


# -- outputs -------------------------------------------------------------------------------------


def results() -> Ranks:
    names = [name for name, role in K1.roles.items() if role is Role.OUTPUT]
    assert names == ["prefix_after", "core"]
    return [{name: normal(4, 6) for name in names} for _ in range(2)]


@pytest.mark.parametrize("garbage", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("name", ["prefix_after", "core"])
def test_one_element_unwritten(name: str, garbage: float) -> None:
    taps = results()
    assert outputs_written(K1, taps).verdict is Verdict.PASS
    taps[1][name][3, 5] = garbage
    check = outputs_written(K1, taps)
    assert check.verdict is Verdict.FAIL
    assert f"{name}, rank 1: rows [3] must be finite" in check.message


def test_fresh_buffers_are_unwritten() -> None:
    taps: Ranks = [{n: guarded((4, 6), BF16).tensor for n in ("prefix_after", "core")}]
    check = outputs_written(K1, taps)
    assert check.value == 2
    assert "rows [0, 1, 2, 3]" in check.message
