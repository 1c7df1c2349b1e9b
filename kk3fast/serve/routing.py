"""Which steps the fused layers serve, and why not the others.

Every predicate is the same on all tensor-parallel ranks: their kernels wait for each other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from torch import Tensor


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

    if intermediate_tensors is not None:
        return Route(None, "pipeline stage")
    if not bound:
        return Route(None, "no KV cache", counted=False)
    if not is_forward_context_available():
        return Route(None, "no forward context", counted=False)
    context = get_forward_context()
    if getattr(context.cudagraph_runtime_mode, "name", "NONE") == "PIECEWISE":
        return Route(None, "PIECEWISE graph")
    metadata = context.attn_metadata
    if not isinstance(metadata, dict):
        return Route(None, "no metadata", counted=False)
    width = positions.size(-1)
    if width not in widths:
        return Route(None, "width")
    reason = step_reason(metadata.get(kda_name), width)
    return Route(None, reason) if reason else Route(metadata)


def step_reason(metadata: Any, width: int) -> str:
    """Why a KDA layer's metadata is no pure verification of whole uniform requests; or ``""``."""
    if metadata is None or metadata.spec_sequence_masks is None:
        return "not spec-verify"
    if metadata.num_prefills or metadata.num_decodes or metadata.num_spec_decodes < 1:
        return "not pure decode"
    rows = metadata.spec_state_indices_tensor.size(-1)
    if metadata.uniform_spec_sequence_length != rows or metadata.num_spec_decodes * rows != width:
        return "not uniform"
    return ""
