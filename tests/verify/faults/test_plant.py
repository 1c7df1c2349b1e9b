"""Plants: where they go, what they change, what they remember; and candidates made of them."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from kk3ref.precision import CONTRACT
from kk3ref.stages import run_layer
from verify.candidates.reference import contract
from verify.faults import anywhere, collective, kda, mla
from verify.faults.candidate import FaultyCandidate
from verify.faults.observe import Seen, observe
from verify.faults.plant import Memory, Plant, in_policy, on_inputs, on_outputs


def launches(case: Any, plant: Plant) -> dict[str, Seen]:
    return {seen.launch: seen for seen in observe(case, FaultyCandidate(plant), sequence=True)}


def test_one_plant_replaces_the_first_stage_or_every_one(make_case: Any) -> None:
    layer = make_case("k1").layer
    first = Plant("x", ("recurrence", "conv"), in_policy(CONTRACT))
    every = Plant("x", ("recurrence", "conv"), in_policy(CONTRACT), every=True)
    assert first.targets(layer) == ["conv"]
    assert every.targets(layer) == ["conv", "recurrence"]


@pytest.mark.parametrize("kind", ["k1", "k2", "m1"])
def test_a_plant_that_changes_nothing_is_the_contract(make_case: Any, kind: str) -> None:
    case = make_case(kind)
    names = tuple(s.name for s in case.layer.stages)
    idle = Plant("nothing", names, on_outputs(lambda c, v, out, m: {}), every=True)
    layer = idle.planted(case.layer, lambda: Memory(case.inputs))
    mine, theirs = (
        run_layer(each, CONTRACT, case.contexts, case.inputs) for each in (layer, case.layer)
    )
    for a, b in zip(mine, theirs, strict=True):
        assert all(torch.equal(a[name], b[name]) for name in a)


def test_inputs_are_changed_for_the_stage_alone(make_case: Any) -> None:
    case = make_case("k1")
    plant = Plant("zeros", ("f_b",), on_inputs(lambda c, v, m: {"proj": v["proj"] * 0}))
    values = run_layer(
        plant.planted(case.layer, lambda: Memory(case.inputs)), CONTRACT, case.contexts, case.inputs
    )
    assert not values[0]["g1"].any()
    assert values[0]["proj"].any()


@pytest.mark.parametrize(
    ("plant", "kind", "family", "launch"),
    [
        (kda.OLD_ORDER, "k1", "normal", "reordered"),
        (kda.INHERITED, "k1", "normal", "padded"),
        (collective.CONSTANT_FLAG, "k2", "normal", "reordered"),
        (collective.NEXT_CLEARED, "k2", "normal", "reordered"),
        (collective.SIZE_OF_NOW, "k2", "normal", "padded"),
        (anywhere.NOT_ZEROED, "k1", "normal", "reordered"),
        (anywhere.FROZEN_SLOTS, "k1", "normal", "reordered"),
        (anywhere.FROZEN_COUNTS, "k1", "normal", "reordered"),
        (anywhere.FROZEN_SPLITS, "m1", "normal", "reordered"),
        (mla.STALE_SPLIT, "m1", "normal", "reordered"),
    ],
    ids=lambda x: x.name if isinstance(x, Plant) else x,
)
def test_what_is_remembered_shows_in_a_later_launch_only(
    make_case: Any, plant: Plant, kind: str, family: str, launch: str
) -> None:
    """One launch cannot see these: that is why the default run makes several."""
    found = {n: seen.failed for n, seen in launches(make_case(kind, family=family), plant).items()}
    assert found["first"] == []
    assert next(n for n, failed in found.items() if failed) == launch


def test_a_transposed_state_shows_in_the_state_alone(make_case: Any) -> None:
    first = launches(make_case("k1"), kda.TRANSPOSED)["first"]
    failed = [
        f"{report.stage}.{output.output}"
        for report in first.stages
        for output in report.outputs
        if output.verdict.value == "fail"
    ]
    assert set(failed) == {"recurrence.recurrent_state_after"}


def test_a_late_rank_is_wrong_because_its_peers_memory_is_overwritten(
    make_case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the overwriting the missing barrier is invisible."""
    case = make_case("k2")
    assert "outputs_written" in launches(case, collective.NO_EXIT_WAIT)["first"].failed
    monkeypatch.setattr("verify.launch.poison", lambda tensor: None)
    assert launches(case, collective.NO_EXIT_WAIT)["first"].failed == []


@pytest.mark.parametrize("accepted", [(4, 4), (1, 4)], ids=["all", "one-of-them"])
def test_committing_after_the_last_row_is_invisible_where_all_was_accepted(
    make_case: Any, accepted: tuple[int, int]
) -> None:
    from verify.step import Step

    case = make_case("k1", step=Step.resolve(accepted=accepted))
    seen = launches(case, kda.COMMITTED_AFTER_LAST)
    assert bool(seen["first"].failed) == (accepted != (4, 4))
    assert seen["reordered"].failed


def test_stages_equal_to_a_clean_run_are_not_judged_again(make_case: Any) -> None:
    case = make_case("k1")
    clean = list(observe(case, contract(), sequence=True))
    assert len(clean[0].stages) == len(case.layer.stages)
    again = list(observe(case, contract(), sequence=True, clean=clean))
    assert [len(seen.stages) for seen in again] == [0] * len(clean)
    faulty = next(observe(case, FaultyCandidate(kda.SILU_GATE), False, clean))
    assert [report.stage for report in faulty.stages] == ["gated_norm"]
    assert faulty.failed == ["bound", "ratio"]
