"""Proof that a case's inputs could have failed: planted faults the checks must see.

A plant replaces one stage's function. It is run on the candidate's own inputs of that stage, on
the last rank (a collective stage on all), and judged like the candidate; a family whose faults pass
unseen proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from torch import Tensor

from kk3ref.precision import CONTRACT
from kk3ref.stages import Scope, Stage, run_layer
from verify.checks.stage import Judge
from verify.data import Verdict
from verify.data.record import Vacuity
from verify.faults import anywhere, collective, kda, mla, moe
from verify.faults.plant import Memory, Plant
from verify.inputs import Case
from verify.memory import far_apart

_ERROR_5 = anywhere.relative_error(0.05, "attn_read", "dense_act")

PLANTS: dict[str, tuple[Plant, ...]] = {
    "normal": (anywhere.BF16_SUMS, _ERROR_5, kda.SILU_GATE, kda.STALE_START),
    "heavy-tails": (
        anywhere.BF16_SUMS,
        anywhere.relative_error(0.02, "attn_read", "mlp_read", "gates"),
    ),
    "tiny": (anywhere.relative_error(0.05, "dense_act"), anywhere.EPSILON_DROPPED),
    "saturating": (
        moe.UNCLAMPED,
        kda.BINARY_DECAY,
        anywhere.relative_error(0.02, "attn_read", "output_gate"),
    ),
    "ties": (moe.HIGHER_ID,),
    "cancelling-ranks": (collective.REVERSED_RANKS,),
    "zero-keys": (kda.BINARY_DECAY,),
    "slow-decay": (kda.STALE_START, kda.BINARY_DECAY),
    "padded": (anywhere.PADDING_UNWRITTEN,),
    "scaled-cache": (mla.UNSCALED, mla.OTHER_FORMAT),
    "far-pages": (mla.WRAPPED_OFFSET,),
    "context-shards": (mla.EMPTY_SHARD,),
}
"""By input family."""


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
    for plant in PLANTS[case.family]:
        if not plant.fits(case.layer, case.contexts[0], case.step.drafts):
            continue
        if plant is anywhere.PADDING_UNWRITTEN and not case.step.padded:
            continue  # one request cannot be padding and live
        s = case.layer.stage(plant.targets(case.layer)[0])
        if s.scope is Scope.COLLECTIVE and len(case.contexts) < 3:
            continue  # the sum of two has no order
        progress(f"vacuity: {plant.name}")
        values = taps
        if unusable & set(s.inputs) or not _exposed(case, s, taps):
            values = contract = contract or _contract_taps(case)
        found.append(_plant(case, s, plant, values))
    return found


def _contract_taps(case: Case) -> list[dict[str, Tensor]]:
    values = run_layer(case.layer, CONTRACT, case.contexts, case.inputs)
    names = {tap.name for tap in case.layer.taps}
    return [{name: t for name, t in v.items() if name in names} for v in values]


def _exposed(case: Case, s: Stage, taps: Sequence[Mapping[str, Tensor]]) -> bool:
    """Whether every rank has the stage's inputs."""
    every = [{**i, **t} for i, t in zip(case.inputs, taps, strict=True)]
    return all(name in known for name in s.inputs for known in every)


def _plant(case: Case, s: Stage, plant: Plant, taps: Sequence[Mapping[str, Tensor]]) -> Vacuity:
    ranks = slice(0, None) if s.scope is Scope.COLLECTIVE else slice(-1, None)
    contexts = case.contexts[ranks]
    every = [{**i, **t} for i, t in zip(case.inputs[ranks], taps[ranks], strict=True)]
    inputs = {
        name: [values[name] for values in every] if s.scope is Scope.COLLECTIVE else every[0][name]
        for name in s.inputs
    }
    memory = Memory(case.inputs, _far_buffers(case))
    outputs = plant.run(s, contexts[0], inputs, memory)
    spoiled = [{**t, **outputs} for t in taps[ranks]]
    judge = Judge(
        case.layer,
        contexts,
        case.inputs[ranks],
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
    return Vacuity(fault=plant.name, stage=s.name, seen=bool(failed), by=failed)


def _far_buffers(case: Case) -> list[dict[str, Tensor]]:
    """The cache as a candidate has it, for faults of its addresses."""
    if not case.far_pages:
        return []
    cache = case.inputs[0]["kv_cache"]
    return [{"kv_cache_after": far_apart(tuple(cache.shape), cache.dtype).tensor}]
