"""A planted fault: one or a few stages of the reference replaced by a faulty form.

A plant calls the stage it replaces, on other inputs or in another precision, or changes what the
stage gave. It is used in two ways: as a candidate of its own (:mod:`verify.faults.candidate`), and
on a candidate's stage inputs, to prove that they could have failed (:mod:`verify.checks.vacuity`).
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from torch import Tensor

from kk3ref.precision import CONTRACT, Precision
from kk3ref.stages import Layer, RankContext, Stage

Values = Mapping[str, Any]
"""A stage's inputs by name; of a collective stage, lists in rank order."""
Outputs = dict[str, Any]


@dataclass
class Memory:
    """What a faulty candidate knows besides a stage's inputs, and keeps between its launches.

    Attributes:
        inputs: the layer's inputs, one mapping a rank.
        buffers: outputs and pools in the memory the candidate was given, one mapping a rank.
        launch: launches before this one.
        kept: anything, by a key that names the stage and the rank.
    """

    inputs: Sequence[Mapping[str, Tensor]]
    buffers: Sequence[Mapping[str, Tensor]] = ()
    launch: int = 0
    kept: dict[Any, Any] = field(default_factory=dict)

    def first(self, key: Any, value: Any) -> Any:
        """What was kept under a key first; ``value`` if nothing was."""
        return self.kept.setdefault(key, value)

    def swap(self, key: Any, value: Any) -> Any:
        """What was kept under a key before, or None; keeps ``value`` in its place."""
        before = self.kept.get(key)
        self.kept[key] = value
        return before


Mutant = Callable[[Stage, RankContext, Values, Memory], Outputs]


@dataclass(frozen=True)
class Plant:
    """A fault in one form.

    Attributes:
        name: what is wrong, one line.
        stages: where it can be planted.
        run: the faulty stage.
        every: planted in all of the stages the layer has, not in the first only.
        drafts: speculative tokens without which it changes nothing.
        by_rows: everything else is computed row by row, and batch invariance is claimed.
        late: the last rank finishes after the others have given their inputs back.
        layers: decides whether a decoder layer can show it.
    """

    name: str
    stages: tuple[str, ...]
    run: Mutant
    every: bool = False
    drafts: int = 0
    by_rows: bool = False
    late: bool = False
    layers: Callable[[RankContext], bool] = lambda c: True

    def targets(self, layer: Layer) -> list[str]:
        """Names of the stages of a layer it replaces."""
        found = [s.name for s in layer.stages if s.name in self.stages]
        return found if self.every else found[:1]

    def fits(self, layer: Layer, context: RankContext, drafts: int) -> bool:
        """Whether it changes anything in a layer with that many speculative tokens."""
        return bool(self.targets(layer)) and drafts >= self.drafts and self.layers(context)

    def planted(self, layer: Layer, memory: Callable[[], Memory]) -> Layer:
        """The layer with its stages replaced."""
        targets = self.targets(layer)
        stages = [self._mutated(s, memory) if s.name in targets else s for s in layer.stages]
        return replace(layer, stages=tuple(stages))

    def _mutated(self, s: Stage, memory: Callable[[], Memory]) -> Stage:
        def run(p: Precision, c: RankContext, *inputs: Any) -> Any:
            outputs = self.run(s, c, dict(zip(s.inputs, inputs, strict=True)), memory())
            values = tuple(outputs[tap.name] for tap in s.outputs)
            return values if len(values) > 1 else values[0]

        return replace(s, run=run)


def in_policy(policy: Precision) -> Mutant:
    """The stage in another arithmetic."""
    return lambda s, c, values, m: s(policy, c, values)


def on_inputs(change: Callable[[RankContext, Values, Memory], Mapping[str, Any]]) -> Mutant:
    """The stage on changed inputs: ``change`` gives those that differ."""

    def run(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
        changed = {n: v for n, v in change(c, values, m).items() if n in values}
        return s(CONTRACT, c, {**values, **changed})

    return run


def on_outputs(change: Callable[[RankContext, Values, Outputs, Memory], Outputs]) -> Mutant:
    """The stage with its outputs changed: ``change`` gives those that differ."""

    def run(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
        outputs = s(CONTRACT, c, values)
        return {**outputs, **change(c, values, outputs, m)}

    return run


def with_weights(change: Callable[[RankContext], dict[str, Any]]) -> Mutant:
    """The stage with other weights: ``change`` gives those that differ."""

    def run(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
        given: Any = c.weights  # ChainMap only reads it
        return s(CONTRACT, replace(c, weights=ChainMap(change(c), given)), values)

    return run
