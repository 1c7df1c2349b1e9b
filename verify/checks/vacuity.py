"""Proof that a case's inputs could have failed: planted faults the checks must see.

A fault replaces one stage's function. It is run on the candidate's own inputs of that stage, on
rank 0 (a collective stage on all), and judged like the candidate; a family whose faults pass unseen
proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from kk3ref.precision import CONTRACT, Precision
from kk3ref.stages import RankContext, Scope, Stage, run_layer
from verify.checks.stage import Judge
from verify.data import Verdict
from verify.data.record import Vacuity
from verify.inputs import Case

Faulty = Callable[[Stage, RankContext, Mapping[str, Any]], dict[str, Tensor]]


@dataclass(frozen=True)
class PlantedFault:
    """A fault and the stages it can be planted in (the first the layer has)."""

    name: str
    stages: tuple[str, ...]
    run: Faulty


def _with_policy(policy: Precision) -> Faulty:
    return lambda s, c, values: s(policy, c, values)


class _Bf16Accumulation(Precision):
    """Partial sums of a split reduction kept in bf16."""

    def __init__(self) -> None:
        super().__init__("bf16-accumulation", torch.float32, rounds=True)

    def _contract(self, x: Tensor, w: Tensor) -> Tensor:
        k = x.shape[-1]
        step = max(1, k // 16)
        total = torch.zeros(*x.shape[:-1], w.shape[0])
        for a in range(0, k, step):
            part = x[..., a : a + step] @ w[:, a : a + step].T
            total = (total + part).to(torch.bfloat16).to(torch.float32)
        return total


class _NoEpsilon(Precision):
    """The epsilon of every RMS norm dropped."""

    def __init__(self) -> None:
        super().__init__("no-epsilon", torch.float32, rounds=True)

    def rms_scale(self, x: Tensor, eps: float, point: str) -> Tensor:
        return super().rms_scale(x, 0.0, point)


class _HigherIdWins(Precision):
    """Ties of the router go to the higher id."""

    def __init__(self) -> None:
        super().__init__("higher-id", torch.float32, rounds=True)

    def top_k(self, scores: Tensor, k: int, point: str) -> Tensor:
        flipped = super().top_k(scores.flip(-1), k, point)
        return scores.shape[-1] - 1 - flipped


class _ReverseRanks(Precision):
    """The ranks' partials summed from the last to the first."""

    def __init__(self) -> None:
        super().__init__("reverse-ranks", torch.float32, rounds=True)

    def rank_sum(self, parts: Sequence[Tensor], point: str) -> Tensor:
        return super().rank_sum(parts[::-1], point)


def _relative_error(error: float) -> Faulty:
    """Every float output off by a relative error: what the family's rounding must not hide."""

    def run(s: Stage, c: RankContext, values: Mapping[str, Any]) -> dict[str, Tensor]:
        outputs = s(CONTRACT, c, values)
        return {
            n: (t.float() * (1 + error)).to(t.dtype) if t.is_floating_point() else t
            for n, t in outputs.items()
        }

    return run


def _unclamped(s: Stage, c: RankContext, values: Mapping[str, Any]) -> dict[str, Tensor]:
    """SwiGLU in the place of SiTU: no tanh bounds."""
    (name,) = s.inputs
    g, u = values[name].float().chunk(2, -1)
    return {s.outputs[0].name: (g * torch.sigmoid(g) * u).to(torch.bfloat16)}


def _silu_gate(s: Stage, c: RankContext, values: Mapping[str, Any]) -> dict[str, Tensor]:
    """The output gate as g·sigmoid(g)."""
    proj = values["proj"].float()
    inner = c.shapes.kda_channels
    g = proj[:, 3 * inner : 4 * inner]
    core = s(CONTRACT, c, values)["core"].float()
    return {"core": (core * g).to(torch.bfloat16)}


def _binary_decay(s: Stage, c: RankContext, values: Mapping[str, Any]) -> dict[str, Tensor]:
    """exp2 in the place of exp."""
    decay = values["decay"] ** math.log(2)
    return s(CONTRACT, c, {**values, "decay": decay})


def _stale_start(s: Stage, c: RankContext, values: Mapping[str, Any]) -> dict[str, Tensor]:
    """The recurrence starts from the first row's slot whatever was accepted."""
    ones = torch.ones_like(values["num_accepted"])
    last = torch.full_like(ones, values["state_index"].shape[1])
    wrong = torch.where(values["num_accepted"] == 1, last, ones)
    return s(CONTRACT, c, {**values, "num_accepted": wrong})


def _padding_unwritten(s: Stage, c: RankContext, values: Mapping[str, Any]) -> dict[str, Tensor]:
    """The last row left as it was: NaN."""
    outputs = s(CONTRACT, c, values)
    for t in outputs.values():
        if t.is_floating_point():
            t[-1:] = math.nan
    return outputs


_PROJECTIONS = ("in_proj", "qkv_a", "o_proj", "router", "dense_up")
_NORMS = ("attn_read", "mlp_read", "gated_norm", "latent_norm", "q_norm", "kv_norm")

FAULTS: dict[str, tuple[PlantedFault, ...]] = {
    "normal": (
        PlantedFault("bf16 partial sums", _PROJECTIONS, _with_policy(_Bf16Accumulation())),
        PlantedFault("5 % relative error", ("attn_read", "dense_act"), _relative_error(0.05)),
        PlantedFault("SiLU in the output gate", ("gated_norm",), _silu_gate),
        PlantedFault(
            "start of the recurrence not at the accepted row", ("recurrence",), _stale_start
        ),
    ),
    "heavy-tails": (
        PlantedFault("bf16 partial sums", _PROJECTIONS, _with_policy(_Bf16Accumulation())),
        PlantedFault(
            "2 % relative error", ("attn_read", "mlp_read", "gates"), _relative_error(0.02)
        ),
    ),
    "tiny": (
        PlantedFault("5 % relative error", ("dense_act",), _relative_error(0.05)),
        PlantedFault("epsilon dropped", _NORMS, _with_policy(_NoEpsilon())),
    ),
    "saturating": (
        PlantedFault("SwiGLU in the place of SiTU", ("shared_act", "dense_act"), _unclamped),
        PlantedFault("exp2 decay", ("recurrence",), _binary_decay),
        PlantedFault("2 % relative error", ("attn_read", "output_gate"), _relative_error(0.02)),
    ),
    "ties": (PlantedFault("ties to the higher id", ("route",), _with_policy(_HigherIdWins())),),
    "cancelling-ranks": (
        PlantedFault(
            "ranks summed in reverse",
            ("attn_all_reduce", "final_all_reduce"),
            _with_policy(_ReverseRanks()),
        ),
    ),
    "zero-keys": (PlantedFault("exp2 decay", ("recurrence",), _binary_decay),),
    "slow-decay": (
        PlantedFault(
            "start of the recurrence not at the accepted row", ("recurrence",), _stale_start
        ),
        PlantedFault("exp2 decay", ("recurrence",), _binary_decay),
    ),
    "padded": (
        PlantedFault(
            "padding row unwritten",
            ("gated_norm", "up_add", "output_gate", "attn_read", "dense_down", "o_proj"),
            _padding_unwritten,
        ),
    ),
}


def prove_inputs(
    case: Case,
    taps: Sequence[Mapping[str, Tensor]],
    unusable: set[str],
    progress: Callable[[str], None],
) -> list[Vacuity]:
    """Plant each of the family's faults in the stages the layer has.

    A fault whose stage has inputs the candidate does not expose is planted on the contract's.

    Args:
        taps: what the candidate exposes.
        unusable: of these, what no stage can be computed with.
    """
    found = []
    contract: Sequence[Mapping[str, Tensor]] | None = None
    for fault in FAULTS[case.family]:
        s = next((s for s in case.layer.stages if s.name in fault.stages), None)
        if s is None or not _tells(case, s, fault):
            continue
        progress(f"vacuity: {fault.name}")
        values = taps
        if unusable & set(s.inputs) or not _exposed(case, s, taps):
            values = contract = contract or _contract_taps(case)
        found.append(_plant(case, s, fault, values))
    return found


def _contract_taps(case: Case) -> list[dict[str, Tensor]]:
    values = run_layer(case.layer, CONTRACT, case.contexts, case.inputs)
    names = {tap.name for tap in case.layer.taps}
    return [{name: t for name, t in v.items() if name in names} for v in values]


def _exposed(case: Case, s: Stage, taps: Sequence[Mapping[str, Tensor]]) -> bool:
    """Whether every rank has the stage's inputs."""
    every = [{**i, **t} for i, t in zip(case.inputs, taps, strict=True)]
    return all(name in known for name in s.inputs for known in every)


def _tells(case: Case, s: Stage, fault: PlantedFault) -> bool:
    """Whether the step tells the fault apart at all."""
    if s.scope is Scope.COLLECTIVE and len(case.contexts) < 3:
        return False  # the sum of two has no order
    return fault.run is not _stale_start or case.step.drafts > 0


def _plant(
    case: Case, s: Stage, fault: PlantedFault, taps: Sequence[Mapping[str, Tensor]]
) -> Vacuity:
    ranks = len(taps) if s.scope is Scope.COLLECTIVE else 1
    every = [{**i, **t} for i, t in zip(case.inputs[:ranks], taps[:ranks], strict=True)]
    inputs = {
        name: [values[name] for values in every] if s.scope is Scope.COLLECTIVE else every[0][name]
        for name in s.inputs
    }
    outputs = fault.run(s, case.contexts[0], inputs)
    spoiled = [{**t, **outputs} for t in taps[:ranks]]
    judge = Judge(
        case.layer,
        case.contexts[:ranks],
        case.inputs[:ranks],
        spoiled,
        live_rows=case.step.live_rows,
    )
    report = judge.stage(s)
    failed = [
        f"{output.output}: {check.name}"
        for output in report.outputs
        for check in output.checks
        if check.verdict is Verdict.FAIL
    ]
    return Vacuity(fault=fault.name, stage=s.name, seen=bool(failed), by=failed)
