"""The launches that follow: what changes, what is carried, and that the reference passes them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from kk3ref.stages import LayerOptions
from verify.candidates import LayerCall, NotServed
from verify.candidates.reference import contract
from verify.candidates.rowwise import RowwiseCandidate
from verify.data import CandidateInfo, Verdict
from verify.inputs import Case
from verify.launch import Storage, launch
from verify.layers import LAYERS
from verify.run import failures, verify_case
from verify.sequence import ALONE, AMONG, SEQUENCE, Followed, follow
from verify.step import Step

INFO = CandidateInfo(name="test")


def followed(case: Case, candidate: Any) -> list[Followed]:
    storage = Storage()
    first = launch(case, candidate, storage, lambda _: None)
    return list(follow(first, candidate, storage))


def by_name(case: Case) -> dict[str, Case]:
    return {one.name: one.case for one in followed(case, contract())}


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("make", [contract, RowwiseCandidate], ids=["contract", "rowwise"])
def test_the_reference_passes(make_case: Any, kind: str, make: Any) -> None:
    record = verify_case(make_case(kind), make(), INFO, "", sequence=True).record
    names = [*SEQUENCE, AMONG, ALONE] if make is RowwiseCandidate else list(SEQUENCE)
    assert [report.launch for report in record.launches] == names
    assert record.verdict is Verdict.PASS, failures(record)


@pytest.mark.parametrize(
    ("rows", "drafts", "padded"),
    [(1, 0, 0), (8, 0, 0), (4, 3, 0), (8, 7, 0), (8, 1, 1), (6, 2, 1)],
    ids=lambda n: str(n),
)
@pytest.mark.parametrize("kind", ["k1", "k2", "m1"])
def test_every_step_can_be_followed(
    make_case: Any, kind: str, rows: int, drafts: int, padded: int
) -> None:
    step = Step.resolve(rows, drafts, padded=padded)
    record = verify_case(make_case(kind, step=step), contract(), INFO, "", sequence=True).record
    assert record.verdict is Verdict.PASS, failures(record)
    assert all(report.step.rows <= rows for report in record.launches)


def test_a_step_of_padding_alone_is_not_followed(make_case: Any) -> None:
    case = make_case("k1", step=Step.resolve(rows=8, drafts=3, padded=2))
    assert followed(case, contract()) == []


@pytest.mark.parametrize("accepted", [(1, 4), (4, 1), (4, 4), (2, 3)], ids=str)
def test_the_next_step_changes_order_counts_and_rows(
    make_case: Any, accepted: tuple[int, ...]
) -> None:
    first = make_case("k1", step=Step.resolve(accepted=accepted))
    case = by_name(first)["reordered"]
    mine, before = case.inputs[0], first.inputs[0]
    assert torch.equal(mine["state_index"], before["state_index"].flip(0))
    counts = mine["num_accepted"].tolist()
    assert sorted(counts) == [1, 4]
    assert counts != list(accepted)
    assert not torch.equal(mine["prefix"], before["prefix"])
    assert case.step.accepted == tuple(counts)


def test_pools_are_what_the_launch_before_left(make_case: Any) -> None:
    case = make_case("k1")
    storage = Storage()
    first = launch(case, contract(), storage, lambda _: None)
    left = [{n: first.taps[r][f"{n}_after"] for n in ("conv_state",)} for r in case.ranks]
    following = next(follow(first, contract(), storage))
    for rank, pools in enumerate(left):
        assert torch.equal(following.case.inputs[rank]["conv_state"], pools["conv_state"])


def test_a_new_request_starts_from_zero_in_used_slots(make_case: Any) -> None:
    first = make_case("k1")
    case = by_name(first)["padded"]
    slot = int(case.inputs[0]["state_index"][0, 0])
    used = first.inputs[0]["state_index"].flatten().tolist()
    assert slot in used
    for values in case.inputs:
        assert not values["recurrent_state"][slot].any()
        assert not values["conv_state"][slot].any()
    assert not case.inputs[0]["state_index"][-1].any()
    assert case.step.padded == 1


def test_contexts_grow_by_what_was_accepted(make_case: Any) -> None:
    first = make_case("m1")
    cases = by_name(first)
    lengths = first.inputs[0]["context_len"].tolist()
    reordered = cases["reordered"].inputs[0]["context_len"].tolist()
    grown = [
        n + a for n, a in zip(reversed(lengths), cases["reordered"].step.accepted, strict=True)
    ]
    assert reordered == grown
    alone = cases["one-request"]
    assert alone.inputs[0]["context_len"].tolist() == [grown[0] + alone.step.accepted[0]]
    assert cases["padded"].inputs[0]["context_len"].tolist() == [0, 0]


def test_rows_without_requests_go_down_and_up(make_case: Any) -> None:
    cases = by_name(make_case("k2"))
    assert [cases[name].step.rows for name in SEQUENCE] == [2, 1, 2]


@pytest.mark.parametrize("tp", [1, 2, 8])
def test_ranks_take_turns(make_case: Any, tp: int) -> None:
    ranks = [one.ranks for one in followed(make_case("k1", tp=tp), contract())]
    assert set().union(*ranks) | {0, 1} >= set(range(tp))


class OneWidth:
    """Serves all rows only."""

    name = "one-width"
    description = "contract for 8 rows"

    def available(self) -> tuple[bool, str]:
        return True, ""

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        if call.inputs[0]["state_index"].numel() != 8:
            raise NotServed("8 rows only")
        return contract().run(call)


def test_a_launch_that_is_not_served_is_not_a_pass(make_case: Any) -> None:
    record = verify_case(make_case("k1"), OneWidth(), INFO, "", sequence=True).record
    assert [(r.launch, r.verdict.value) for r in record.launches] == [
        ("reordered", "pass"),
        ("one-request", "not_checked"),
    ]
    assert record.launches[-1].note == "8 rows only"
    assert record.verdict is Verdict.NOT_CHECKED


class BatchSized(RowwiseCandidate):
    """A rounding that depends on the number of rows."""

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        taps = super().run(call)
        for values in taps:
            if len(values["core"]) < 8:
                values["core"] = torch.nextafter(values["core"], torch.zeros_like(values["core"]))
        return taps


def test_another_bit_alone_than_among_others_is_seen(make_case: Any) -> None:
    record = verify_case(make_case("k1"), BatchSized(), INFO, "", sequence=True).record
    failed = {(where, check.name): check.message for where, check in failures(record)}
    assert "core, rank 0" in failed["launch alone: layer", "batch_invariant"]


def test_shards_of_a_context_can_be_followed(make_case: Any) -> None:
    options = LayerOptions(dcp=8)
    record = verify_case(make_case("m1", options=options), contract(), INFO, "", sequence=True)
    assert record.record.verdict is Verdict.PASS, failures(record.record)
