"""Named values under a policy, taken from the candidate's taps and computed where it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from kk3ref.precision import CONTRACT, Precision
from kk3ref.stages import Kind, Layer, RankContext, Scope, Stage, Tap, Taps
from verify.bounds import BoundPolicy, CodeRange

_DISCRETE = {Kind.PICKS, Kind.MX_CODES, Kind.MX_SCALES, Kind.FP8}


class NotExposed(LookupError):
    """A stage's input is behind a discontinuity and the candidate does not expose it."""


class Resolver:
    """Runs single stages under one policy on a candidate's own stage inputs.

    A value the candidate does not expose is computed from the nearest ones it does, so a fused
    kernel's stages merge into one; past an unexposed discrete value nothing can be judged.
    """

    def __init__(
        self,
        layer: Layer,
        policy: Precision,
        contexts: Sequence[RankContext],
        inputs: Sequence[Mapping[str, Tensor]],
        taps: Sequence[Mapping[str, Tensor]],
    ):
        self._policy = policy
        self._contexts = contexts
        self._known = [{**i, **t} for i, t in zip(inputs, taps, strict=True)]
        self._producer = {tap.name: (s, tap) for s in layer.stages for tap in s.outputs}
        self._memo: dict[tuple[str, int], Taps] = {}

    def outputs(self, s: Stage, rank: int) -> Taps:
        """The stage's outputs on one rank.

        Raises:
            NotExposed: an input stands behind an unexposed discrete value.
        """
        shared = s.scope is not Scope.RANK
        key = (s.name, 0 if shared and self._same_inputs(s, rank) else rank)
        if key not in self._memo:
            self._memo[key] = s(self._policy, self._contexts[rank], self._inputs(s, rank))
        return self._memo[key]

    def forget(self, s: Stage, rank: int) -> None:
        """Drop a rank's results of a stage, unless others need them."""
        exposed = all(tap.name in known for tap in s.outputs for known in self._known)
        if exposed and s.scope is Scope.RANK:
            self._memo.pop((s.name, rank), None)

    def exposed(self, name: str) -> bool:
        """Whether every rank exposes a value (or it is an input of the layer)."""
        return all(name in known for known in self._known)

    def merged(self, s: Stage) -> list[str]:
        """Values the candidate does not expose that the stage is judged through, nearest first."""
        names: dict[str, None] = {}
        for name in s.inputs:
            if not self.exposed(name):
                names[name] = None
                names.update(dict.fromkeys(self.merged(self._producer[name][0])))
        return list(names)

    def fixes(self, s: Stage) -> bool:
        """Whether what lies between the stage and the exposed values leaves no choice of bits."""
        return all(self._producer[name][1].kind is Kind.EXACT for name in self.merged(s))

    def reads(self, s: Stage) -> set[str]:
        """Exposed values the stage is judged on, directly or through unexposed ones."""
        names: set[str] = set()
        for name in s.inputs:
            exposed = self.exposed(name)
            names |= {name} if exposed else self.reads(self._producer[name][0])
        return names

    def _inputs(self, s: Stage, rank: int) -> dict[str, Any]:
        if s.scope is Scope.COLLECTIVE:
            ranks = range(len(self._contexts))
            return {name: [self._value(name, r) for r in ranks] for name in s.inputs}
        return {name: self._value(name, rank) for name in s.inputs}

    def _value(self, name: str, rank: int) -> Any:
        if name in self._known[rank]:
            return self._known[rank][name]
        s, tap = self._producer[name]
        if tap.kind in _DISCRETE:
            return self._discrete(s, tap, rank)
        return self.outputs(s, rank)[name]

    def _discrete(self, s: Stage, tap: Tap, rank: int) -> Tensor:
        """An unexposed discrete value, where its exact inputs leave no choice.

        Raises:
            NotExposed: an error bound of what is encoded leaves one.
        """
        key = (f"{s.name}/exact", rank)
        if key not in self._memo:
            inputs = self._inputs(s, rank)
            plain = all(isinstance(value, Tensor) for value in inputs.values())
            bound = s(BoundPolicy(), self._contexts[rank], inputs) if plain else {}
            values = [v.values for v in bound.values() if isinstance(v, CodeRange)]
            if len(values) != len(s.outputs) or any(bool(v.total().any()) for v in values):
                raise NotExposed(f"{tap.name} of stage {s.name}")
            self._memo[key] = s(CONTRACT, self._contexts[rank], inputs)
        return self._memo[key][tap.name]

    def _same_inputs(self, s: Stage, rank: int) -> bool:
        if rank == 0 or s.scope is Scope.COLLECTIVE:
            return True
        for name in s.inputs:
            mine, first = self._known[rank].get(name), self._known[0].get(name)
            if mine is None or first is None:
                if mine is not first:
                    return False
                s = self._producer[name][0]
                if s.scope is Scope.RANK or not self._same_inputs(s, rank):
                    return False
            elif mine is not first and not _same(mine, first):
                return False
        return True


def _same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and torch.equal(a, b)
