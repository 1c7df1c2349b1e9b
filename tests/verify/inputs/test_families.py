"""Input families: what they are for must hold, and every planted fault must be one."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from kk3ref.precision import CONTRACT
from verify.candidates.reference import contract
from verify.checks import vacuity
from verify.data import CandidateInfo, Verdict
from verify.faults.plant import Plant, in_policy
from verify.inputs import FAMILIES
from verify.inputs.pools import NULL_GARBAGE
from verify.run import output_storage, verify_case
from verify.step import Step


def test_every_family_has_planted_faults() -> None:
    assert set(vacuity.PLANTS) == set(FAMILIES)
    assert all(vacuity.PLANTS.values())


def test_half_of_the_experts_are_tied_and_biases_are_far_from_zero(make_case: Any) -> None:
    """As trained routers have them: bf16 cannot tell such biases apart."""
    weights = make_case("k2").contexts[0].weights
    gate, bias = weights["w_gate"], weights["router_bias"]
    assert torch.equal(gate[0::4], gate[1::4])
    assert torch.equal(bias[0::4], bias[1::4])
    assert not torch.equal(gate[2::4], gate[3::4])
    assert (bias - 7).abs().max() < 1
    assert bias.unique().numel() > bias.to(torch.bfloat16).unique().numel()


def test_a_short_context_stands_beside_a_long_one(make_case: Any) -> None:
    for seed in range(20):
        lengths = make_case("m1", seed=seed).inputs[0]["context_len"]
        assert lengths[0] < 4
        assert lengths[1:].min() >= 75


def test_even_a_context_of_one_row_lies_on_a_far_page(make_case: Any) -> None:
    case = make_case("m1", family="far-pages", step=Step.resolve(rows=1), seed=3)
    pool = output_storage(case, 0)["kv_cache_after"].tensor
    assert int(case.inputs[0]["block_table"][0, 0]) * pool.stride(0) > 1 << 32


@pytest.mark.parametrize(
    ("kind", "family"),
    [
        ("k1", "normal"),
        ("k2", "normal"),
        ("m1", "normal"),
        ("m1", "scaled-cache"),
        ("m1", "far-pages"),
        ("m1", "context-shards"),
        ("k1", "padded"),
    ],
)
def test_one_row_is_no_false_alarm(make_case: Any, kind: str, family: str) -> None:
    """Inputs of one row still show the faults planted to prove them, or none is planted."""
    info = CandidateInfo(name="contract")
    for seed in range(3):
        case = make_case(kind, family=family, step=Step.resolve(rows=1), seed=seed)
        record = verify_case(case, contract(), info, "").record
        assert record.verdict is Verdict.PASS, (seed, record.vacuity)


def test_storage_families_change_the_storage(make_case: Any) -> None:
    assert make_case("m1", family="scaled-cache").contexts[0].options.kv_scale == 0.25
    assert make_case("m1", family="context-shards", tp=4).contexts[0].options.dcp == 4
    case = make_case("m1", family="far-pages")
    pool = output_storage(case, 3)["kv_cache_after"].tensor
    assert pool.stride(0) * (pool.shape[0] - 1) > 1 << 32
    assert torch.equal(pool, case.inputs[3]["kv_cache"])


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
    harmless = Plant("nothing at all", ("in_proj",), in_policy(CONTRACT))
    monkeypatch.setitem(vacuity.PLANTS, "normal", (harmless,))
    info = CandidateInfo(name="contract")
    record = verify_case(make_case("k1"), contract(), info, "").record
    assert [v.seen for v in record.vacuity] == [False]
    assert record.verdict is Verdict.FAIL
