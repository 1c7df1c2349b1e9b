"""Runs of many steps: the controls pass, drift that no single step shows is seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import pytest
import torch
from drifting import Drifting
from torch import Tensor

from kk3ref.checkpoint import SyntheticWeights
from kk3ref.config import K3Config
from kk3ref.precision import CONTRACT
from kk3ref.presets import preset
from kk3ref.stages import LayerOptions, RankContext, Stage
from verify.candidates import LayerCall
from verify.candidates.base import StageFunction
from verify.candidates.reference import baseline, contract
from verify.data import CandidateInfo, Verdict
from verify.inputs import Case
from verify.layers import LAYERS
from verify.run import verify_case
from verify.steps import KINDS, StepsPlan, run_steps
from verify.steps.run import StepsOutcome

INFO = CandidateInfo(name="test")
# Two KDA layers and both MLA layers of the tail; and more layers, of which two write a block.
CONFIG = replace(preset("tiny"), num_hidden_layers=4, full_attn_layers=(3, 4), kda_layers=(1, 2))
DEEPER = replace(
    preset("tiny"),
    num_hidden_layers=6,
    full_attn_layers=(3, 5, 6),
    kda_layers=(1, 2, 4),
    attn_res_block_size=3,
)


def run(
    candidate: object,
    kinds: tuple[str, ...] = KINDS,
    steps: int = 6,
    config: K3Config = CONFIG,
) -> StepsOutcome:
    candidates = dict.fromkeys(kinds, candidate)
    plan = StepsPlan(
        SyntheticWeights(config, 0),
        "tiny",
        candidates,  # type: ignore[arg-type]
        INFO,
        "repeat",
        steps,
        requests=4,
        drafts=1,
    )
    return run_steps(plan)


def verdicts(outcome: StepsOutcome) -> dict[str, Verdict]:
    return {check.name: check.verdict for check in outcome.record.checks}


class Faulty:
    """The contract with one stage replaced: ``change(outputs, inputs)``."""

    name = description = "faulty"

    def __init__(
        self,
        stages: tuple[Stage, ...],
        name: str,
        change: Callable[[dict[str, Tensor], Mapping[str, Tensor]], dict[str, Tensor]],
    ):
        self.stages = {s.name: s for s in stages}
        self.target, self.change = name, change

    def available(self) -> tuple[bool, str]:
        return True, ""

    def stage(self, name: str) -> StageFunction | None:
        if name not in self.stages:
            return None
        return partial(self.call, self.stages[name])

    def call(self, s: Stage, c: RankContext, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        out = dict(s(CONTRACT, c, inputs))
        return {**out, **self.change(out, inputs)} if s.name == self.target else out


def test_the_control_passes_and_covers_what_serving_meets() -> None:
    outcome = run(contract(), steps=14, config=DEEPER)
    failing = {n: v for n, v in verdicts(outcome).items() if v is not Verdict.PASS}
    assert failing == {}
    record = outcome.record
    assert record.coverage["MLA tail layers"] == 2
    assert record.coverage["block-write layers"] == 2
    assert record.coverage["slots used again"] > 0
    assert record.coverage["steps with padding"] > 0
    assert {g.view for g in record.growth} == {"state", "depth"}
    assert {g.layer for g in record.growth} == set(range(6))
    assert record.hardware is Verdict.NOT_CHECKED
    ages = {g.ages[0] for g in record.growth}
    assert ages == {1, 2, 4, 8}


def test_drift_that_every_single_step_hides_is_seen(
    make_case: Callable[..., Case],
) -> None:
    """The same candidate passes each per-stage criterion on every family it could show in."""
    for family in ("normal", "slow-decay", "zero-keys"):
        case = make_case("k1", family=family, tp=2)
        only = frozenset({"recurrence"})
        record = verify_case(case, Drifting(), INFO, "repeat", only=only).record
        assert record.verdict is Verdict.PASS, family
    outcome = run(Drifting(), ("k1",), steps=20)
    failing = [n for n, v in verdicts(outcome).items() if v is Verdict.FAIL]
    assert failing == ["state.recurrent_state"]
    (check,) = [c for c in outcome.record.checks if c.verdict is Verdict.FAIL]
    assert "× the baseline" in check.message
    assert check.value is not None
    assert check.limit is not None
    assert check.value > check.limit


def _lose_window(out: dict[str, Tensor], inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """F2: the window is moved as if one row had been accepted."""
    after = out["conv_state_after"].clone()
    slots = inputs["state_index"][:, 0].long()
    slots = slots[slots != 0]
    after[slots, :, 0] = inputs["conv_state"][slots, :, 1]
    after[slots, :, 1] = inputs["conv_state"][slots, :, 2]
    return {"conv_state_after": after}


def _spoil_page(out: dict[str, Tensor], inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The first row of every context's first page is overwritten."""
    after = out["kv_cache_after"].clone()
    pages = inputs["block_table"][:, 0].long()
    after[pages[pages != 0], 0] = 0x38
    return {"kv_cache_after": after}


def _spoil_slot(out: dict[str, Tensor], inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """F6: a slot of nobody in this step is written."""
    after = out["recurrent_state_after"].clone()
    after[0] = 1.0
    return {"recurrent_state_after": after}


def _other_picks(out: dict[str, Tensor], inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Every row's last pick is another expert."""
    ids = out["ids"].clone()
    ids[:, -1] = (ids[:, -1] + 1) % CONFIG.num_experts
    return {"ids": ids}


def _other_codes(out: dict[str, Tensor], inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Every hidden row's first element has the other sign."""
    codes = out["h_codes"].clone()
    codes[..., 0] ^= 8
    return {"h_codes": codes}


@pytest.mark.parametrize(
    ("kind", "stage", "change", "check"),
    [
        ("k1", "conv", _lose_window, "state.conv_state"),
        ("m1", "cache_write", _spoil_page, "state.kv_cache"),
        ("k1", "recurrence", _spoil_slot, "outputs_and_slots"),
        ("k2", "route", _other_picks, "flips.ids"),
        ("k2", "experts_up", _other_codes, "flips.h_codes"),
    ],
    ids=["F2-window", "page-overwritten", "F6-slot", "picks", "codes"],
)
def test_faults_of_state_and_choice_are_seen(
    kind: str, stage: str, change: Callable[..., dict[str, Tensor]], check: str
) -> None:
    layer = LAYERS[kind].make(LayerOptions())
    outcome = run(Faulty(layer.stages, stage, change), (kind,))
    assert verdicts(outcome)[check] is Verdict.FAIL


def test_another_legal_tanh_flips_no_code_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off by some ulp of 1 near zero, as through exp, where codes are sensitive."""

    def tanh(x: Tensor) -> Tensor:
        return torch.tanh(x) + 5 * 2.0**-24 * torch.sign(x)

    def situ(gate: Tensor, up: Tensor, beta: float, linear_beta: float) -> Tensor:
        gated = beta * tanh(gate / beta) * torch.sigmoid(gate)
        return gated * (linear_beta * tanh(up / linear_beta))

    class Rough(Faulty):
        flipped = 0

        def call(self, s: Stage, c: RankContext, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
            out = dict(s(CONTRACT, c, inputs))
            if s.name != self.target:
                return out
            with monkeypatch.context() as patched:
                patched.setattr("kk3ref.mlp.situ", situ)
                other = dict(s(CONTRACT, c, inputs))
            self.flipped += int((out["h_codes"] != other["h_codes"]).sum())
            return other

    layer = LAYERS["k2"].make(LayerOptions())
    candidate = Rough(layer.stages, "experts_up", lambda out, inputs: out)
    outcome = run(candidate, ("k2",), steps=12)
    assert candidate.flipped > 0
    (flips,) = [f for f in outcome.record.flips if f.what == "h_codes"]
    assert flips.candidate == 0


def test_a_fused_candidate_is_compared_with_a_baseline_that_exposes_as_little() -> None:
    class Fused:
        name = description = "fused"

        def available(self) -> tuple[bool, str]:
            return True, ""

        def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
            return [
                {n: t for n, t in taps.items() if call.layer.roles[n].value != "tap"}
                for taps in baseline().run(call)
            ]

    outcome = run(Fused(), ("k1",))
    found = verdicts(outcome)
    assert found["state.recurrent_state"] is Verdict.PASS
    values = {g.what: g for g in outcome.record.growth if g.view == "state"}
    assert values["recurrent_state"].ratio == pytest.approx(1.0)
    assert values["recurrent_state"].candidate > 1e-5  # through the unexposed projections


def test_unexposed_choices_are_named_and_not_passed() -> None:
    class NoPicks:
        name = description = "no picks"

        def available(self) -> tuple[bool, str]:
            return True, ""

        def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
            hidden = {"ids", "logits"}
            return [
                {n: t for n, t in taps.items() if n not in hidden} for taps in contract().run(call)
            ]

    outcome = run(NoPicks(), ("k2",), steps=3)
    assert verdicts(outcome)["compared"] is Verdict.NOT_CHECKED
    assert any("not forced" in note and "ids" in note for note in outcome.record.notes)


def test_the_drifting_state_is_truncated() -> None:
    from drifting import truncated

    x = torch.randn(4096, dtype=torch.float64)
    kept = truncated(x)
    assert bool((kept.double().abs() <= x.abs()).all())
    assert bool(((kept.double() - x).abs() < x.abs() * 2.0**-23).all())
