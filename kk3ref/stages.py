"""Named stages: how a fused layer is cut into parts that can be checked one by one.

A stage is a function ``f(p, c, <inputs by name>)`` of a precision policy, a rank's context and
named tensors. A layer is a sequence of stages; running it leaves every stage's inputs and outputs
available by name (*taps*), one mapping a rank.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from kk3ref.config import K3Config, LayerInfo, RankShapes
from kk3ref.precision import Precision, Value

Taps = dict[str, Value]


class Scope(str, enum.Enum):
    """Who computes a stage."""

    RANK = "rank"
    """every rank, on its own shard"""
    REPLICATED = "replicated"
    """every rank, the same values"""
    COLLECTIVE = "collective"
    """all ranks together; inputs are lists in rank order, the result is the same everywhere"""


class Kind(str, enum.Enum):
    """How an output is judged."""

    EXACT = "exact"
    """nothing rounds, or the order is part of the contract: bit-equal to the contract"""
    BOUNDED = "bounded"
    """within the bound derived from the stage's rounding points"""
    PICKS = "picks"
    """expert ids in pick order"""
    MX_CODES = "mx_codes"
    """packed E2M1 elements; judged together with the scales that follow them"""
    MX_SCALES = "mx_scales"
    """E8M0 block scales"""
    FP8 = "fp8"
    """fp8 elements"""


class Role(str, enum.Enum):
    """What an output is to the layer."""

    TAP = "tap"
    """an inner value; a fused kernel may not expose it"""
    OUTPUT = "output"
    """a result of the layer; must be given"""
    STATE = "state"
    """a whole state pool after the step; must be given"""


@dataclass(frozen=True)
class Tap:
    """A named output of a stage."""

    name: str
    dtype: torch.dtype = torch.bfloat16
    kind: Kind = Kind.BOUNDED
    role: Role = Role.TAP
    free_padding: bool = False
    """rows of padding requests may hold anything finite: no state defines them"""


@dataclass(frozen=True)
class LayerOptions:
    """Choices of a deployment that change a layer's definition or storage."""

    conv_dim_first: bool = True
    """conv state ``[slots, dim, len]`` rather than ``[slots, len, dim]``"""
    kv_dtype: str = "fp8_e4m3fn"
    """latent cache: ``fp8_e4m3fn``, ``fp8_e4m3fnuz`` or ``bf16``"""
    kv_scale: float = 1.0
    """static scale of an fp8 latent cache: stored = value / scale"""
    fp8_query: bool | None = None
    """MLA query in the cache's fp8 format; None: whenever the cache is fp8"""
    query_scale: float = 1.0
    """static scale of an fp8 query: stored = value / scale"""
    absorb_format: str = "bf16"
    """W_UK and W_UV: ``bf16``, or ``mxfp4`` (weights and activations)"""
    page_size: int = 16
    """latent cache rows a page"""
    dcp: int = 1
    """decode context parallel ranks"""

    @property
    def query_dtype(self) -> str:
        """Format of the stored MLA query: the cache's, or ``bf16``."""
        fp8 = self.kv_dtype != "bf16" if self.fp8_query is None else self.fp8_query
        return self.kv_dtype if fp8 else "bf16"


@dataclass(frozen=True)
class RankContext:
    """What a stage knows besides its inputs: one rank's weights and shapes."""

    config: K3Config
    layer: LayerInfo
    shapes: RankShapes
    rank: int
    weights: Mapping[str, Any]
    options: LayerOptions = field(default_factory=LayerOptions)

    @property
    def tp(self) -> int:
        """Ranks of the tensor-parallel group."""
        return self.shapes.tp

    @property
    def eps(self) -> float:
        """Epsilon of every RMS norm of the model."""
        return self.config.rms_norm_eps

    def __getattr__(self, name: str) -> Any:
        try:
            return self.weights[name]
        except KeyError:
            raise AttributeError(f"rank {self.rank} has no weight {name!r}") from None


@dataclass(frozen=True)
class Stage:
    """One checkable part of a layer."""

    name: str
    run: Callable[..., Any]
    inputs: tuple[str, ...]
    outputs: tuple[Tap, ...]
    scope: Scope

    def __call__(self, p: Precision, c: RankContext, values: Mapping[str, Any]) -> Taps:
        """Run on named inputs; returns the outputs by name."""
        result = self.run(p, c, *(values[name] for name in self.inputs))
        if len(self.outputs) == 1:
            result = (result,)
        return {tap.name: value for tap, value in zip(self.outputs, result, strict=True)}


def stage(*outputs: Tap, scope: Scope = Scope.RANK) -> Callable[[Callable[..., Any]], Stage]:
    """Make a stage of a function ``f(p, c, input, …)``; the argument names are the inputs."""

    def decorate(run: Callable[..., Any]) -> Stage:
        inputs = tuple(inspect.signature(run).parameters)[2:]
        return Stage(run.__name__.strip("_"), run, inputs, outputs, scope)

    return decorate


@dataclass(frozen=True)
class Layer:
    """A fused layer as a sequence of stages."""

    name: str
    stages: tuple[Stage, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names that must be given: read by a stage before any stage writes them."""
        given: dict[str, None] = {}
        made: set[str] = set()
        for s in self.stages:
            given.update({name: None for name in s.inputs if name not in made})
            made.update(tap.name for tap in s.outputs)
        return tuple(given)

    @property
    def taps(self) -> tuple[Tap, ...]:
        """Every output of every stage, in order."""
        return tuple(tap for s in self.stages for tap in s.outputs)

    @property
    def roles(self) -> dict[str, Role]:
        """Role of every output; what the last stage gives is the layer's result."""
        roles = {tap.name: tap.role for tap in self.taps}
        for tap in self.stages[-1].outputs:
            if tap.role is Role.TAP:
                roles[tap.name] = Role.OUTPUT
        return roles

    def stage(self, name: str) -> Stage:
        """The stage called ``name``.

        Raises:
            KeyError: names the stages there are.
        """
        for s in self.stages:
            if s.name == name:
                return s
        raise KeyError(f"{self.name} has no stage {name!r}; it has {[s.name for s in self.stages]}")


Intercept = Callable[[Stage, RankContext, Taps], Taps]


def run_stage(
    s: Stage,
    p: Precision,
    contexts: Sequence[RankContext],
    values: Sequence[Mapping[str, Value]],
) -> list[Taps]:
    """Run one stage on all ranks; replicated and collective results are shared, not copied."""
    if s.scope is Scope.COLLECTIVE:
        gathered = {name: [v[name] for v in values] for name in s.inputs}
        return [s(p, contexts[0], gathered)] * len(contexts)
    if s.scope is Scope.REPLICATED:
        return [s(p, contexts[0], values[0])] * len(contexts)
    return [s(p, c, v) for c, v in zip(contexts, values, strict=True)]


def run_layer(
    layer: Layer,
    p: Precision,
    contexts: Sequence[RankContext],
    inputs: Sequence[Mapping[str, Value]],
    intercept: Intercept | None = None,
) -> list[Taps]:
    """Run a layer on all ranks of one process.

    Args:
        contexts: one a rank, in rank order.
        inputs: the layer's named inputs, one mapping a rank.
        intercept: called after each stage and rank with the outputs; what it returns goes on (to
            observe a run, or to plant a fault).

    Returns:
        Every input and stage output by name, one mapping a rank.

    Raises:
        KeyError: lists the inputs that are missing.
    """
    missing = sorted({n for v in inputs for n in layer.inputs if n not in v})
    if missing:
        raise KeyError(f"{layer.name}: missing inputs {missing}; it reads {list(layer.inputs)}")
    values = [dict(v) for v in inputs]
    for s in layer.stages:
        results = run_stage(s, p, contexts, values)
        for c, v, result in zip(contexts, values, results, strict=True):
            v.update(intercept(s, c, dict(result)) if intercept else result)
    return values
