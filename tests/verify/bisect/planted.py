"""Failing candidates: contract stages with one mistake each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from torch import Tensor

from kk3ref.layers.k1 import K1
from kk3ref.layers.k2 import K2
from kk3ref.precision import CONTRACT
from kk3ref.stages import Layer, RankContext, Stage
from verify.candidates.base import StageFunction

Change = Callable[[RankContext, Mapping[str, Any], Stage], dict[str, Tensor]]


class Planted:
    description = "planted"

    def __init__(self, name: str, layer: Layer, target: str, change: Change):
        self.name, self.target, self.change = name, target, change
        self.stages = {s.name: s for s in layer.stages}

    def available(self) -> tuple[bool, str]:
        return True, "pure PyTorch"

    def stage(self, name: str) -> StageFunction | None:
        return partial(self.call, self.stages[name]) if name in self.stages else None

    def call(self, s: Stage, c: RankContext, inputs: Mapping[str, Any]) -> dict[str, Tensor]:
        if s.name == self.target:
            return self.change(c, inputs, s)
        return dict(s(CONTRACT, c, inputs))


def _experts(c: RankContext, inputs: Mapping[str, Any], s: Stage) -> dict[str, Tensor]:
    """Rank 1 has one column of the last row half again too large."""
    out = s(CONTRACT, c, inputs)["moe_partial"].clone()
    if c.rank == 1:
        out[-1, 5] *= 1.5
    return {"moe_partial": out}


def _clamped(c: RankContext, inputs: Mapping[str, Any], s: Stage) -> dict[str, Tensor]:
    """The accepted count is clamped to two: three accepted rows start from the wrong slot."""
    counts = inputs["num_accepted"].clamp(max=2)
    return dict(s(CONTRACT, c, {**inputs, "num_accepted": counts}))


def _spoils(c: RankContext, inputs: Mapping[str, Any], s: Stage) -> dict[str, Tensor]:
    """The delta is overwritten once every rank has added it."""
    out = dict(s(CONTRACT, c, inputs))
    if c.rank == c.tp - 1:
        inputs["delta"].zero_()
    return out


def experts() -> Planted:
    return Planted("experts", K2, "experts_down", _experts)


def clamped() -> Planted:
    return Planted("clamped", K1, "recurrence", _clamped)


def spoils() -> Planted:
    return Planted("spoils", K1, "prefix_update", _spoils)
