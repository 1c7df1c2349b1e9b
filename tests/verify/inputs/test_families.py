"""Input families: what they are for must hold, and every planted fault must be one."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from verify.candidates.reference import contract
from verify.checks.vacuity import FAULTS
from verify.data import CandidateInfo, Verdict
from verify.inputs import FAMILIES
from verify.inputs.pools import NULL_GARBAGE
from verify.run import verify_case
from verify.step import Step


def test_every_family_has_planted_faults() -> None:
    assert set(FAULTS) == set(FAMILIES)
    assert all(FAULTS.values())


def test_ties_stand_at_every_score(make_case: Any) -> None:
    weights = make_case("k2", family="ties").contexts[0].weights
    assert torch.equal(weights["w_gate"][0::2], weights["w_gate"][1::2])
    bias = weights["router_bias"]
    assert torch.equal(bias[0::4], bias[1::4])
    assert torch.equal(bias[3::4], torch.nextafter(bias[2::4], torch.tensor(torch.inf)))


def test_zero_keys_reach_the_recurrence(make_case: Any) -> None:
    case = make_case("k1", family="zero-keys")
    call = contract().run(type("Call", (), vars(case))())  # layer, contexts, inputs by name
    assert not call[0]["k"].any()
    assert call[0]["q"].any()


def test_padding_is_loud_and_on_the_null_slot(make_case: Any) -> None:
    case = make_case("k1", family="padded", step=Step.resolve(drafts=1, padded=1))
    inputs = case.inputs[0]
    assert not inputs["state_index"][-1].any()
    live, loud = inputs["prefix"][:-2].abs().mean(), inputs["prefix"][-2:].abs().mean()
    assert loud > 1000 * live


def test_no_state_is_zero_and_the_null_slot_is_garbage(make_case: Any) -> None:
    inputs = make_case("k1").inputs[3]
    for name in ("conv_state", "recurrent_state"):
        assert inputs[name].flatten(1).any(1).all()
        assert (inputs[name][0] == NULL_GARBAGE).all()


def test_inputs_depend_on_seed_and_rank_alone(make_case: Any) -> None:
    one, two, other = (make_case("kda", seed=s) for s in (1, 1, 2))
    assert torch.equal(one.inputs[0]["x"], two.inputs[0]["x"])
    assert not torch.equal(one.inputs[0]["x"], other.inputs[0]["x"])
    assert one.inputs[0]["x"] is one.inputs[7]["x"]
    assert not torch.equal(one.inputs[0]["conv_state"], one.inputs[7]["conv_state"])


def test_inputs_that_cannot_fail_are_vacuous(
    make_case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verify.checks import vacuity

    harmless = vacuity.PlantedFault(
        "nothing at all", ("in_proj",), vacuity._with_policy(vacuity.CONTRACT)
    )
    monkeypatch.setitem(vacuity.FAULTS, "normal", (harmless,))
    info = CandidateInfo(name="contract")
    record = verify_case(make_case("k1"), contract(), info, "").record
    assert [v.seen for v in record.vacuity] == [False]
    assert record.verdict is Verdict.FAIL
