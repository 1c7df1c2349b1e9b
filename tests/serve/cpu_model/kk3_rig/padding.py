"""Padding of a verification step to its graph's size, as vLLM's CUDA-graph replays have it.

A replay with fewer requests than its graph pads whole requests: null state slots, one accepted
token. The CPU has no graphs, so the rig does the same to an eager step.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from vllm.forward_context import get_forward_context

NULL_SLOT, NO_SLOT = 0, -1


@contextmanager
def padded_step(input_ids: Tensor, positions: Tensor, rows: int) -> Iterator[tuple[Tensor, Tensor]]:
    """The step's ids and positions, padded to ``rows`` if it is a smaller pure verification step.

    The step's metadata is exchanged for the block; ``rows`` 0: never.
    """
    context = get_forward_context()
    before, slots = context.attn_metadata, context.slot_mapping
    missing = rows - positions.shape[-1]
    if missing <= 0 or not isinstance(before, dict) or not _pure(before):
        yield input_ids, positions
        return
    context.attn_metadata = {name: _padded(m, missing) for name, m in before.items()}
    context.slot_mapping = {name: _nowhere(s, rows) for name, s in slots.items()}
    zeros = torch.zeros(missing, dtype=input_ids.dtype)
    try:
        yield torch.cat([input_ids, zeros]), torch.cat([positions, zeros.to(positions.dtype)])
    finally:
        context.attn_metadata, context.slot_mapping = before, slots


def _is_kda(metadata: Any) -> bool:
    return hasattr(metadata, "spec_state_indices_tensor")


def _pure(metadata: dict[str, Any]) -> bool:
    """Verification of whole uniform requests only."""
    kda = next(m for m in metadata.values() if _is_kda(m))
    return (
        kda.spec_sequence_masks is not None
        and not kda.num_prefills
        and not kda.num_decodes
        and kda.uniform_spec_sequence_length == kda.spec_state_indices_tensor.shape[-1]
    )


def _nowhere(slots: Tensor, rows: int) -> Tensor:
    """Attention cache slots of every row; those of padding are not written."""
    return torch.cat([slots, slots.new_full((max(0, rows - len(slots)),), NO_SLOT)])


def _padded(m: Any, missing: int) -> Any:
    """A KDA layer's metadata with requests of padding; attention ignores rows it does not know."""
    if not _is_kda(m):
        return m
    live, length = m.num_spec_decodes, m.uniform_spec_sequence_length
    more = missing // length
    slots = m.spec_state_indices_tensor[:live]
    starts = m.spec_query_start_loc[: live + 1]
    new = torch.arange(1, more + 1, dtype=starts.dtype) * length
    return replace(
        m,
        num_spec_decodes=live + more,
        num_spec_decode_tokens=(live + more) * length,
        num_actual_tokens=(live + more) * length,
        spec_state_indices_tensor=torch.cat([slots, slots.new_full((more, length), NULL_SLOT)]),
        num_accepted_tokens=torch.cat(
            [m.num_accepted_tokens[:live], m.num_accepted_tokens.new_ones(more)]
        ),
        spec_query_start_loc=torch.cat([starts, starts[-1] + new]),
    )
