"""Inputs of a stage: the candidate's own where it exposes them, else computed from what it does."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from kk3ref.precision import CONTRACT, Precision, Value
from kk3ref.stages import Kind, Layer, RankContext, Scope, Tap, stage
from verify.checks.resolve import NotExposed, Resolver

FP32 = torch.float32


class Rank:
    """All these stages know of a context: its rank."""

    def __init__(self, rank: int):
        self.rank = rank


@stage(Tap("doubled", FP32))
def double(p: Precision, c: RankContext, x: Value) -> Value:
    return x * 2 + c.rank


@stage(Tap("total", FP32), scope=Scope.COLLECTIVE)
def add(p: Precision, c: RankContext, doubled: list[Value]) -> Value:
    return p.rank_sum(doubled, "total")


@stage(Tap("shared", FP32), scope=Scope.REPLICATED)
def share(p: Precision, c: RankContext, total: Value) -> Value:
    return total + 1


@stage(Tap("ids", torch.int32, Kind.PICKS), scope=Scope.REPLICATED)
def pick(p: Precision, c: RankContext, shared: Value) -> Value:
    return p.top_k(shared[None], 1, "pick")


@stage(Tap("picked", FP32), scope=Scope.REPLICATED)
def take(p: Precision, c: RankContext, shared: Value, ids: Tensor) -> Value:
    return shared[ids[0].long()]


LAYER = Layer("toy", (double, add, share, pick, take))
X = [torch.tensor([1.0, 5.0]), torch.tensor([2.0, 3.0])]
CONTEXTS: Any = [Rank(0), Rank(1)]


def resolver(*taps: dict[str, Tensor]) -> Resolver:
    given = list(taps) or [{}, {}]
    return Resolver(LAYER, CONTRACT, CONTEXTS, [{"x": x} for x in X], given)


def same(**values: Tensor) -> list[dict[str, Tensor]]:
    return [dict(values), dict(values)]


def test_the_candidates_own_values_come_first() -> None:
    own = torch.tensor([100.0, 200.0])
    r = resolver({"doubled": own}, {"doubled": own * 2})
    assert torch.equal(r.outputs(add, 0)["total"], own * 3)


def test_what_is_not_exposed_is_computed_on_each_rank() -> None:
    r = resolver()
    assert torch.equal(r.outputs(add, 1)["total"], 2 * (X[0] + X[1]) + 1)
    assert r.merged(share) == ["total", "doubled"]
    assert r.merged(double) == []


def test_a_value_one_rank_lacks_is_not_exposed() -> None:
    r = resolver({"doubled": X[0]}, {})
    assert not r.exposed("doubled")
    assert r.exposed("x")
    assert torch.equal(r.outputs(add, 0)["total"], X[0] + 2 * X[1] + 1)


def test_past_an_unexposed_pick_there_is_nothing() -> None:
    with pytest.raises(NotExposed, match="ids of stage pick"):
        resolver().outputs(take, 0)
    given = resolver(*same(ids=torch.tensor([[1]])))
    assert torch.equal(given.outputs(take, 0)["picked"], (2 * (X[0] + X[1]) + 2)[1:])


def test_replicated_stages_run_once_where_the_inputs_agree() -> None:
    total = torch.tensor([3.0, 4.0])
    r = resolver(*same(total=total))
    assert r.outputs(share, 0) is r.outputs(share, 1)
    equal = resolver({"total": total}, {"total": total.clone()})
    assert equal.outputs(share, 0) is equal.outputs(share, 1)


@pytest.mark.parametrize("other", [[3.0, 4.000001], [3.0, torch.nan], [[3.0, 4.0]]], ids=str)
def test_a_rank_whose_input_differs_is_judged_on_its_own(other: Any) -> None:
    r = resolver({"total": torch.tensor([3.0, 4.0])}, {"total": torch.tensor(other)})
    assert torch.equal(r.outputs(share, 0)["shared"], torch.tensor([4.0, 5.0]))
    own = torch.tensor(other) + 1
    torch.testing.assert_close(r.outputs(share, 1)["shared"], own, rtol=0, atol=0, equal_nan=True)


@stage(Tap("wrapped", FP32), scope=Scope.REPLICATED)
def wrap(p: Precision, c: RankContext, doubled: Value) -> Value:
    return doubled


def test_values_computed_with_a_ranks_own_weights_are_not_shared() -> None:
    """Equal inputs of a rank's stage do not make equal outputs."""
    layer = Layer("toy", (double, wrap))
    x = torch.tensor([1.0])
    r = Resolver(layer, CONTRACT, CONTEXTS, [{"x": x}, {"x": x}], [{}, {}])
    assert r.outputs(wrap, 0)["wrapped"].item() == 2
    assert r.outputs(wrap, 1)["wrapped"].item() == 3


def test_forgetting_keeps_what_later_stages_need() -> None:
    exposed = resolver({"doubled": X[0]}, {"doubled": X[1]})
    first = exposed.outputs(double, 0)
    exposed.forget(double, 0)
    assert exposed.outputs(double, 0) is not first
    hidden = resolver()
    first = hidden.outputs(double, 0)
    hidden.forget(double, 0)
    assert hidden.outputs(double, 0) is first
