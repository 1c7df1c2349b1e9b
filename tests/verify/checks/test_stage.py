"""Stages judged on the candidate's own inputs, at preset tiny and TP 8."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.layers.k1 import K1
from kk3ref.layers.k2 import DENSE_MLP, K2
from kk3ref.precision import BASELINE, CONTRACT, Precision
from kk3ref.presets import preset
from kk3ref.stages import Kind, Layer, Role, Scope, Stage, Tap, run_layer, run_stage
from verify.bounds import BoundPolicy
from verify.checks.elements import unravel
from verify.checks.stage import Judge
from verify.data import StageReport, Verdict
from verify.inputs import Case, build_case
from verify.step import Step

TP = 8
WEIGHTS = SyntheticWeights(preset("tiny"), 3)
LAYERS = {"k1": (K1, 5), "k1-block": (K1, 4), "k2": (K2, 5), "k2-block": (K2, 4)}
LAYERS["dense"] = (DENSE_MLP, 0)
CONTINUOUS = (Kind.BOUNDED, Kind.EXACT)
Taps = list[dict[str, Tensor]]


@cache
def case(name: str, seed: int = 0, family: str = "normal") -> Case:
    layer, index = LAYERS[name]
    return build_case(layer, WEIGHTS, index, TP, Step.resolve(rows=4, drafts=1), seed, family)


@cache
def contract(name: str) -> tuple[Mapping[str, Tensor], ...]:
    c = case(name)
    return tuple(run_layer(c.layer, CONTRACT, c.contexts, c.inputs))


def judge(c: Case, taps: Sequence[Mapping[str, Tensor]]) -> dict[str, StageReport]:
    j = Judge(c.layer, c.contexts, c.inputs, only_taps(c.layer, taps))
    return {s.name: j.stage(s) for s in c.layer.stages}


def only_taps(layer: Layer, values: Sequence[Mapping[str, Tensor]]) -> Taps:
    names = {tap.name for tap in layer.taps}
    return [{n: t for n, t in v.items() if n in names} for v in values]


def failing(reports: Mapping[str, StageReport]) -> dict[tuple[str, str], str]:
    """Messages by stage and output."""
    return {
        (report.stage, output.output): "\n".join(
            f"{check.name}: {check.message}"
            for check in output.checks
            if check.verdict is not Verdict.PASS
        )
        for report in reports.values()
        for output in report.outputs
        if output.verdict is not Verdict.PASS
    }


def outputs(*kinds: Kind) -> list[Any]:
    return [
        pytest.param(name, s, tap, id=f"{name}-{s.name}-{tap.name}")
        for name in ("k1", "k2", "dense")
        for s in LAYERS[name][0].stages
        for tap in s.outputs
        if tap.kind in kinds
    ]


# -- the reference passes ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("policy", [CONTRACT, BASELINE], ids=lambda p: p.name)
@pytest.mark.parametrize("name", LAYERS)
def test_reference_is_within_every_bound(name: str, policy: Precision, seed: int) -> None:
    c = case(name, seed + 100)
    reports = judge(c, run_layer(c.layer, policy, c.contexts, c.inputs))
    assert failing(reports) == {}
    shares = [o.metrics.max_over_bound for r in reports.values() for o in r.outputs if o.metrics]
    assert 0.3 < max(shares) <= 1, "a bound that is never approached shows little"


@pytest.mark.parametrize("name", ["k1", "k2"])
def test_every_output_of_every_stage_is_judged(name: str) -> None:
    c = case(name)
    reports = judge(c, contract(name))
    judged = {
        (r.stage, o.output): {check.name for check in o.checks}
        for r in reports.values()
        for o in r.outputs
    }
    main = {Kind.EXACT: "exact", Kind.BOUNDED: "bound", Kind.PICKS: "picks"}
    for s in c.layer.stages:
        for tap in s.outputs:
            assert main.get(tap.kind, "codes") in judged[s.name, tap.name]
            assert {"dtype_and_shape", "finite"} <= judged[s.name, tap.name]


# -- one element moved ---------------------------------------------------------------------------


@dataclass
class Moved:
    taps: Taps
    rank: int
    index: list[int]


def next_away(x: Tensor) -> Tensor:
    """The next number of the dtype away from zero."""
    return torch.nextafter(x, torch.full_like(x, torch.inf).copysign(x))


def edge(bounded: Any, at: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """The last number of the dtype inside the bound, away from zero."""
    value, bound = bounded.value[at], bounded.total()[at]
    limit = value + bound.copysign(value)
    number = limit.to(dtype)
    while number.double().abs() > limit.abs():
        number = torch.nextafter(number, torch.zeros_like(number))
    return number


def stage_inputs(s: Stage, values: Taps, rank: int) -> dict[str, Any]:
    if s.scope is Scope.COLLECTIVE:
        return {n: [v[n] for v in values] for n in s.inputs}
    return {n: values[rank][n] for n in s.inputs}


def run_moved(c: Case, target: Stage, tap: Tap, steps: int) -> Moved:
    """The contract with one element moved to the edge of its bound and ``steps`` beyond it.

    On a rank's own stage rank 3 is off; what all ranks compute alike is off on all of them.
    """
    values: Taps = [dict(v) for v in c.inputs]
    moved = Moved(values, 3 if target.scope is Scope.RANK else 0, [])
    for s in c.layer.stages:
        results = [dict(r) for r in run_stage(s, CONTRACT, c.contexts, values)]
        if s.name == target.name:
            rank = moved.rank
            own = s(BoundPolicy(), c.contexts[rank], stage_inputs(s, values, rank))
            changed = results[rank][tap.name].clone()
            # The middle of what is not zero: a spare slot or a dead channel has no ulp.
            candidates = torch.nonzero(changed.flatten())
            moved.index = unravel(int(candidates[len(candidates) // 2]), changed.shape)
            at = tuple(moved.index)
            exact = tap.kind is Kind.EXACT
            number = changed[at] if exact else edge(own[tap.name], at, tap.dtype)
            for _ in range(steps):
                number = next_away(number)
            changed[at] = number
            for r in [rank] if s.scope is Scope.RANK else c.ranks:
                results[r][tap.name] = changed
        for v, result in zip(values, results, strict=True):
            v.update(result)
    return moved


@pytest.mark.parametrize(("name", "target", "tap"), outputs(*CONTINUOUS))
def test_one_ulp_past_the_bound_fails_exactly_there(name: str, target: Stage, tap: Tap) -> None:
    moved = run_moved(case(name), target, tap, steps=1)
    messages = failing(judge(case(name), moved.taps))
    assert list(messages) == [(target.name, tap.name)]
    check = "exact" if tap.kind is Kind.EXACT else "bound"
    where = f"stage {target.name}, output {tap.name}, rank {moved.rank}, index {moved.index}: "
    (message,) = messages.values()
    assert f"{check}: {where}" in message
    assert "rounding point " in message


@pytest.mark.parametrize(("name", "target", "tap"), outputs(Kind.BOUNDED))
def test_at_the_edge_of_the_bound_passes(name: str, target: Stage, tap: Tap) -> None:
    moved = run_moved(case(name), target, tap, steps=0)
    messages = failing(judge(case(name), moved.taps))
    if tap.dtype is torch.float32:  # there the ratio criterion may be the tighter one
        (message,) = messages.values() if messages else ("ratio: ",)
        assert message.startswith("ratio: ")
    else:
        assert messages == {}


@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf], ids=str)
@pytest.mark.parametrize(("name", "target", "tap"), outputs(*CONTINUOUS))
def test_garbage_in_one_element_fails(name: str, target: Stage, tap: Tap, value: float) -> None:
    c = case(name)
    taps = only_taps(c.layer, contract(name))
    taps[2][tap.name] = taps[2][tap.name].clone()
    taps[2][tap.name].view(-1)[-1] = value
    report = Judge(c.layer, c.contexts, c.inputs, taps).stage(target)
    (failed,) = [o for o in report.outputs if o.verdict is Verdict.FAIL]
    assert failed.output == tap.name
    names = {check.name for check in failed.checks if check.verdict is Verdict.FAIL}
    assert names >= {"finite", "exact" if tap.kind is Kind.EXACT else "bound"}


@pytest.mark.parametrize(("name", "target", "tap"), outputs(*CONTINUOUS))
def test_zeros_do_not_pass(name: str, target: Stage, tap: Tap) -> None:
    c = case(name)
    taps = only_taps(c.layer, contract(name))
    taps[1][tap.name] = torch.zeros_like(taps[1][tap.name])
    assert Judge(c.layer, c.contexts, c.inputs, taps).stage(target).verdict is Verdict.FAIL


def test_failing_tensors_are_kept() -> None:
    c = case("k1")
    s = K1.stage("in_proj")
    moved = run_moved(c, s, s.outputs[0], steps=1)
    j = Judge(c.layer, c.contexts, c.inputs, only_taps(c.layer, moved.taps))
    j.stage(s)
    assert list(j.failing) == ["in_proj.proj"]
    kept = j.failing["in_proj.proj"]
    assert set(kept) == {"rank3.candidate", "rank3.oracle", "rank3.bound"}
    over = (kept["rank3.candidate"].double() - kept["rank3.oracle"]).abs() > kept["rank3.bound"]
    assert torch.nonzero(over).tolist() == [moved.index]


# -- discrete values -----------------------------------------------------------------------------


def swap_picks(ids: Tensor) -> None:
    ids[1] = ids[1].flip(0)


def other_pick(ids: Tensor) -> None:
    ids[0, -1] = next(e for e in range(31, -1, -1) if e not in ids[0].tolist())


def two_steps(codes: Tensor) -> None:
    code = int(codes[0, ..., 0].flatten()[0]) & 7
    codes.view(-1)[0] = (int(codes.view(-1)[0]) & 0xF8) | (code + 2 if code < 6 else code - 2)


def next_scale(scales: Tensor) -> None:
    scales.view(-1)[0] += 1


@pytest.mark.parametrize(
    ("stage", "output", "spoil"),
    [
        ("route", "ids", swap_picks),
        ("route", "ids", other_pick),
        ("latent_quant", "lat_codes", two_steps),
        ("latent_quant", "lat_scales", next_scale),
        ("experts_up", "h_codes", two_steps),
        ("experts_up", "h_scales", next_scale),
    ],
)
def test_a_wrong_discrete_value_fails(
    stage: str, output: str, spoil: Callable[[Tensor], None]
) -> None:
    c = case("k2")
    taps = only_taps(c.layer, contract("k2"))
    taps[4][output] = taps[4][output].clone()
    spoil(taps[4][output])
    j = Judge(c.layer, c.contexts, c.inputs, taps)
    report = j.stage(K2.stage(stage))
    (failed,) = [o for o in report.outputs if o.output == output]
    assert failed.verdict is Verdict.FAIL
    (check,) = [check for check in failed.checks if check.verdict is Verdict.FAIL]
    assert f"stage {stage}, output {output}, rank 4, index [" in check.message
    assert set(j.failing[f"{stage}.{output}"]) == {
        f"rank4.{what}" for what in ("candidate", "oracle", "bound")
    }


# -- candidates that expose only some taps -------------------------------------------------------


def without(taps: Sequence[Mapping[str, Tensor]], *names: str) -> Taps:
    return [{n: t for n, t in v.items() if n not in names} for v in taps]


def results_only(c: Case, taps: Sequence[Mapping[str, Tensor]]) -> Taps:
    hidden = [n for n, role in c.layer.roles.items() if role is Role.TAP]
    return without(only_taps(c.layer, taps), *hidden)


def run_faulty(c: Case, fault: str) -> Taps:
    """The contract with a stage's outputs doubled; what follows sees them."""

    def intercept(s: Stage, context: Any, taps: dict[str, Tensor]) -> dict[str, Tensor]:
        if s.name != fault:
            return taps
        return {
            n: t * 2 if s.outputs[i].role is Role.TAP else t
            for i, (n, t) in enumerate(taps.items())
        }

    return [dict(v) for v in run_layer(c.layer, CONTRACT, c.contexts, c.inputs, intercept)]


@pytest.mark.parametrize("policy", [CONTRACT, BASELINE], ids=lambda p: p.name)
@pytest.mark.parametrize("name", ["k1", "dense"])
def test_merged_stages_pass_for_a_right_candidate(name: str, policy: Precision) -> None:
    c = case(name)
    every = run_layer(c.layer, policy, c.contexts, c.inputs)
    taps = results_only(c, every)
    if name == "k1":  # merged as a whole its bound is wider than its values, and shows nothing
        taps = [
            t | {n: v[n] for n in ("proj", "conv", "o")} for t, v in zip(taps, every, strict=True)
        ]
    reports = judge(c, taps)
    assert not [r for r in reports.values() if r.verdict is Verdict.FAIL]
    for tap in c.layer.taps:
        if tap.name in taps[0]:
            (report,) = [o for r in reports.values() for o in r.outputs if o.output == tap.name]
            assert report.verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        (name, s.name)
        for name in ("k1", "dense")
        for s in LAYERS[name][0].stages
        if any(tap.role is Role.TAP and tap.kind is Kind.BOUNDED for tap in s.outputs)
    ],
)
def test_a_fault_in_an_unexposed_stage_is_caught(name: str, fault: str) -> None:
    c = case(name)
    reports = judge(c, results_only(c, run_faulty(c, fault)))
    assert Verdict.FAIL in {r.verdict for r in reports.values()}


def test_merged_stages_say_what_they_cover() -> None:
    c = case("k1")
    taps = without(only_taps(c.layer, contract("k1")), "q", "k", "decay", "beta")
    j = Judge(c.layer, c.contexts, c.inputs, taps)
    reports = {s.name: j.stage(s) for s in c.layer.stages}
    assert reports["qk_norm"].verdict is Verdict.NOT_CHECKED
    assert reports["recurrence"].verdict is Verdict.PASS
    assert reports["recurrence"].note == "judged through q, k, decay, beta"
    assert {n: j.covered_by(n) for n in ("q", "k", "decay", "beta", "conv")} == {
        "q": "recurrence",
        "k": "recurrence",
        "decay": "recurrence",
        "beta": "recurrence",
        "conv": None,
    }


@pytest.mark.parametrize("hidden", [K2.stage("route").outputs[0], *K2.stage("experts_up").outputs])
def test_past_an_unexposed_discrete_value_nothing_passes(hidden: Tap) -> None:
    c = case("k2")
    reports = judge(c, without(contract("k2"), hidden.name))
    readers = {s.name for s in K2.stages if hidden.name in s.inputs}
    for name in readers:
        assert reports[name].verdict is Verdict.NOT_CHECKED
        for output in reports[name].outputs:
            assert hidden.name in output.checks[0].message


def test_a_fault_past_an_unexposed_pick_does_not_pass() -> None:
    c = case("k2")
    j = Judge(c.layer, c.contexts, c.inputs, without(run_faulty(c, "experts_down"), "ids"))
    report = j.stage(K2.stage("experts_down"))
    assert report.verdict is Verdict.NOT_CHECKED
    assert j.covered_by("ids") is None


def test_elements_without_their_scales_fail() -> None:
    c = case("k2")
    taps = without(only_taps(c.layer, contract("k2")), "lat_scales")
    report = Judge(c.layer, c.contexts, c.inputs, taps).stage(K2.stage("latent_quant"))
    assert report.verdict is Verdict.FAIL
    assert "scales must be exposed" in report.outputs[0].checks[-1].message


@pytest.mark.parametrize("shape", [(4, 1), (4, 4, 1), ()])
def test_scales_of_a_wrong_shape_fail_without_a_crash(shape: tuple[int, ...]) -> None:
    c = case("k2")
    taps = only_taps(c.layer, contract("k2"))
    for v in taps:
        v["lat_scales"] = torch.full(shape, 127, dtype=torch.uint8)
    report = Judge(c.layer, c.contexts, c.inputs, taps).stage(K2.stage("latent_quant"))
    assert [o.verdict for o in report.outputs] == [Verdict.FAIL, Verdict.FAIL]


def test_stages_the_contract_stood_in_for_are_not_checked() -> None:
    c = case("dense")
    taps = only_taps(c.layer, contract("dense"))
    j = Judge(c.layer, c.contexts, c.inputs, taps, frozenset({"dense_act"}))
    assert j.stage(DENSE_MLP.stage("dense_act")).verdict is Verdict.NOT_CHECKED
    assert j.stage(DENSE_MLP.stage("dense_down")).verdict is Verdict.PASS


@pytest.mark.parametrize("change", [lambda t: t.float(), lambda t: t[:1], lambda t: t[None]])
def test_wrong_form_fails_without_a_crash(change: Callable[[Tensor], Tensor]) -> None:
    c = case("dense")
    taps = only_taps(c.layer, contract("dense"))
    taps[7]["act"] = change(taps[7]["act"])
    report = Judge(c.layer, c.contexts, c.inputs, taps).stage(DENSE_MLP.stage("dense_act"))
    (check,) = [x for x in report.outputs[0].checks if x.verdict is Verdict.FAIL]
    assert check.name == "dtype_and_shape"
    assert "output act, rank 7: must be torch.bfloat16 (4, " in check.message
