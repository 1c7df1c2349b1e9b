"""Memory that launches share, and inputs that are gone when a rank has returned."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from kk3ref.precision import CONTRACT
from kk3ref.stages import run_layer
from verify.candidates import LayerCall
from verify.launch import Storage, check_layer, judge_launch, launch
from verify.run import verify_case


class Whole:
    """The contract on the buffers; ``before`` runs between the layer and the return."""

    name = "whole"
    description = "contract on buffers"

    def __init__(self, before: Any = lambda call, values: None):
        self.before = before
        self.calls: list[LayerCall] = []

    def available(self) -> tuple[bool, str]:
        return True, ""

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        self.calls.append(call)
        values = run_layer(call.layer, CONTRACT, call.contexts, call.inputs)
        self.before(call, values)
        names = {tap.name for tap in call.layer.taps}
        for rank, buffers in enumerate(call.buffers):
            for name, buffer in buffers.items():
                buffer.copy_(values[rank][name])
        return [{n: t for n, t in v.items() if n in names} for v in values]


def test_launches_share_outputs_and_pools(make_case: Any) -> None:
    storage, candidate = Storage(), Whole()
    case = make_case("k1")
    for _ in range(2):
        launch(case, candidate, storage, lambda _: None)
    first, second = (call.buffers[3] for call in candidate.calls)
    assert all(first[name].data_ptr() == second[name].data_ptr() for name in first)


def test_outputs_are_poisoned_and_pools_filled_before_each_launch(make_case: Any) -> None:
    storage, case = Storage(), make_case("k1")
    for g in storage.prepare(case, 2).values():
        g.tensor.fill_(1.0)
    again = {name: g.tensor for name, g in storage.prepare(case, 2).items()}
    assert again["core"].isnan().all()
    assert torch.equal(again["conv_state_after"], case.inputs[2]["conv_state"])


def test_inputs_are_overwritten_before_results_are_read(make_case: Any) -> None:
    """A candidate that hands its input on as a result has no result."""
    case = make_case("attn_res")

    def alias(call: LayerCall, values: list[dict[str, Tensor]]) -> None:
        values[0]["prefix_after"] = call.inputs[0]["prefix"]

    class Aliasing(Whole):
        def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
            taps = super().run(call)
            taps[0]["prefix_after"] = call.inputs[0]["prefix"]
            return taps

    done = launch(case, Aliasing(), Storage(), lambda _: None)
    assert done.taps[0]["prefix_after"].isnan().all()
    assert not case.inputs[0]["prefix"].isnan().any()
    assert not done.written


def test_a_rank_that_has_returned_is_overwritten_while_others_run(make_case: Any) -> None:
    seen: list[bool] = []

    def returned(call: LayerCall, values: Any) -> None:
        call.returned(1)
        seen.append(bool(call.inputs[1]["prefix"].isnan().all()))
        seen.append(bool(call.inputs[0]["prefix"].isnan().any()))

    done = launch(make_case("k1"), Whole(returned), Storage(), lambda _: None)
    assert seen == [True, False]
    assert not done.written


def test_what_was_written_before_a_rank_returned_counts(make_case: Any) -> None:
    def spoil(call: LayerCall, values: Any) -> None:
        call.inputs[4]["num_accepted"][0] += 1
        call.returned(4)

    done = launch(make_case("k1"), Whole(spoil), Storage(), lambda _: None)
    assert done.written == ["num_accepted, rank 4: an input was written"]
    failed = [check.name for check in check_layer(done) if check.verdict.value == "fail"]
    assert failed == ["inputs_unchanged"]


@pytest.mark.parametrize("ranks", [frozenset({5}), frozenset({0, 7})], ids=str)
def test_some_ranks_can_be_judged(make_case: Any, ranks: frozenset[int]) -> None:
    """One wrong rank among those judged is seen, one beside them is not."""
    for wrong in (5, 6):

        def spoil(call: LayerCall, values: Any, wrong: int = wrong) -> None:
            values[wrong]["conv"] = values[wrong]["conv"] + 1

        done = launch(make_case("k1"), Whole(spoil), Storage(), lambda _: None)
        reports, _ = judge_launch(done, lambda _: None, frozenset({"conv"}), ranks)
        (output, _state) = reports[0].outputs
        failed = output.verdict.value == "fail"
        assert failed == (wrong in ranks)
        assert "exposed" not in {check.name for check in output.checks}


def test_the_case_itself_is_left_as_it_was(make_case: Any) -> None:
    from verify.data import CandidateInfo

    case = make_case("k1")
    before = [{n: t.clone() for n, t in v.items()} for v in case.inputs]
    verify_case(case, Whole(), CandidateInfo(name="whole"), "", sequence=True)
    for old, new in zip(before, case.inputs, strict=True):
        assert all(torch.equal(old[n], new[n]) for n in old)
