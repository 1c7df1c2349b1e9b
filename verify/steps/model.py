"""A model whose fused layers are run by candidates, and everything they left, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from kk3ref.checkpoint import Source
from kk3ref.model import Model, Request, State
from kk3ref.precision import CONTRACT, ORACLE, Precision, Value
from kk3ref.stages import (
    Intercept,
    Kind,
    Layer,
    LayerOptions,
    RankContext,
    Role,
    Stage,
    Taps,
    run_layer,
)
from verify.candidates import Candidate, CandidateError, LayerCall, execute
from verify.checks.layerwide import untouched_slots
from verify.checks.stage import Judge
from verify.data import Build, Verdict
from verify.device import CPU, contexts_on, inputs_on, taps_to_cpu
from verify.inputs.case import AFTER
from verify.inputs.pools import written_slots

_DISCRETE = (Kind.PICKS, Kind.MX_CODES, Kind.MX_SCALES)


@dataclass
class Played:
    """One fused layer of one step.

    Attributes:
        layer: its stages.
        contexts: one a rank.
        inputs: what it read, one mapping a rank.
        taps: what it left and exposes, one mapping a rank.
    """

    layer: Layer
    contexts: Sequence[RankContext]
    inputs: Sequence[Mapping[str, Value]]
    taps: list[Taps]

    @property
    def index(self) -> int:
        """0-based decoder layer."""
        return self.contexts[0].layer.index


class CandidateModel(Model):
    """A model of the contract whose decode layers candidates run.

    Args:
        source: weights.
        tp: ranks.
        options: storage choices.
        candidates: by fused layer's name (``k1``, ``m1``, ``k2``, ``dense-post``); a layer without
            one is run by the contract.
        indices: decoder layers that the candidates run (all if None).
        shown: taps that count as exposed, by layer name (all that are, if None).
        device: where the candidates run; everything else is on the CPU.

    Attributes:
        tape: the last step, in order.
        problems: unfinished outputs and touched slots, in words.
    """

    def __init__(
        self,
        source: Source,
        tp: int,
        options: LayerOptions,
        candidates: Mapping[str, Candidate],
        indices: frozenset[int] | None = None,
        shown: Mapping[str, frozenset[str]] | None = None,
        device: torch.device = CPU,
    ):
        super().__init__(source, CONTRACT, tp, options)
        self._candidates, self._indices, self._shown = candidates, indices, shown
        self._device = device
        self._moved: dict[tuple[str, int], list[RankContext]] = {}
        self._prefilling = False
        self.tape: list[Played] = []
        self.problems: list[str] = []
        self._builds: dict[str, Build] = {}
        self._hardware: set[str | None] = set()

    @property
    def builds(self) -> list[Build]:
        """Compiled kernels that candidates ran, each once."""
        return list(self._builds.values())

    @property
    def hardware(self) -> str | None:
        """Where they ran, if every launch ran on the accelerator that it is made for."""
        return next(iter(self._hardware)) if len(self._hardware) == 1 else None

    def prefill(
        self, state: State, request: Request, tokens: Tensor, *, all_rows: bool = False
    ) -> Value:
        """By the contract: candidates decode."""
        self._prefilling = True
        try:
            return super().prefill(state, request, tokens, all_rows=all_rows)
        finally:
            self._prefilling = False

    def decode_step(
        self,
        state: State,
        requests: Sequence[Request | None],
        tokens: Tensor,
        num_accepted: Tensor,
    ) -> Value:
        """See :meth:`kk3ref.model.Model.decode_step`; the tape starts anew."""
        self.tape = []
        self._live = torch.tensor([r is not None for r in requests])
        return super().decode_step(state, requests, tokens, num_accepted)

    def run_layer(
        self, layer: Layer, contexts: Sequence[RankContext], given: Sequence[Taps]
    ) -> list[Taps]:
        """By the layer's candidate."""
        if self._prefilling:
            return super().run_layer(layer, contexts, given)
        # The first layer has no pending delta: kernels are given a zero one.
        given = [
            {
                n: torch.zeros_like(v["prefix"]) if n == "delta" and t is None else t
                for n, t in v.items()
            }
            for v in given
        ]
        inputs = [{n: v[n] for n in layer.inputs} for v in given]
        candidate = self._candidates.get(layer.name)
        if candidate is None or (self._indices and contexts[0].layer.index not in self._indices):
            taps = run_layer(layer, CONTRACT, contexts, inputs)
            names = {tap.name for tap in layer.taps}
            taps = [{n: t for n, t in values.items() if n in names} for values in taps]
        else:
            taps = self._by_candidate(candidate, layer, contexts, inputs)
        self.tape.append(Played(layer, contexts, inputs, self._exposed(layer, taps)))
        return taps

    def _by_candidate(
        self,
        candidate: Candidate,
        layer: Layer,
        contexts: Sequence[RankContext],
        inputs: Sequence[Mapping[str, Tensor]],
    ) -> list[Taps]:
        call = self._call(layer, contexts, inputs)
        with torch.no_grad():
            run = execute(candidate, call, lambda _: None)
        self._builds |= {b.model_dump_json(): b for b in run.evidence.builds}
        self._hardware.add(run.evidence.hardware)
        taps: list[Taps] = [dict(t) for t in taps_to_cpu(run.taps)]
        where = f"layer {contexts[0].layer.index} ({layer.name})"
        before = [
            {f"{n}{AFTER}": t for n, t in values.items() if f"{n}{AFTER}" in layer.roles}
            for values in inputs
        ]
        written = {n: m for n, m in written_slots(inputs[0]).items() if n in layer.roles}
        touched = untouched_slots(layer, before, taps, written)
        if touched.verdict is Verdict.FAIL:
            self.problems.append(f"{where}: {touched.message}")
        rows = self._live.repeat_interleave(inputs[0]["prefix"].shape[0] // len(self._live))
        for name, role in layer.roles.items():
            for rank, values in enumerate(taps):
                if role is Role.OUTPUT and not bool(values[name][rows].isfinite().all()):
                    self.problems.append(f"{where}: {name}, rank {rank} must be finite")
        return taps

    def _call(
        self,
        layer: Layer,
        contexts: Sequence[RankContext],
        inputs: Sequence[Mapping[str, Tensor]],
    ) -> LayerCall:
        """On the candidates' device, to which a layer's weights are moved once."""
        key = (layer.name, contexts[0].layer.index)
        if key not in self._moved:
            self._moved[key] = contexts_on(contexts, self._device)
        buffers = [
            {n: t.to(self._device) for n, t in _buffers(layer, c, values).items()}
            for c, values in zip(contexts, inputs, strict=True)
        ]
        moved = inputs_on(inputs, self._device)
        return LayerCall(layer, self._moved[key], moved, buffers)

    def _exposed(self, layer: Layer, taps: list[Taps]) -> list[Taps]:
        if self._shown is None:
            return [dict(values) for values in taps]
        shown = self._shown[layer.name]
        return [{n: t for n, t in values.items() if n in shown} for values in taps]


def _buffers(layer: Layer, c: RankContext, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Outputs filled with NaN, and copies of the pools."""
    made = {}
    rows = inputs["prefix"].shape[0]
    local = c.shapes.kda_channels if c.layer.attention == "kda" else c.shapes.mla_value_cols
    for tap in layer.taps:
        role = layer.roles[tap.name]
        if role is Role.STATE:
            made[tap.name] = inputs[tap.name.removesuffix(AFTER)].clone()
        elif role is Role.OUTPUT:
            width = local if tap.name == "core" else c.config.hidden_size
            made[tap.name] = torch.full((rows, width), torch.nan, dtype=tap.dtype)
    return made


class ForcedModel(Model):
    """A free-running model that takes its picks and MXFP4 codes from another's tape.

    One flipped pick sends a row to another expert; from then on two trajectories have nothing in
    common, and their distance says nothing about either. With the discrete choices given, what is
    left is continuous, and errors add up.

    Attributes:
        tape: the last step.
        unforced: names of discrete values the other does not expose.
        flips: of the last step, how many discrete values it would have chosen otherwise, by name.
            Where a stage reads discrete values alone, all of them the other's, only those count
            that ``verify layer`` would not pass.
    """

    def __init__(self, source: Source, tp: int, options: LayerOptions, p: Precision = ORACLE):
        super().__init__(source, p, tp, options)
        self.tape: list[Played] = []
        self.unforced: set[str] = set()
        self.flips: dict[str, int] = {}
        self._live = torch.ones(0, dtype=torch.bool)
        self._given: dict[tuple[str, int], list[Taps]] = {}

    def follow(
        self,
        tape: Sequence[Played],
        state: State,
        requests: Sequence[Request | None],
        tokens: Tensor,
        num_accepted: Tensor,
    ) -> None:
        """One step with another's discrete values."""
        self._given = {(played.layer.name, played.index): played.taps for played in tape}
        self.tape, self.flips = [], {}
        self._live = torch.tensor([r is not None for r in requests])
        self._live = self._live.repeat_interleave(tokens.shape[1])
        self.decode_step(state, requests, tokens, num_accepted)

    def run_layer(
        self, layer: Layer, contexts: Sequence[RankContext], given: Sequence[Taps]
    ) -> list[Taps]:
        """With the other's discrete values in the place of its own."""
        theirs = self._given[layer.name, contexts[0].layer.index]
        kinds = {tap.name: tap.kind for tap in layer.taps}

        inputs = [{n: v[n] for n in layer.inputs} for v in given]

        def forced(s: Stage, c: RankContext, taps: Taps) -> Taps:
            differ = {}
            for name in taps:
                if kinds[name] in _DISCRETE:
                    value = self._discrete(s, c, name, theirs[c.rank])
                    if value is None:
                        self.unforced.add(name)
                    else:
                        differ[name] = int((taps[name] != value)[self._live].sum())
                        taps[name] = value
            settled = all(n in theirs[c.rank] and kinds[n] in _DISCRETE for n in s.inputs)
            if settled and any(differ.values()):
                judge = Judge(layer, contexts, inputs, theirs, ranks=frozenset({c.rank}))
                passed = {o.output for o in judge.stage(s).outputs if o.verdict is Verdict.PASS}
                differ = {n: 0 if n in passed else count for n, count in differ.items()}
            for name, count in differ.items():
                self.flips[name] = self.flips.get(name, 0) + count
            return taps

        intercept: Intercept = forced
        taps = run_layer(layer, self.p, contexts, given, intercept)
        self.tape.append(Played(layer, contexts, inputs, taps))
        return taps

    def _discrete(self, s: Stage, c: RankContext, name: str, theirs: Taps) -> Value | None:
        if name in theirs:
            return theirs[name]
        if all(n in theirs for n in s.inputs):  # codes of an exposed value leave no choice
            return s(CONTRACT, c, theirs)[name]
        return None


def copy_request(source: State, target: State, request: Request, place: Request) -> None:
    """Give a request of one state the contents another's has, in the target's precision."""
    slots, pages = list(request.slots), list(request.pages)
    mine, own = list(place.slots), list(place.pages)
    pairs: list[tuple[dict[int, list[Any]], dict[int, list[Any]], list[int], list[int]]] = [
        (source.conv, target.conv, slots, mine),
        (source.recurrent, target.recurrent, slots, mine),
        (source.kv, target.kv, pages, own),
    ]
    for theirs, ours, there, here in pairs:
        for layer, ranks in theirs.items():
            for rank, pool in enumerate(ranks):
                kept = ours[layer][rank]
                kept[here] = pool[there].to(kept.dtype)
    place.base, place.last_rows = request.base, request.last_rows


__all__ = ["CandidateError", "CandidateModel", "ForcedModel", "Played", "copy_request"]
