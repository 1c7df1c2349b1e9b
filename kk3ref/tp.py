"""Tensor parallelism as a visible sum in rank order, in one process or over torch.distributed.

A layer's communication is its collective stages: each gets every rank's partials and sums them in
fp32 **in rank order**. In one process :func:`kk3ref.stages.run_layer` hands them over as lists.
:func:`run_layer_distributed` runs one rank a process and gathers the partials as they are, byte for
byte, over any backend; the sum is then the same local code, so the bits are the same on every rank
and equal those of one process. (A backend's own all-reduce may sum in another order.)
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.distributed as dist
from torch import Tensor

from kk3ref.checkpoint.source import Source
from kk3ref.precision import Precision, Value
from kk3ref.stages import Intercept, Layer, LayerOptions, RankContext, Scope, Taps


def rank_context(
    source: Source, index: int, rank: int, tp: int, options: LayerOptions | None = None
) -> RankContext:
    """What one rank's stages of a layer know.

    Args:
        source: checkpoint or synthetic weights.
        index: 0-based layer.

    Raises:
        IndexError: no such layer or rank.
        ConfigError: a dimension is not divisible by ``tp``.
    """
    config = source.config
    return RankContext(
        config,
        config.layer(index),
        config.shard(tp),
        rank,
        source.rank_weights(index, rank, tp),
        options or LayerOptions(),
    )


def rank_contexts(
    source: Source, index: int, tp: int, options: LayerOptions | None = None
) -> list[RankContext]:
    """:func:`rank_context` of every rank, in rank order."""
    return [rank_context(source, index, rank, tp, options) for rank in range(tp)]


def all_gather(x: Tensor, group: dist.ProcessGroup | None = None) -> list[Tensor]:
    """Every rank's tensor in rank order, moved as bytes.

    Args:
        x: any dtype; shape and dtype must be those of the other ranks.

    Returns:
        contiguous tensors like ``x``; no value, NaN payloads included, is changed.
    """
    sent = x.contiguous()
    received = [torch.empty_like(sent) for _ in range(dist.get_world_size(group))]
    # As bytes, since backends differ in the dtypes that they move.
    outs = [r.view(-1).view(torch.uint8) for r in received]
    dist.all_gather(outs, sent.view(-1).view(torch.uint8), group=group)
    return received


def run_layer_distributed(
    layer: Layer,
    p: Precision,
    context: RankContext,
    inputs: Mapping[str, Value],
    group: dist.ProcessGroup | None = None,
    intercept: Intercept | None = None,
) -> Taps:
    """Run a layer as one rank of a process group; every rank of the group calls it.

    Args:
        context: this rank's; its rank and TP must be those of the group.
        inputs: this rank's named inputs.
        group: the tensor-parallel group, None for the default one.
        intercept: see :func:`kk3ref.stages.run_layer`; sees this rank only.

    Returns:
        this rank's inputs and stage outputs by name, bit-equal to the rank's mapping of
        :func:`kk3ref.stages.run_layer` where the arithmetic of a process is (threads may split a
        matrix product differently).

    Raises:
        KeyError: lists the inputs that are missing.
        ValueError: the context's rank or TP is not that of the group.
    """
    missing = sorted(set(layer.inputs) - set(inputs))
    if missing:
        raise KeyError(f"{layer.name}: missing inputs {missing}; it reads {list(layer.inputs)}")
    place = dist.get_rank(group), dist.get_world_size(group)
    if (context.rank, context.tp) != place:
        raise ValueError(
            f"the context must be rank {place[0]} of {place[1]}, as the group is, "
            f"got rank {context.rank} of {context.tp}"
        )
    values: Taps = dict(inputs)
    for s in layer.stages:
        given: Mapping[str, Value] = values
        if s.scope is Scope.COLLECTIVE:
            given = {name: all_gather(values[name], group) for name in s.inputs}
        result = s(p, context, given)
        values.update(intercept(s, context, dict(result)) if intercept else result)
    return values
