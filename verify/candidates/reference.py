"""Candidates made of the reference itself: the A/A control, the baseline, torch.compile."""

from __future__ import annotations

import logging
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
import torch._dynamo
import torch._logging
from torch import Tensor

from kk3ref.precision import BASELINE, CONTRACT, Precision
from kk3ref.stages import Layer, RankContext, Stage, run_layer
from verify.candidates.base import LayerCall, StageFunction


class ReferenceCandidate:
    """The reference under one precision: ``contract`` is the A/A control."""

    def __init__(self, precision: Precision):
        self.precision = precision
        self.name = precision.name
        self.description = f"kk3ref under the {precision.name} precision"

    def available(self) -> tuple[bool, str]:
        return True, "pure PyTorch"

    def run(self, call: LayerCall) -> list[dict[str, Tensor]]:
        values = run_layer(call.layer, self.precision, call.contexts, call.inputs)
        names = {tap.name for tap in call.layer.taps}
        return [{name: t for name, t in v.items() if name in names} for v in values]


class CompiledCandidate:
    """Each stage of the contract reference through ``torch.compile``."""

    name = "compiled"
    description = "kk3ref's contract stages through torch.compile"

    def __init__(self, layer: Layer):
        self._stages = {s.name: s for s in layer.stages}
        self._compiled: dict[str, StageFunction] = {}

    def available(self) -> tuple[bool, str]:
        compiler = next(filter(shutil.which, ("g++", "clang++", "c++")), None)
        if not torch.cuda.is_available() and compiler is None:
            return False, "torch.compile needs a C++ compiler on a CPU: none of g++, clang++, c++"
        return True, f"torch {torch.__version__}"

    def stage(self, name: str) -> StageFunction | None:
        if name not in self._compiled:
            self._compiled[name] = _compile(self._stages[name])
        return self._compiled[name]


# A stage may be compiled once a rank (it may name its rank) and once more for shared inputs; past
# the limit torch would run it uncompiled, which must be an error here.
_COMPILE_LIMITS = {"recompile_limit": 32, "fail_on_recompile_limit_hit": True}


def _compile(s: Stage) -> StageFunction:
    # Graph breaks are expected where picks and slots are data; only errors are worth a line.
    torch._logging.set_logs(dynamo=logging.ERROR)
    compiled = torch.compile(s.run, dynamic=False)
    mentioned = frozenset(s.run.__code__.co_names)

    def call(context: RankContext, inputs: Mapping[str, Any]) -> Mapping[str, Tensor]:
        # Weights are made before the call, so that no reading of files is traced.
        weights = {n: _untraced(context.weights[n]) for n in context.weights if n in mentioned}
        wanted = [inputs[name] for name in s.inputs]
        with warnings.catch_warnings(), torch._dynamo.config.patch(_COMPILE_LIMITS):
            warnings.simplefilter("ignore")
            result = compiled(CONTRACT, replace(context, weights=weights), *wanted)
        if len(s.outputs) == 1:
            result = (result,)
        return {tap.name: value for tap, value in zip(s.outputs, result, strict=True)}

    return call


class _UntracedExperts:
    """Routed experts whose reading torch.compile does not look into."""

    def __init__(self, experts: Any):
        self.w13 = torch.compiler.disable(experts.w13)
        self.w2 = torch.compiler.disable(experts.w2)


def _untraced(weight: Any) -> Any:
    return weight if isinstance(weight, Tensor) else _UntracedExperts(weight)


def contract() -> ReferenceCandidate:
    """The A/A control: must pass everything."""
    return ReferenceCandidate(CONTRACT)


def baseline() -> ReferenceCandidate:
    """The contract's rounding points with another legal reduction order."""
    return ReferenceCandidate(BASELINE)


__all__ = ["CompiledCandidate", "ReferenceCandidate", "baseline", "contract"]
