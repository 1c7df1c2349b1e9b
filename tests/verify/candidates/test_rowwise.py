"""The row-wise contract: the contract's values, and bits that do not depend on the batch."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from kk3ref.precision import CONTRACT
from kk3ref.stages import run_layer
from verify.candidates.rowwise import by_rows
from verify.inputs import Case
from verify.layers import LAYERS
from verify.sequence import one_alone, order_sensitive


def taps(case: Case) -> list[dict[str, torch.Tensor]]:
    return run_layer(by_rows(case.layer), CONTRACT, case.contexts, case.inputs)


@pytest.mark.parametrize("kind", LAYERS)
def test_shapes_and_dtypes_are_the_contracts(make_case: Any, kind: str) -> None:
    case = make_case(kind)
    whole = run_layer(case.layer, CONTRACT, case.contexts, case.inputs)
    for mine, theirs in zip(taps(case), whole, strict=True):
        assert mine.keys() == theirs.keys()
        for name in mine:
            assert mine[name].shape == theirs[name].shape, name
            assert mine[name].dtype == theirs[name].dtype, name


@pytest.mark.parametrize("kind", ["k1", "k2", "m1"])
def test_a_request_alone_has_the_same_bits(make_case: Any, kind: str) -> None:
    case = order_sensitive(make_case(kind))
    smaller, rows = one_alone(case)
    among, alone = taps(case), taps(smaller)
    pools = {"conv_state_after", "recurrent_state_after", "kv_cache_after", *case.inputs[0]}
    for rank in case.ranks:
        for name in alone[rank].keys() - pools:
            assert torch.equal(alone[rank][name], among[rank][name][rows]), name
