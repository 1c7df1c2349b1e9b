"""One case: a layer with weights, a step with named inputs for every rank."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from kk3ref.checkpoint import Source, layer_weights
from kk3ref.stages import Layer, LayerOptions, RankContext, Role
from verify.inputs.families import FAMILIES, Family
from verify.inputs.pools import kda_pools, latent_cache, step_tensors, written_slots
from verify.inputs.random import Draw
from verify.step import Step

AFTER = "_after"
_KDA_POOLS = ("conv_state", "recurrent_state")
_CACHE = ("kv_cache", "block_table", "context_len")


@dataclass(frozen=True)
class Case:
    """What a candidate is run on.

    Attributes:
        layer: the stages.
        contexts: weights, shapes and options, one a rank.
        inputs: named inputs, one mapping a rank.
        step: rows, requests, accepted counts.
        family: name of the input family.
        seed: seed of the inputs.
        preset: preset name or where the configuration came from.
        weights: identity of the weights.
    """

    layer: Layer
    contexts: tuple[RankContext, ...]
    inputs: tuple[Mapping[str, Tensor], ...]
    step: Step
    family: str
    seed: int
    preset: str
    weights: str

    @property
    def far_pages(self) -> bool:
        """Whether the latent cache a candidate gets lies past 32-bit offsets."""
        return FAMILIES[self.family].far_pages

    @property
    def ranks(self) -> range:
        """Rank numbers."""
        return range(len(self.contexts))

    def pools_before(self) -> list[dict[str, Tensor]]:
        """The state pools before the step, by the name they have after it, one mapping a rank."""
        return [
            {after: values[before] for before, after in self._pools().items()}
            for values in self.inputs
        ]

    def written(self) -> dict[str, Tensor]:
        """Slots the step may write, as masks over the pools' first axis, by after-name."""
        masks = written_slots(self.inputs[0])
        return {name: mask for name, mask in masks.items() if name in self.layer.roles}

    def output_shape(self, name: str, rank: int) -> tuple[int, ...]:
        """Shape of a layer output on a rank."""
        c = self.contexts[rank]
        local = c.shapes.kda_channels if c.layer.attention == "kda" else c.shapes.mla_value_cols
        return (self.step.rows, local if name == "core" else c.config.hidden_size)

    def _pools(self) -> dict[str, str]:
        return {
            name.removesuffix(AFTER): name
            for name, role in self.layer.roles.items()
            if role is Role.STATE
        }


def build_case(
    layer: Layer,
    source: Source,
    index: int,
    tp: int,
    step: Step,
    seed: int,
    family: str = "normal",
    preset: str = "",
    options: LayerOptions | None = None,
) -> Case:
    """Weights and inputs of one layer.

    Args:
        layer: what is run.
        source: checkpoint or synthetic weights.
        index: 0-based decoder layer.
        tp: ranks.
        step: the step.
        seed: of the inputs.
        family: a key of ``FAMILIES``.
        preset: how the configuration is named in the record.
        options: storage choices, as far as the family leaves them; ``layer`` must be made for
            what it makes of them.
    """
    chosen: Family = FAMILIES[family]
    options = chosen.options(options or LayerOptions(), tp)
    weights = layer_weights(source, index, tp)
    draw = Draw(seed)
    contexts = []
    for rank in range(tp):
        context = RankContext(
            source.config,
            source.config.layer(index),
            source.config.shard(tp),
            rank,
            weights.rank(rank),
            options,
        )
        overrides = chosen.weights(context)
        if overrides:
            layered: Any = overrides  # ChainMap only reads both
            weights_now: Any = context.weights
            context = replace(context, weights=ChainMap(layered, weights_now))
        contexts.append(context)
    inputs = [
        chosen.shape_inputs(values | state, c, step, draw)
        for c, values, state in zip(
            contexts,
            activations(layer, contexts, step, draw),
            _state(layer, contexts, step, draw),
            strict=True,
        )
    ]
    shared = tuple(share(inputs))
    return Case(layer, tuple(contexts), shared, step, family, seed, preset, source.identity)


def activations(
    layer: Layer, contexts: Sequence[RankContext], step: Step, draw: Draw
) -> list[dict[str, Tensor]]:
    """What flows into the layer in a step, one mapping a rank; state is not among it."""
    config, rows = contexts[0].config, step.rows
    hidden = config.hidden_size
    makers = {
        "prefix": lambda: draw.normal("prefix", rows, hidden),
        "delta": lambda: draw.normal("delta", rows, hidden, scale=0.3),
        "blocks": lambda: draw.normal("blocks", rows, config.num_blocks, hidden),
        "x": lambda: draw.normal("x", rows, hidden),
    }
    shared = {name: make() for name, make in makers.items() if name in layer.inputs}
    result = []
    for c in contexts:
        local = c.shapes.kda_channels if c.layer.attention == "kda" else c.shapes.mla_value_cols
        own = {
            "core": (rows, local),
            "proj": (rows, c.shapes.in_proj_rows_padded),
            "g1": (rows, c.shapes.kda_channels),
        }
        result.append(
            shared
            | {
                name: draw.normal(f"{name}.rank{c.rank}", *shape)
                for name, shape in own.items()
                if name in layer.inputs
            }
        )
    return result


def _state(
    layer: Layer, contexts: Sequence[RankContext], step: Step, draw: Draw
) -> list[dict[str, Tensor]]:
    """Pools, and where the step's requests lie in them, one mapping a rank."""
    shared: dict[str, Tensor] = {}
    if any(name in layer.inputs for name in ("state_index", "num_accepted")):
        shared = step_tensors(draw, step)
    result = []
    for c in contexts:
        values = dict(shared)
        if any(name in layer.inputs for name in _KDA_POOLS):
            values |= kda_pools(draw, c, step)
        if any(name in layer.inputs for name in _CACHE):
            values |= latent_cache(draw, c, step)
        result.append(values)
    return result


def share(per_rank: list[dict[str, Tensor]]) -> list[dict[str, Tensor]]:
    """Hold what all ranks have in common once."""
    for values in per_rank[1:]:
        for name, first in per_rank[0].items():
            if torch.equal(values[name], first):
                values[name] = first
    return per_rank
