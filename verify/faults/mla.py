"""Faults of the MLA layer: shards, formats and addresses of the latent cache, splits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from kk3ref.formats import decode_fp8, encode_fp8
from kk3ref.mla import NULL_PAGE
from kk3ref.precision import CONTRACT
from kk3ref.stages import RankContext, Stage
from verify.faults.plant import Memory, Outputs, Plant, Values, on_inputs, on_outputs

ATTENTION = ("attend", "attend_shard")
_RESULT = {"o_lat", "shard_o"}


def _empty_is_nan(c: RankContext, values: Values, outputs: Outputs, m: Memory) -> Outputs:
    empty = outputs["shard_lse"].isinf()
    return {"shard_o": outputs["shard_o"].masked_fill(empty[..., None], math.nan)}


EMPTY_SHARD = Plant(
    "an empty context shard gives NaN", ("attend_shard",), on_outputs(_empty_is_nan)
)


def _unscaled(s: Stage, c: RankContext, values: Values, m: Memory) -> Outputs:
    return s(CONTRACT, replace(c, options=replace(c.options, kv_scale=1.0)), values)


UNSCALED = Plant(
    "fp8 cache read without its scale",
    ATTENTION,
    _unscaled,
    layers=lambda c: c.options.kv_scale != 1.0,
)
_OTHER = {"fp8_e4m3fn": "fp8_e4m3fnuz", "fp8_e4m3fnuz": "fp8_e4m3fn"}


def _other_format(c: RankContext, values: Values, m: Memory) -> Mapping[str, Any]:
    mine = c.options.kv_dtype
    read = decode_fp8(values["kv_cache_after"], _OTHER[mine])
    return {"kv_cache_after": encode_fp8(read, mine).view(torch.uint8)}


OTHER_FORMAT = Plant(
    "bytes of one E4M3 format read as the other's",
    ATTENTION,
    on_inputs(_other_format),
    layers=lambda c: c.options.kv_dtype in _OTHER,
)


def _wrapped(c: RankContext, values: Values, m: Memory) -> Mapping[str, Any]:
    """Pages whose offset does not fit 32 bits, signed, read from where the wrapped one leads."""
    rank = c.rank if c.options.dcp > 1 else 0
    pool = m.buffers[rank]["kv_cache_after"]
    cache = values["kv_cache_after"].clone()
    for page in range(cache.shape[0]):
        offset = page * pool.stride(0)
        if offset >= 1 << 31:
            cache[page] = 0  # before the pool: whatever lies there
    return {"kv_cache_after": cache}


WRAPPED_OFFSET = Plant("cache offset wraps at 32 bits", ATTENTION, on_inputs(_wrapped))


def _past_the_end(c: RankContext, values: Values, m: Memory) -> Mapping[str, Any]:
    lengths = values["context_len"]
    return {"context_len": torch.full_like(lengths, int(lengths.max()))}


UNMASKED = Plant("a short context's empty splits are counted", ATTENTION, on_inputs(_past_the_end))


def _stale_split(c: RankContext, values: Values, outputs: Outputs, m: Memory) -> Outputs:
    """The partial of the launch before is merged with equal weight."""
    (name,) = _RESULT & outputs.keys()
    before = m.swap(("split", c.rank), outputs[name])
    if before is None:
        return {}
    rows = min(before.shape[0], outputs[name].shape[0])
    merged: Tensor = outputs[name].clone()
    merged[:rows] = ((merged[:rows].float() + before[:rows].float()) / 2).to(torch.bfloat16)
    return {name: merged}


STALE_SPLIT = Plant(
    "a split's partial of the launch before is merged", ATTENTION, on_outputs(_stale_split)
)


def _padding_page(c: RankContext, values: Values, outputs: Outputs, m: Memory) -> Outputs:
    """A slot number of −1 taken for the last row of the pool."""
    if not bool((values["block_table"][:, 0] == NULL_PAGE).any()):
        return {}
    pool = outputs["kv_cache_after"].clone()
    pool[-1, -1] = 1
    return {"kv_cache_after": pool}


LAST_PAGE = Plant(
    "padding writes the last row of the cache", ("cache_write",), on_outputs(_padding_page)
)
