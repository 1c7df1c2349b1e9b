"""State pools, the latent cache, and the indices of a step."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from kk3ref.formats import encode_fp8
from kk3ref.kda import NULL_SLOT
from kk3ref.stages import RankContext
from verify.inputs.random import Draw
from verify.step import Step

SPARE_SLOTS = 3  # slots no request of the step uses: they must come out unchanged
MAX_CONTEXT = 150  # rows of an MLA context before the step
MAX_STEPS = 4  # steps a context has room for
NULL_GARBAGE = 448.0  # content of the null slot: anything that reads it is far off


def step_tensors(draw: Draw, step: Step) -> dict[str, Tensor]:
    """``state_index`` ``[R, L]`` and ``num_accepted`` ``[R]``, int32; padded requests on slot 0."""
    live = step.requests - step.padded
    slots = 1 + draw.permutation("state_index", live * step.width + SPARE_SLOTS)
    index = torch.zeros(step.requests, step.width, dtype=torch.int32)
    index[:live] = slots[: live * step.width].reshape(live, step.width).to(torch.int32)
    return {
        "state_index": index,
        "num_accepted": torch.tensor(step.accepted, dtype=torch.int32),
    }


def kda_pools(draw: Draw, context: RankContext, step: Step) -> dict[str, Tensor]:
    """``conv_state`` and ``recurrent_state`` of one rank: every slot live, none of them zero."""
    config, shapes = context.config, context.shapes
    slots = 1 + (step.requests - step.padded) * step.width + SPARE_SLOTS
    length = config.short_conv_kernel_size - 1 + step.drafts
    name = f"rank{context.rank}"
    conv = draw.normal(f"conv_state.{name}", slots, shapes.conv_channels, length)
    conv[NULL_SLOT] = NULL_GARBAGE
    if not context.options.conv_dim_first:
        conv = conv.transpose(1, 2).contiguous()
    head = config.kda_head_dim
    state = draw.normal(
        f"recurrent_state.{name}",
        slots,
        shapes.kda_heads,
        head,
        head,
        scale=0.1,
        dtype=torch.float32,
    )
    state[NULL_SLOT] = NULL_GARBAGE
    return {"conv_state": conv, "recurrent_state": state}


def latent_cache(draw: Draw, context: RankContext, step: Step) -> dict[str, Tensor]:
    """``kv_cache``, ``block_table`` and ``context_len`` of an MLA layer.

    Contexts are long but for the first, which is short; pages are in random order. With decode
    context parallelism each rank gets its own shard and all share the table.
    """
    options, live = context.options, step.requests - step.padded
    drawn = draw.generator("contexts")
    lengths = torch.randint(MAX_CONTEXT // 2, MAX_CONTEXT, (step.requests,), generator=drawn)
    lengths[0] = int(torch.randint(0, 4, (), generator=drawn))
    lengths[live:] = 0
    local = -(-(MAX_CONTEXT + MAX_STEPS * step.width) // options.dcp)
    columns = -(-local // options.page_size)
    pages = 1 + draw.permutation("pages", live * columns + SPARE_SLOTS)
    table = torch.zeros(step.requests, columns, dtype=torch.int32)
    table[:live] = pages[: live * columns].reshape(live, columns).to(torch.int32)
    shape = (1 + live * columns + SPARE_SLOTS, options.page_size, context.config.kv_cache_dim)
    name = "kv_cache" if options.dcp == 1 else f"kv_cache.rank{context.rank}"
    cache = draw.normal(name, *shape)
    cache[NULL_SLOT] = NULL_GARBAGE
    if options.kv_dtype != "bf16":
        scaled = cache.float() / options.kv_scale
        cache = encode_fp8(scaled, options.kv_dtype).view(torch.uint8)
    return {"kv_cache": cache, "block_table": table, "context_len": lengths.to(torch.int32)}


def written_slots(inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Which slots a step may write, as masks over the pools' first axis, by the pools' after-name.

    Of the latent cache a slot is a page; rows inside a page are judged with the stage's codes.
    """
    masks = {}
    for pool, columns in (("conv_state", slice(0, 1)), ("recurrent_state", slice(None))):
        if pool in inputs:
            mask = torch.zeros(inputs[pool].shape[0], dtype=torch.bool)
            mask[inputs["state_index"][:, columns].flatten().long()] = True
            mask[NULL_SLOT] = False
            masks[f"{pool}_after"] = mask
    if "kv_cache" in inputs and "block_table" in inputs:
        mask = torch.zeros(inputs["kv_cache"].shape[0], dtype=torch.bool)
        mask[inputs["block_table"].flatten().long()] = True
        mask[NULL_SLOT] = False
        masks["kv_cache_after"] = mask
    return masks
