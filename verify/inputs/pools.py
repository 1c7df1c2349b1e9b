"""State pools of a KDA layer and the indices of a step."""

from __future__ import annotations

import torch
from torch import Tensor

from kk3ref.stages import RankContext
from verify.inputs.random import Draw
from verify.step import Step

SPARE_SLOTS = 3  # slots no request of the step uses: they must come out unchanged
NULL_GARBAGE = 977.0  # content of the null slot: anything that reads it is far off


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
    conv[0] = NULL_GARBAGE
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
    state[0] = NULL_GARBAGE
    return {"conv_state": conv, "recurrent_state": state}


def written_slots(inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """Which slots a step may write, as masks over the pools' first axis, by the pools' after-name."""
    masks = {}
    for pool, columns in (("conv_state", slice(0, 1)), ("recurrent_state", slice(None))):
        if pool in inputs:
            mask = torch.zeros(inputs[pool].shape[0], dtype=torch.bool)
            mask[inputs["state_index"][:, columns].flatten().long()] = True
            mask[0] = False
            masks[f"{pool}_after"] = mask
    return masks


def latent_cache(draw: Draw, context: RankContext, step: Step) -> dict[str, Tensor]:
    raise NotImplementedError
