"""Which steps the fused layers serve, and why not the others.

Every predicate is the same on all tensor-parallel ranks: their kernels wait for each other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from torch import Tensor

from kk3fast.runtime.planning import StepFacts, Verify, why_stock


class Route(NamedTuple):
    """One step's way."""

    metadata: Mapping[str, Any] | None
    """the step's attention metadata by layer name if it is served, else None"""
    reason: str = ""
    """why it is not"""
    counted: bool = True
    """whether it is a step of a request at all (not profiling, not a warm-up without metadata)"""

    @property
    def served(self) -> bool:
        """Whether the fused layers serve the step."""
        return self.metadata is not None


def route(
    positions: Tensor,
    intermediate_tensors: Any,
    *,
    bound: bool,
    widths: Collection[int],
    kda_name: str,
) -> Route:
    """The way of the step whose forward vLLM is about to run.

    Args:
        positions: ``[S]``, or ``[…, S]``.
        intermediate_tensors: a pipeline stage's input, or None.
        bound: whether a KV cache is bound.
        widths: row counts that kernels were built for.
        kda_name: a KDA layer's name: its metadata says what the step is.
    """
    from vllm.forward_context import get_forward_context, is_forward_context_available

    there = is_forward_context_available()
    context = get_forward_context() if there else None
    metadata = getattr(context, "attn_metadata", None)
    facts = StepFacts(
        rows=positions.size(-1),
        pipeline_input=intermediate_tensors is not None,
        cache_bound=bound,
        context=there,
        piecewise=getattr(getattr(context, "cudagraph_runtime_mode", None), "name", "")
        == "PIECEWISE",
        verify=_verify(metadata.get(kda_name)) if isinstance(metadata, dict) else None,
    )
    why = why_stock(facts, widths)
    if why is None:
        return Route(metadata)
    return Route(None, why.value, why.of_a_request)


def _verify(metadata: Any) -> Verify:
    """What a KDA layer's metadata says; a layer without any is not verified."""
    if metadata is None or metadata.spec_sequence_masks is None:
        return Verify(False, 0, 0, 0, 0, 0)
    return Verify(
        spec_masks=True,
        prefills=metadata.num_prefills,
        decodes=metadata.num_decodes,
        verifies=metadata.num_spec_decodes,
        rows=metadata.spec_state_indices_tensor.size(-1),
        uniform_rows=metadata.uniform_spec_sequence_length or 0,
    )
