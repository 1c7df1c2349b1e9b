"""The way of a step whose forward vLLM is about to run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from torch import Tensor

from kk3fast.runtime.planning import StepFacts, Stock, Verify, why_stock


def route(
    positions: Tensor,
    intermediate_tensors: Any,
    *,
    bound: bool,
    widths: Collection[int],
    kda_name: str,
) -> Mapping[str, Any] | Stock:
    """The step's attention metadata by layer name if the kernels serve it, else why not.

    Args:
        positions: ``[S]``, or ``[…, S]``.
        intermediate_tensors: a pipeline stage's input, or None.
        bound: whether a KV cache is bound.
        widths: row counts that kernels were built for.
        kda_name: a KDA layer's name: its metadata says what the step is.
    """
    from vllm.forward_context import get_forward_context, is_forward_context_available

    context = get_forward_context() if is_forward_context_available() else None
    held = getattr(context, "attn_metadata", None)
    metadata: dict[str, Any] | None = held if isinstance(held, dict) else None
    mode = getattr(context, "cudagraph_runtime_mode", None)
    facts = StepFacts(
        rows=positions.size(-1),
        pipeline_input=intermediate_tensors is not None,
        cache_bound=bound,
        context=context is not None,
        piecewise=getattr(mode, "name", "NONE") == "PIECEWISE",
        verify=None if metadata is None else _verify(metadata.get(kda_name)),
    )
    reason = why_stock(facts, widths)
    if reason is not None or metadata is None:
        return reason or Stock.NO_METADATA
    return metadata


def _verify(m: Any) -> Verify:
    """What a KDA layer's metadata says; None as of a step without speculative sequences."""
    if m is None or m.spec_sequence_masks is None:
        return Verify(False, 0, 0, 0, 0, 0)
    return Verify(
        spec_masks=True,
        prefills=m.num_prefills,
        decodes=m.num_decodes,
        verifies=m.num_spec_decodes,
        rows=m.spec_state_indices_tensor.size(-1),
        uniform_rows=m.uniform_spec_sequence_length or 0,
    )
