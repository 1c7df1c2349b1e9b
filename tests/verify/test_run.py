"""A whole verification, at preset tiny: what must pass, and what must fail where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor

from kk3ref.precision import CONTRACT
from kk3ref.stages import LayerOptions, RankContext, run_layer
from verify.bounds import BoundPolicy
from verify.candidates import LayerCall
from verify.candidates.reference import CompiledCandidate, baseline, contract
from verify.data import CandidateInfo, Record, Verdict
from verify.inputs import FAMILIES, Case
from verify.layers import LAYERS
from verify.run import Outcome, failures, verify_case
from verify.step import Step

INFO = CandidateInfo(name="test")


def verify(case: Case, candidate: Any, only: frozenset[str] | None = None) -> Outcome:
    return verify_case(case, candidate, INFO, "repeat me", only=only)


def explain(record: Record) -> str:
    return "\n".join(f"{where} {check.name}: {check.message}" for where, check in failures(record))


def pairs() -> list[tuple[str, str]]:
    found = []
    for kind, choice in LAYERS.items():
        layer = choice.make(LayerOptions())
        stages = tuple(s.name for s in layer.stages)
        found += [(kind, f.name) for f in FAMILIES.values() if f.applies(layer.inputs, stages)]
    return found


class WholeLayer:
    """The contract as a whole-layer candidate that works on the buffers, with a hook."""

    name = "whole"
    description = "contract on buffers"

    def __init__(
        self,
        spoil: Callable[[LayerCall], None] = lambda call: None,
        expose: frozenset[str] = frozenset(),
    ):
        self.spoil = spoil
        self.expose = expose

    def available(self) -> tuple[bool, str]:
        return True, ""

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        values = run_layer(call.layer, CONTRACT, call.contexts, call.inputs)
        for rank, buffers in enumerate(call.buffers):
            for name, buffer in buffers.items():
                buffer.copy_(values[rank][name])
        self.spoil(call)
        return [{n: v[n] for n in self.expose if n in v} for v in values]


@pytest.mark.parametrize(("kind", "family"), pairs(), ids=lambda value: value)
@pytest.mark.parametrize("candidate", [contract, baseline], ids=lambda make: make.__name__)
def test_reference_passes_every_family(
    make_case: Any, kind: str, family: str, candidate: Callable[[], Any]
) -> None:
    wanted = FAMILIES[family]
    drafts = LAYERS[kind].drafts if LAYERS[kind].drafts is not None else wanted.drafts
    step = Step.resolve(drafts=drafts, padded=wanted.padded or 0)
    record = verify(make_case(kind, family=family, step=step), candidate()).record
    assert record.verdict is Verdict.PASS, explain(record)
    assert record.hardware is Verdict.NOT_CHECKED
    assert record.vacuity, "nothing proves that these inputs could have failed"


@pytest.mark.parametrize(
    "options",
    [
        LayerOptions(kv_dtype="bf16"),
        LayerOptions(kv_dtype="fp8_e4m3fnuz", kv_scale=0.25),
        LayerOptions(absorb_format="mxfp4"),
        LayerOptions(dcp=8),
    ],
    ids=["bf16-cache", "fnuz-scale-0.25", "mxfp4-absorb", "dcp8"],
)
def test_mla_passes_with_every_storage_option(make_case: Any, options: LayerOptions) -> None:
    record = verify(make_case("m1", options=options), contract()).record
    assert record.verdict is Verdict.PASS, explain(record)


@pytest.mark.parametrize("tp", [1, 2, 4, 8])
@pytest.mark.parametrize("kind", ["k1", "k2", "m1"])
def test_contract_passes_at_every_parallelism(make_case: Any, kind: str, tp: int) -> None:
    record = verify(make_case(kind, tp=tp), contract()).record
    assert record.verdict is Verdict.PASS, explain(record)


def test_conv_state_may_be_stored_length_first(make_case: Any) -> None:
    case = make_case("k1", options=LayerOptions(conv_dim_first=False))
    record = verify(case, contract()).record
    assert record.verdict is Verdict.PASS, explain(record)


def test_compiled_candidate_passes(make_case: Any) -> None:
    case = make_case("kda", tp=2)
    record = verify(case, CompiledCandidate(case.layer)).record
    assert record.verdict is Verdict.PASS, explain(record)


# -- one perturbed element ---------------------------------------------------------------------


class Perturbed:
    """The contract with one element of one stage's output moved past its bound."""

    name = "perturbed"
    description = "one element off"

    def __init__(self, case: Case, stage: str, output: str, rank: int, steps: float):
        self.case, self.target, self.output, self.rank, self.steps = (
            case,
            stage,
            output,
            rank,
            steps,
        )
        self.index: tuple[int, ...] = ()

    def available(self) -> tuple[bool, str]:
        return True, ""

    def stage(self, name: str) -> Callable[[RankContext, Mapping[str, Any]], dict[str, Tensor]]:
        s = self.case.layer.stage(name)

        def call(context: RankContext, inputs: Mapping[str, Any]) -> dict[str, Tensor]:
            outputs = {n: t.clone() for n, t in s(CONTRACT, context, inputs).items()}
            if name == self.target and context.rank == self.rank:
                bounded = s(BoundPolicy(), context, inputs)[self.output]
                value = outputs[self.output]
                at = tuple(n // 2 for n in value.shape)
                limit = float(bounded.value[at] + bounded.total()[at])
                edge = torch.tensor(limit).to(value.dtype)
                ulp = abs(float(edge)) * torch.finfo(value.dtype).eps
                value[at] = float(edge) + self.steps * ulp
                self.index = at
            return outputs

        return call


@pytest.mark.parametrize(
    ("kind", "stage", "output"),
    [
        ("k1", "in_proj", "proj"),
        ("k1", "conv", "conv"),
        ("k1", "gates", "decay"),
        ("k1", "recurrence", "o"),
        ("k1", "gated_norm", "core"),
        ("k2", "o_proj", "o_partial"),
        ("k2", "experts_down", "moe_partial"),
        ("k2", "shared_act", "sh"),
        ("k2", "up_add", "final"),
        ("m1", "qkv_a", "proj_a"),
        ("m1", "attend", "o_lat"),
        ("m1", "v_up", "attn"),
    ],
    ids=lambda value: value,
)
def test_one_ulp_past_the_bound_fails_that_stage_alone(
    make_case: Any, kind: str, stage: str, output: str
) -> None:
    case = make_case(kind)
    candidate = Perturbed(case, stage, output, rank=3, steps=1.0)
    outcome = verify(case, candidate)
    failed = {r.stage for r in outcome.record.stages if r.verdict is Verdict.FAIL}
    assert failed == {stage}
    assert outcome.record.verdict is Verdict.FAIL
    (message,) = {
        check.message for where, check in failures(outcome.record) if check.name == "bound"
    }
    index = list(candidate.index)
    for part in (f"stage {stage}", f"output {output}", "rank 3", f"index {index}"):
        assert part in message
    assert "rounding point " in message
    assert set(outcome.tensors) == {f"{stage}.{output}"}


def test_an_element_inside_its_bound_passes(make_case: Any) -> None:
    case = make_case("k1")
    record = verify(case, Perturbed(case, "in_proj", "proj", rank=3, steps=-1.0)).record
    assert record.verdict is Verdict.PASS, explain(record)


# -- whole layers ------------------------------------------------------------------------------


def test_unexposed_stages_are_judged_with_the_next_exposed_one(make_case: Any) -> None:
    expose = frozenset({"proj", "conv", "o"})
    record = verify(make_case("k1"), WholeLayer(expose=expose)).record
    assert record.verdict is Verdict.PASS, explain(record)
    covered = {o.output: o.covered_by for r in record.stages for o in r.outputs if o.covered_by}
    assert covered == {
        "x": "in_proj",
        "g1": "recurrence",
        "q": "recurrence",
        "k": "recurrence",
        "decay": "recurrence",
        "beta": "recurrence",
    }


def test_inputs_are_proved_where_the_faulty_stage_is_not_exposed(make_case: Any) -> None:
    record = verify(make_case("k1", family="zero-keys"), WholeLayer()).record
    assert [(v.stage, v.seen) for v in record.vacuity] == [("recurrence", True)]


def test_a_bound_wider_than_the_values_is_not_a_pass(make_case: Any) -> None:
    record = verify(make_case("k1"), WholeLayer()).record
    (core,) = [o for r in record.stages for o in r.outputs if o.output == "core"]
    assert core.metrics is not None
    assert core.metrics.bound_width > 1
    assert core.verdict is Verdict.NOT_CHECKED
    assert record.verdict is Verdict.NOT_CHECKED


class SomeRanks(WholeLayer):
    """Exposes taps on the first two ranks only."""

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        return [t if rank < 2 else {} for rank, t in enumerate(super().run(call))]


def test_a_tap_of_some_ranks_is_not_a_pass(make_case: Any) -> None:
    case = make_case("k1")
    expose = frozenset(t.name for t in case.layer.taps)
    record = verify(case, SomeRanks(expose=expose)).record
    verdicts = {o.output: o.verdict for r in record.stages for o in r.outputs}
    assert verdicts["proj"] is Verdict.NOT_CHECKED
    assert record.verdict is not Verdict.PASS


def _spoil_pool_and_buffer(call: LayerCall) -> None:
    for values, name in ((call.inputs[0], "conv_state"), (call.buffers[0], "conv_state_after")):
        values[name][0, 0, 0] = 5.0


def test_a_spoiled_input_pool_does_not_hide_a_spoiled_slot(make_case: Any) -> None:
    record = verify(make_case("k1"), WholeLayer(_spoil_pool_and_buffer)).record
    failed = {c.name for c in record.layer_checks if c.verdict is Verdict.FAIL}
    assert {"inputs_unchanged", "untouched_slots"} <= failed


def test_past_an_unexposed_pick_nothing_is_called_a_pass(make_case: Any) -> None:
    record = verify(make_case("k2"), WholeLayer()).record
    assert record.verdict is Verdict.NOT_CHECKED
    assert record.verdict.exit_code == 2


def _spoil_state(call: LayerCall) -> None:
    unused = set(range(call.buffers[0]["recurrent_state_after"].shape[0]))
    unused -= set(call.inputs[0]["state_index"].flatten().tolist())
    call.buffers[2]["recurrent_state_after"][max(unused), 0, 0, 0] += 1e-3


def _spoil_null_slot(call: LayerCall) -> None:
    call.buffers[1]["conv_state_after"][0, 0, 0] = 1.0


def _spoil_guard(call: LayerCall) -> None:
    core = call.buffers[0]["core"]
    core.as_strided((core.numel() + 1,), (1,))[core.numel()] = 0.0


def _spoil_gap(call: LayerCall) -> None:
    state = call.buffers[0]["recurrent_state_after"]
    state.as_strided((state[0].numel() + 1,), (1,))[state[0].numel()] = 0.0


def _spoil_input(call: LayerCall) -> None:
    call.inputs[0]["prefix"][0, 0] += 1.0


def _spoil_row(call: LayerCall) -> None:
    call.buffers[5]["core"][-1] = torch.nan


def _spoil_rank(call: LayerCall) -> None:
    prefix = call.buffers[6]["prefix_after"]
    prefix[1, 1] = torch.nextafter(prefix[1, 1], torch.tensor(torch.inf, dtype=prefix.dtype))


@pytest.mark.parametrize(
    ("spoil", "check"),
    [
        (_spoil_state, "untouched_slots"),
        (_spoil_null_slot, "untouched_slots"),
        (_spoil_guard, "guard_bands"),
        (_spoil_gap, "guard_bands"),
        (_spoil_input, "inputs_unchanged"),
        (_spoil_row, "outputs_written"),
        (_spoil_rank, "ranks_equal"),
    ],
    ids=["spare-slot", "null-slot", "guard", "slot-gap", "input", "unwritten-row", "one-rank"],
)
def test_damage_outside_the_stages_is_seen(
    make_case: Any, spoil: Callable[[LayerCall], None], check: str
) -> None:
    record = verify(make_case("k1"), WholeLayer(spoil)).record
    assert check in {c.name for c in record.layer_checks if c.verdict is Verdict.FAIL}
    assert record.verdict is Verdict.FAIL


class OneStage:
    """A candidate with a function for in_proj only."""

    name = "one"
    description = "in_proj only"

    def available(self) -> tuple[bool, str]:
        return True, ""

    def stage(self, name: str) -> Callable[..., dict[str, Tensor]] | None:
        return self._in_proj if name == "in_proj" else None

    @staticmethod
    def _in_proj(context: RankContext, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        proj = inputs["x"].float() @ context.weights["w_in"].float().T
        return {"proj": proj.to(torch.bfloat16)}


def test_stages_of_the_contract_are_not_credited_to_the_candidate(make_case: Any) -> None:
    record = verify(make_case("k1"), OneStage()).record
    verdicts = {r.stage: r.verdict for r in record.stages}
    assert verdicts.pop("in_proj") is Verdict.PASS
    assert set(verdicts.values()) == {Verdict.NOT_CHECKED}
    assert record.verdict is Verdict.NOT_CHECKED


def test_a_single_stage_can_be_asked_for(make_case: Any) -> None:
    record = verify(make_case("k1"), OneStage(), only=frozenset({"in_proj"})).record
    assert [r.stage for r in record.stages] == ["in_proj"]
    assert record.verdict is Verdict.PASS, explain(record)


# -- malformed taps ----------------------------------------------------------------------------


class Malformed(WholeLayer):
    """All taps exposed, one of them damaged so that it cannot be computed with."""

    def __init__(self, case: Case, name: str, damage: Callable[[Tensor], Tensor]):
        super().__init__(expose=frozenset(t.name for t in case.layer.taps))
        self.damaged, self.damage = name, damage

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        return [t | {self.damaged: self.damage(t[self.damaged])} for t in super().run(call)]


@pytest.mark.parametrize(
    ("name", "stage", "damage", "check"),
    [
        ("ids", "route", lambda ids: ids + 10_000, "picks"),
        ("lat", "latent_down", lambda lat: lat[:, :-32], "dtype_and_shape"),
        ("logits", "router", lambda logits: logits.double(), "dtype_and_shape"),
    ],
    ids=["ids-out-of-range", "lat-too-narrow", "logits-in-float64"],
)
def test_a_tap_that_cannot_be_used_fails_and_stops_what_reads_it(
    make_case: Any, name: str, stage: str, damage: Callable[[Tensor], Tensor], check: str
) -> None:
    case = make_case("moe")
    record = verify(case, Malformed(case, name, damage)).record
    verdicts = {r.stage: r.verdict for r in record.stages}
    assert verdicts[stage] is Verdict.FAIL
    assert check in {c.name for where, c in failures(record) if where == f"{stage}.{name}"}
    readers = [s.name for s in case.layer.stages if name in s.inputs]
    assert readers
    assert {verdicts[r] for r in readers} == {Verdict.NOT_CHECKED}
    assert record.verdict is Verdict.FAIL


def test_bytes_that_are_only_moved_must_arrive(make_case: Any) -> None:
    case = make_case("m1", options=LayerOptions(dcp=8))

    def damage(queries: Tensor) -> Tensor:
        queries = queries.clone()
        queries[1, 2, 3] ^= 1
        return queries

    record = verify(case, Malformed(case, "queries", damage)).record
    (message,) = {c.message for where, c in failures(record) if where == "gather_query.queries"}
    assert "index [1, 2, 3]" in message
    assert "none (a move, or exact)" in message


# -- what follows exactly from exposed values --------------------------------------------------


def _without(case: Case, *hidden: str) -> WholeLayer:
    return WholeLayer(expose=frozenset(t.name for t in case.layer.taps) - set(hidden))


def test_unexposed_values_that_leave_no_choice_hide_nothing(make_case: Any) -> None:
    """A latent quantised inside the kernel, an all-reduce it keeps to itself."""
    case = make_case("k2")
    hidden = ("lat_codes", "lat_scales", "attn_out", "lat_sum")
    record = verify(case, _without(case, *hidden)).record
    assert record.verdict is Verdict.PASS, explain(record)
    names = {o.output: [c.name for c in o.checks] for r in record.stages for o in r.outputs}
    assert "exact" in names["prefix_after"]
    covered = {o.output: o.covered_by for r in record.stages for o in r.outputs if o.covered_by}
    assert covered == {
        "attn_out": "prefix_update",
        "lat_codes": "experts_up",
        "lat_scales": "experts_up",
        "lat_sum": "latent_norm",
    }


def test_codes_of_a_value_with_a_choice_stay_unknown(make_case: Any) -> None:
    case = make_case("k2")
    record = verify(case, _without(case, "lat", "lat_codes", "lat_scales")).record
    verdicts = {r.stage: r.verdict for r in record.stages}
    assert verdicts["experts_up"] is Verdict.NOT_CHECKED
    assert record.verdict is Verdict.NOT_CHECKED


# -- padding -----------------------------------------------------------------------------------


class PaddedRows(WholeLayer):
    """Exposes everything; the rows ``rows`` of o and core hold ``value`` on every rank."""

    def __init__(self, case: Case, rows: slice, value: float):
        super().__init__(expose=frozenset(t.name for t in case.layer.taps))
        self.rows, self.value = rows, value

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        taps = super().run(call)
        for values in taps:
            for name in ("o", "core"):
                values[name][self.rows] = self.value
        return taps


@pytest.mark.parametrize(
    ("rows", "value", "verdict"),
    [
        (slice(6, 8), 0.0, Verdict.PASS),
        (slice(6, 8), 3.0, Verdict.PASS),
        (slice(6, 8), torch.nan, Verdict.FAIL),
        (slice(5, 8), 0.0, Verdict.FAIL),
    ],
    ids=["zero", "finite", "nan", "a-live-row-too"],
)
def test_padding_rows_may_hold_anything_finite(
    make_case: Any, rows: slice, value: float, verdict: Verdict
) -> None:
    """As vLLM's K1 does, which writes zeros there."""
    case = make_case("k1", step=Step.resolve(drafts=1, padded=1))
    record = verify(case, PaddedRows(case, rows, value)).record
    assert record.verdict is verdict, explain(record)
