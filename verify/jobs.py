"""What a run of ``verify layer`` does by default: layer, decoder layer, family, step, storage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kk3ref.checkpoint import Source
from kk3ref.config import K3Config
from kk3ref.presets import PRESETS
from kk3ref.stages import Layer, LayerOptions
from verify.inputs import FAMILIES, Case, Family, build_case
from verify.layers import LayerChoice
from verify.step import Step

StepOf = Callable[[LayerChoice, Family], Step]


@dataclass(frozen=True)
class Job:
    """One case of a run.

    Attributes:
        layer: the stages.
        kind: layer kind.
        index: 0-based decoder layer.
        family: input family.
        step: the step.
        options: storage, the family's wishes included.
        sequence: whether launches follow on the same memory.
    """

    layer: Layer
    kind: str
    index: int
    family: str
    step: Step
    options: LayerOptions
    sequence: bool

    def case(self, source: Source, tp: int, seed: int, preset: str) -> Case:
        """Its weights and inputs."""
        return build_case(
            self.layer, source, self.index, tp, self.step, seed, self.family, preset, self.options
        )


def default_step(seed: int) -> StepOf:
    """Steps as a family wants them, or of 8 rows; accepted counts from the seed."""

    def step(choice: LayerChoice, family: Family) -> Step:
        drafts = family.drafts if choice.drafts is None else choice.drafts
        step = Step.resolve(drafts=drafts, seed=seed)
        if family.padded and step.requests > family.padded:
            step = Step.resolve(drafts=step.drafts, padded=family.padded, seed=seed)
        return step

    return step


def default_families(choice: LayerChoice, config: K3Config, options: LayerOptions) -> list[str]:
    """Every family that has an effect; at production size the plain one and those of storage."""
    every = applying(choice, options, list(FAMILIES))
    if config != PRESETS["production"]:
        return every
    return [f for f in every if f == "normal" or FAMILIES[f].storage]


def applying(choice: LayerChoice, options: LayerOptions, families: Sequence[str]) -> list[str]:
    """Those of the families that change something for the layer kind."""
    layer = choice.make(options)
    stages = tuple(s.name for s in layer.stages)
    return [f for f in families if FAMILIES[f].applies(layer.inputs, stages)]


def jobs(
    choice: LayerChoice,
    config: K3Config,
    tp: int,
    options: LayerOptions,
    step_of: StepOf,
    families: Sequence[str] | None = None,
    index: int | None = None,
    sequence: bool = True,
) -> Iterator[Job]:
    """The cases of one layer kind.

    Launches follow on the same memory after some families' cases of the first decoder layer.

    Args:
        families: input families; by default :func:`default_families`.
        index: decoder layer; by default :meth:`LayerChoice.default_indices`. At production size a
            layer that writes a block is run with one family, and only where the write is judged.
    """
    indices = choice.default_indices(config) if index is None else [index]
    wanted = default_families(choice, config, options) if families is None else list(families)
    for place, i in enumerate(indices):
        if place and config == PRESETS["production"]:
            if "block_write" not in (s.name for s in choice.make(options).stages):
                continue
            wanted = wanted[:1]
        for name in wanted:
            family = FAMILIES[name]
            stored = family.options(options, tp)
            yield Job(
                choice.make(stored),
                choice.name,
                i,
                name,
                step_of(choice, family),
                stored,
                sequence and family.sequence and place == 0,
            )
